import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { idFromBytes } from "../../src/envelope/index.ts";
import { readRows } from "../support/ledger-rows.ts";
import { readReplies } from "../support/wire-channel.ts";
import { createDataFolder, startWireProcess, type WireProcess } from "../support/wire-process.ts";

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

/**
 * The point at which an append has been made and is not durable: it is made again. Where a step's end is at hand, the
 * third step may as well be a keyed one, of which a repeat leaves no trace.
 */
const INSIDE_STEP: ReadonlySet<string> = new Set(["worker:inside-step"]);
/** The points at which a reply is being shown: it is shown again, marked as such. */
const SHOWING: ReadonlySet<string> = new Set([
  "root:committed showing",
  "root:before-show",
  "root:after-show",
  "root:before shown",
  "root:after shown",
]);

const REQUESTS = 5;
const LANES = 3;
const counts = { kills: 0, requests: 0, replies: 0, repeated: 0, appends: 0, appendsAgain: 0, puts: 0 };
const lanes = Array.from({ length: LANES }, () => ({
  before: Promise.resolve(),
  tree: undefined as Tree | undefined,
}));

interface Tree {
  readonly folder: ReturnType<typeof createDataFolder>;
  readonly running: WireProcess;
}

/** The process that one test has restarted is the one that the next test of its lane kills. */
async function inLane(i: number, work: (tree: Tree) => Promise<Tree>): Promise<void> {
  const lane = lanes[i % LANES];
  if (!lane) throw new Error("there is no such lane");
  const turn = lane.before.then(async () => {
    const { tree } = lane;
    lane.tree = undefined;
    lane.tree = await work(tree ?? start(createDataFolder()));
  });
  lane.before = turn.catch(() => undefined);
  await turn;
}

function start(folder: Tree["folder"]): Tree {
  return { folder, running: startWireProcess({ rolesDir: ROLES, dataDir: folder.dir }) };
}

test.concurrent.each([...POINTS.entries()])(
  "%i: a process killed at %s answers each request once after its restart",
  (nth, point) =>
    inLane(nth, async ({ folder, running: first }) => {
      const ids = Array.from({ length: REQUESTS }, (_, i) => idOf(nth * REQUESTS + i));
      const sayAll = (to: WireProcess): void => {
        for (const [i, id] of ids.entries()) to.say(id, `work task-${i}`);
      };
      await first.ready;
      // The third time round, so that some requests are finished, one is at the point and others are on their way.
      first.killAt(`${point}:3`);
      sayAll(first);
      expect((await first.ended).signal).toBe("SIGKILL");

      const shownBefore = readReplies(folder.repliesFile);
      const doneBefore = readEffects(folder.dir);
      const durable = readDurableSteps(folder.dir);
      const unsure = readUnsure(folder.dir);

      const tree = start(folder);
      await tree.running.ready;
      // A channel whose words were not confirmed hands them over again; each is claimed once.
      sayAll(tree.running);
      await tree.running.replies((all) =>
        ids.every((id) => all.some((reply) => reply.id === id && (reply.isRepeat || !unsure.has(id)))),
      );

      // Each is answered once; one whose showing had begun and not been noted as done is shown again and says so.
      const replies = readReplies(folder.repliesFile);
      for (const [i, id] of ids.entries()) {
        const mine = replies.filter((reply) => reply.id === id);
        const wasShown = shownBefore.some((reply) => reply.id === id);
        const expected = unsure.has(id) ? [...(wasShown ? [false] : []), true] : [false];
        expect({ id, isRepeat: mine.map(({ isRepeat }) => isRepeat) }).toEqual({ id, isRepeat: expected });
        expect(mine.map(({ text }) => text)).toEqual(mine.map(() => `task-${i} done`));
        counts.replies += mine.filter(({ isRepeat }) => !isRepeat).length;
        counts.repeated += mine.filter(({ isRepeat }) => isRepeat).length;
      }
      for (const id of unsure) expect(ids).toContain(id);
      if (SHOWING.has(point)) expect(unsure.size).toBeGreaterThan(0);

      // A step that was durable is not done again; one that was not is done once more, with the same key.
      const done = readEffects(folder.dir);
      expect(done.size).toBe(new Set(replies.map(({ id }) => id)).size);
      for (const [request, { appends, puts, isInOrder }] of done) {
        const before = doneBefore.get(request)?.appends ?? 0;
        expect({ request, appends }).toEqual({
          request,
          appends: durable.has(request) ? before : before + 1,
        });
        expect({ request, puts, isInOrder }).toEqual({ request, puts: 1, isInOrder: true });
      }
      for (const request of durable) expect(doneBefore.get(request)?.appends).toBeGreaterThan(0);
      const again = [...done].filter(([request]) => !durable.has(request) && doneBefore.has(request)).length;
      if (INSIDE_STEP.has(point)) expect(again).toBeGreaterThan(0);

      counts.kills += 1;
      counts.requests += REQUESTS;
      counts.appendsAgain += again;
      return tree;
    }),
);

afterAll(async () => {
  for (const { tree } of lanes) {
    if (!tree) continue;
    expect(await tree.running.stop()).toMatchObject({ code: 0, stderr: "" });
    const done = [...readEffects(tree.folder.dir).values()];
    counts.appends += done.length;
    counts.puts += done.reduce((sum, { puts }) => sum + puts, 0);
    tree.folder[Symbol.dispose]();
  }
  process.stdout.write(`${JSON.stringify(counts)}\n`);
});

function idOf(n: number): string {
  return `00000000-0000-5000-8000-${String(n).padStart(12, "0")}`;
}

/** What was done to the world for each of the worker's requests, whether by one process or by two. */
function readEffects(dataDir: string) {
  const path = join(dataDir, "effects.log");
  const done = new Map<string, { appends: number; puts: number; isInOrder: boolean }>();
  for (const line of existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []) {
    const [kind, key = ""] = line.split(" ");
    const [request = "", ...step] = key.split("/");
    // The key is the request's id, the step's name, and which of that name it is.
    expect(step).toEqual([kind, "0"]);
    const mine = done.get(request) ?? { appends: 0, puts: 0, isInOrder: true };
    done.set(request, mine);
    if (kind === "put") mine.puts += 1;
    else mine.appends += 1;
    if (kind === "append" && mine.puts > 0) mine.isInOrder = false;
  }
  return done;
}

/** The worker's requests whose append its ledger holds as done: by a line of the journal, or since all is done. */
function readDurableSteps(dataDir: string): ReadonlySet<string> {
  const rows = readRows(
    dataDir,
    "worker",
    `SELECT id FROM message AS m WHERE direction = 0 AND kind = 'command_request' AND (
       NOT EXISTS (SELECT 1 FROM task WHERE task.n = m.n)
       OR EXISTS (SELECT 1 FROM journal WHERE journal.task = m.n AND journal.key LIKE '%append%'))`,
  );
  return new Set(rows.map(({ id }) => idFromBytes(id as Uint8Array)));
}

/** The words whose reply had begun to be shown, as the root's ledger knows. */
function readUnsure(dataDir: string): ReadonlySet<string> {
  const sql = "SELECT reply_to FROM outbox JOIN message USING (n) WHERE outbox.peer = 'people' AND state = 1";
  return new Set(readRows(dataDir, "root", sql).map(({ reply_to: id }) => idFromBytes(id as Uint8Array)));
}
