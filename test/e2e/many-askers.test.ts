import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDataFolder, startWireProcess } from "../support/wire-process.ts";

const ROLES = join(import.meta.dirname, "../../roles");
const ASKERS = 300;
const KILLED_AFTER_REPLIES = 100;
/** Each page has a status of its own kind, so that an answer to another page shows. */
const STATUSES = [200, 201, 203, 206, 404, 410, 418, 500, 503];
const statusOf = (n: number): number => STATUSES[(n * 7) % STATUSES.length] ?? 200;
const idOf = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, "0")}`;

/** Numbers from 0 to 1, the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A server that answers whoever came last first, after a while. */
async function startServer() {
  const random = seeded(42);
  const open: { readonly n: number; readonly response: ServerResponse }[] = [];
  let answered = 0;
  let most = 0;
  const server = createServer((request, response) => {
    open.push({ n: Number(request.url?.slice(1)), response });
    most = Math.max(most, open.length);
    setTimeout(
      () => {
        const last = open.pop();
        if (!last) return;
        last.response.writeHead(statusOf(last.n)).end(`page ${last.n}`);
        answered += 1;
      },
      5 + random() * 60,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    facts: () => ({ answered, most }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test(`${ASKERS} askers at once each get their own answer and no other, although the tree is killed in between`, async () => {
  using folder = createDataFolder();
  await using server = await startServer();
  const asked = Array.from({ length: ASKERS }, (_, n) => ({
    id: idOf(n),
    text: `/http http://127.0.0.1:${server.port}/${n}`,
  }));
  const options = { rolesDir: ROLES, dataDir: folder.dir, netAllow: "127.0.0.0/8" };

  const first = startWireProcess(options);
  await first.ready;
  for (const { id, text } of asked) first.say(id, text);
  await first.replies((replies) => replies.length >= KILLED_AFTER_REPLIES);
  first.kill();
  expect((await first.ended).signal).toBe("SIGKILL");
  const before = await first.replies(() => true);

  const second = startWireProcess(options);
  await second.ready;
  // A channel whose words were not confirmed hands them over again.
  for (const { id, text } of asked) second.say(id, text);
  const replies = await second.replies((all) =>
    asked.every(({ id }) => all.some((reply) => reply.id === id)),
  );
  expect(await second.stop()).toMatchObject({ code: 0, stderr: "" });

  expect(new Set(replies.map(({ id }) => id))).toEqual(new Set(asked.map(({ id }) => id)));
  for (const { id, text, failure } of replies) {
    const n = Number(id.slice(-12));
    expect({ id, failure }).toEqual({ id, failure: undefined });
    expect(text).toContain(`http://127.0.0.1:${server.port}/${n} `);
    expect(text).toContain(String(statusOf(n)));
  }
  const repeated = replies.filter(({ isRepeat }) => isRepeat);
  const firstTold = replies.filter(({ isRepeat }) => !isRepeat);
  expect(new Set(firstTold.map(({ id }) => id)).size).toBe(firstTold.length);
  const counts = {
    askers: ASKERS,
    repliesBeforeTheKill: before.length,
    replies: firstTold.length,
    shownAgainAfterTheKill: repeated.length,
    pagesServed: server.facts().answered,
    mostAtOnce: server.facts().most,
  };
  process.stdout.write(`${JSON.stringify(counts)}\n`);
});
