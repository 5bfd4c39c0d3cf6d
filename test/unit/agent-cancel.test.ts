import { expect, test } from "vitest";
import {
  copyAsCrashed,
  createChainFolder,
  startChain,
  type TestAgent,
  type TestChain,
} from "../support/agents.ts";
import { settled } from "../support/event-loop.ts";
import { createForge, parseCarried } from "../support/forge.ts";
import { createManualClock } from "../support/manual-clock.ts";

const W1 = "00000000-0000-5000-8000-000000000001";

/** A tree whose root is the test: it puts requests and cancels on the lane to `ops` itself. */
function driver(chain: TestChain, clock: { now(): number }) {
  const forge = createForge(chain, clock.now);
  return {
    async ask(id: string, command: string, timeoutMs = 30_000): Promise<void> {
      const details = { command, params: {} };
      const text = forge.text("root", "ops", { id, details, requires: { timeout_ms: timeoutMs } });
      await chain.lanes.inject("root", "ops", text);
      await settled();
    },
    /** Cancels a request; gives the cancel's own id. */
    async cancel(request: string, corr = request): Promise<string> {
      const id = forge.idAt(0);
      await chain.lanes.inject(
        "root",
        "ops",
        forge.text("root", "ops", { id, type: "cancel", reply_to: request, corr }),
      );
      await settled();
      return id;
    },
    idAt: forge.idAt,
    /** What ops answered to a request: words or codes. A copy that was sent again counts once. */
    answersTo(request: string): readonly unknown[] {
      const answers = parseCarried(chain.lanes.carried, "ops", "root").filter(
        ({ reply_to }) => reply_to === request,
      );
      return [
        ...new Map(
          answers.map((answer) => [answer.id, answer.payload["code"] ?? answer.payload["summary"]]),
        ).values(),
      ];
    },
  };
}

interface Work {
  readonly agents: readonly TestAgent[];
  readonly begun: string[];
  readonly aborted: string[];
  readonly release: () => void;
}

/** ops hangs in "hang" until it is released, and asks web to hang in "deep". */
function work(concurrency = 8): Work {
  const begun: string[] = [];
  const aborted: string[] = [];
  const gate = Promise.withResolvers<void>();
  const hang =
    (name: string) =>
    async ({ signal }: { readonly signal: AbortSignal }) => {
      begun.push(name);
      signal.addEventListener("abort", () => aborted.push(name));
      await gate.promise;
      return { text: `${name} done` };
    };
  return {
    begun,
    aborted,
    release: () => gate.resolve(),
    agents: [
      { name: "root" },
      {
        name: "ops",
        concurrency,
        commands: {
          hang: hang("hang"),
          quick: () => {
            begun.push("quick");
            return { text: "quick done" };
          },
          deep: async ({ delegate }) => {
            begun.push("deep");
            const answer = await delegate("far", {});
            return { text: "failure" in answer ? answer.failure : answer.text };
          },
        },
      },
      { name: "web", commands: { far: hang("far") } },
    ],
  };
}

test("a cancel that comes before its request: the request does not run, and is answered once", async () => {
  const clock = createManualClock();
  const { agents, begun } = work();
  await using chain = await startChain(agents, { clock });
  const { ask, cancel, idAt, answersTo } = driver(chain, clock);
  const id = idAt(0);
  await cancel(id);
  await ask(id, "quick");
  await ask(id, "quick");
  expect(begun).toEqual([]);
  expect(answersTo(id)).toEqual(["E_CANCELLED"]);
});

test("a request that waits its turn is answered at once when it is cancelled, and never runs", async () => {
  const clock = createManualClock();
  const { agents, begun, release } = work(1);
  await using chain = await startChain(agents, { clock });
  const { ask, cancel, idAt, answersTo } = driver(chain, clock);
  const [first, second, third] = [idAt(0), idAt(0), idAt(0)];
  await ask(first, "hang");
  await ask(second, "quick");
  await ask(third, "quick");
  await cancel(second);
  expect(answersTo(second)).toEqual(["E_CANCELLED"]);
  release();
  await settled();
  expect(begun).toEqual(["hang", "quick"]);
  expect([first, second, third].map((id) => answersTo(id))).toEqual([
    ["hang done"],
    ["E_CANCELLED"],
    ["quick done"],
  ]);
});

test("a request in work is told to stop; what its handler gives afterwards is not told to anybody", async () => {
  const clock = createManualClock();
  const { agents, aborted, release } = work();
  await using chain = await startChain(agents, { clock });
  const { ask, cancel, idAt, answersTo } = driver(chain, clock);
  const id = idAt(0);
  await ask(id, "hang");
  await cancel(id);
  expect(aborted).toEqual(["hang"]);
  release();
  await settled();
  expect(answersTo(id)).toEqual(["E_CANCELLED"]);
});

test("a request that was cancelled while its handler was about to begin does not begin", async () => {
  const clock = createManualClock();
  const { agents, begun } = work();
  await using chain = await startChain(agents, { clock });
  const { idAt, answersTo } = driver(chain, clock);
  const forge = createForge(chain, clock.now);
  const id = idAt(0);
  // Both come within one turn: the request is not durable yet, so its handler has not begun.
  const details = { command: "quick", params: {} };
  await Promise.all([
    chain.lanes.inject("root", "ops", forge.text("root", "ops", { id, details })),
    chain.lanes.inject("root", "ops", forge.text("root", "ops", { type: "cancel", reply_to: id, corr: id })),
  ]);
  await settled();
  expect(begun).toEqual([]);
  expect(answersTo(id)).toEqual(["E_CANCELLED"]);
});

test("a cancel after the end, twice, and the cancel of a cancel change nothing", async () => {
  const clock = createManualClock();
  const { agents, begun, aborted, release } = work();
  await using chain = await startChain(agents, { clock });
  const { ask, cancel, idAt, answersTo } = driver(chain, clock);
  const [done, other, late] = [idAt(0), idAt(0), idAt(0)];
  await ask(done, "quick");
  await cancel(done);
  await cancel(done);
  expect(answersTo(done)).toEqual(["quick done"]);

  await ask(other, "hang");
  const cancelled = await cancel(other);
  await cancel(cancelled, other);
  release();
  await settled();
  expect(answersTo(other)).toEqual(["E_CANCELLED"]);
  expect(aborted).toEqual(["hang"]);

  await ask(late, "quick");
  expect(answersTo(late)).toEqual(["quick done"]);
  expect(begun).toEqual(["quick", "hang", "quick"]);
});

test("a cancel goes down to the grandchild, and a late answer of its is not applied", async () => {
  const clock = createManualClock();
  const { agents, aborted, release } = work();
  await using chain = await startChain(agents, { clock });
  const { ask, cancel, idAt, answersTo } = driver(chain, clock);
  const id = idAt(0);
  await ask(id, "deep");
  await cancel(id);
  expect(aborted).toEqual(["far"]);
  release();
  clock.advance(20_000);
  await settled();
  expect(answersTo(id)).toEqual(["E_CANCELLED"]);
  using ops = chain.read("ops");
  expect(
    ops
      .trace(id)
      .map(({ direction, peer, message }) => `${direction} ${peer} ${message.type}`)
      .sort(),
  ).toEqual([
    "in root command_request",
    "in web command_error",
    "out root command_error",
    "out web cancel",
    "out web command_request",
  ]);
});

test("a request found in work after a crash can be cancelled while it waits to run alone", async () => {
  const clock = createManualClock();
  const first = work(1);
  await using before = await startChain(first.agents, { clock });
  const one = driver(before, clock);
  const [hung, deep] = [one.idAt(0), one.idAt(0)];
  await one.ask(deep, "deep");
  await one.ask(hung, "hang");
  using crashed = copyAsCrashed(before);

  const second = work(1);
  await using after = await startChain(second.agents, { clock, dir: crashed.dir });
  const { cancel, answersTo } = driver(after, clock);
  await settled();
  // One at a time in the whole process: what deep had asked of web has it to itself.
  expect(second.begun).toEqual(["far"]);
  await cancel(deep);
  expect(answersTo(deep)).toEqual(["E_CANCELLED"]);
  expect(second.aborted).toEqual(["far"]);
  expect(second.begun).toEqual(["far", "hang"]);
  await cancel(hung);
  expect(answersTo(hung)).toEqual(["E_CANCELLED"]);
  expect(second.aborted).toEqual(["far", "hang"]);
});

test("a suspect that still waits its turn never runs once it is cancelled", async () => {
  const clock = createManualClock();
  const first = work(2);
  await using before = await startChain(first.agents, { clock });
  const one = driver(before, clock);
  const ids = [one.idAt(0), one.idAt(0)];
  for (const id of ids) await one.ask(id, "hang");
  using crashed = copyAsCrashed(before);

  const second = work(2);
  await using after = await startChain(second.agents, { clock, dir: crashed.dir });
  const { cancel, answersTo } = driver(after, clock);
  await settled();
  expect(second.begun).toEqual(["hang"]);
  await cancel(ids[1] ?? "");
  expect(answersTo(ids[1] ?? "")).toEqual(["E_CANCELLED"]);
  second.release();
  await settled();
  expect(second.begun).toEqual(["hang"]);
  expect(answersTo(ids[0] ?? "")).toEqual(["hang done"]);
});

test("a request that a planned stop gave back is cancelled with the questions that it had put", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const first = work(1);
  let deep = "";
  {
    await using before = await startChain(first.agents, { clock, dir: folder.dir });
    const one = driver(before, clock);
    deep = one.idAt(0);
    await one.ask(deep, "deep");
  }
  const second = work(1);
  await using after = await startChain(second.agents, { clock, dir: folder.dir });
  after.agents.get("ops")?.pause();
  const { cancel, answersTo } = driver(after, clock);
  await cancel(deep);
  await settled();
  expect(answersTo(deep)).toEqual(["E_CANCELLED"]);
  expect(second.aborted).toEqual(["far"]);
});

test("whoever asked can take back what still waits its turn at the root", async () => {
  const clock = createManualClock();
  const { agents, begun } = work();
  await using chain = await startChain(agents, { clock });
  const root = chain.agents.get("root");
  root?.pause();
  await chain.say("quick", W1);
  expect(root?.cancelOthers({ id: "another", askedBy: "human.test-bob" })).toBe(0);
  expect(root?.cancelOthers({ id: "another", askedBy: "human.test-ann" })).toBe(1);
  await settled();
  expect(chain.replies).toMatchObject([{ requestId: W1, failure: "E_CANCELLED" }]);
  root?.resume();
  await settled();
  expect(begun).toEqual([]);
  expect(chain.replies).toHaveLength(1);
});
