import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createDataFolder, startWireProcess } from "../support/wire-process.ts";

const ROLES = join(import.meta.dirname, "../fixtures/trees/steps/roles");

/** Each is a place at which a process can be ended: what is durable there, and what is not, differs from the next. */
const POINTS = [
  "root:before accept",
  "root:after accept",
  "root:committed accept",
  "root:before question",
  "root:after question",
  "root:committed question",
  "root:after send",
  "ops:before accept",
  "ops:committed accept",
  "ops:after question",
  "ops:after send",
  "worker:before accept",
  "worker:after accept",
  "worker:committed accept",
  "worker:before-effect",
  "worker:inside-step",
  "worker:before step",
  "worker:after step",
  "worker:committed step",
  "worker:before settle",
  "worker:after settle",
  "worker:committed settle",
  "worker:before send",
  "worker:after send",
  "ops:before answer",
  "ops:after answer",
  "ops:committed answer",
  "ops:after settle",
  "ops:committed settle",
  "root:before answer",
  "root:after answer",
  "root:before settle",
  "root:after settle",
  "root:committed settle",
  "root:before showing",
  "root:committed showing",
  "root:before-show",
  "root:after-show",
  "root:before shown",
  "root:after shown",
] as const;

/** The points at which an append has been made and its step is not yet durable: it is made again, once. */
const INSIDE_STEP: ReadonlySet<string> = new Set([
  "worker:inside-step",
  "worker:before step",
  "worker:after step",
]);
/** The points at which a reply may have been shown and nobody can tell: it is shown again, marked as such. */
const SHOWING: ReadonlySet<string> = new Set([
  "root:committed showing",
  "root:before-show",
  "root:after-show",
  "root:before shown",
  "root:after shown",
]);

const REQUESTS = 5;
const counts = { kills: 0, requests: 0, replies: 0, repeated: 0, appends: 0, appendsAgain: 0, puts: 0 };

test.each(POINTS)("a process killed at %s answers each request once after its restart", async (point) => {
  using folder = createDataFolder();
  const ids = Array.from({ length: REQUESTS }, (_, i) => `00000000-0000-5000-8000-00000000000${i}`);
  // The third time round, so that some requests are finished, one is at the point and others are on their way.
  const first = startWireProcess({ rolesDir: ROLES, dataDir: folder.dir, killAt: `${point}:3` });
  await first.ready;
  for (const [i, id] of ids.entries()) first.say(id, `work task-${i}`);
  expect((await first.ended).signal).toBe("SIGKILL");

  const second = startWireProcess({ rolesDir: ROLES, dataDir: folder.dir });
  await second.ready;
  // A channel whose words were not confirmed hands them over again; each is claimed once.
  for (const [i, id] of ids.entries()) second.say(id, `work task-${i}`);
  await second.replies((replies) => ids.every((id) => replies.some((reply) => reply.id === id)));
  const ending = await second.stop();
  expect(ending).toMatchObject({ code: 0 });

  const replies = await second.replies(() => true);
  const repeated = replies.filter(({ isRepeat }) => isRepeat);
  for (const [i, id] of ids.entries()) {
    const mine = replies.filter((reply) => reply.id === id);
    expect(mine.map(({ text }) => text)).toEqual(mine.map(() => `task-${i} done`));
    expect(mine.filter(({ isRepeat }) => !isRepeat).length).toBeLessThanOrEqual(1);
  }
  const isAmbiguous = SHOWING.has(point);
  if (!isAmbiguous) expect(replies).toHaveLength(REQUESTS);
  expect(repeated.length).toBeLessThanOrEqual(isAmbiguous ? REQUESTS : 0);

  const effects = readFileSync(join(folder.dir, "effects.log"), "utf8").trim().split("\n");
  const appends = effects.filter((line) => line.startsWith("append "));
  const puts = effects.filter((line) => line.startsWith("put "));
  expect(new Set(appends).size).toBe(REQUESTS);
  expect(appends.length - REQUESTS).toBeLessThanOrEqual(INSIDE_STEP.has(point) ? REQUESTS : 0);
  if (INSIDE_STEP.has(point)) expect(appends.length).toBeGreaterThan(REQUESTS);
  expect(puts).toHaveLength(REQUESTS);
  expect(new Set(puts).size).toBe(REQUESTS);

  counts.kills += 1;
  counts.requests += REQUESTS;
  counts.replies += replies.length - repeated.length;
  counts.repeated += repeated.length;
  counts.appends += new Set(appends).size;
  counts.appendsAgain += appends.length - new Set(appends).size;
  counts.puts += puts.length;
});

afterAll(() => {
  process.stdout.write(`${JSON.stringify(counts)}\n`);
});
