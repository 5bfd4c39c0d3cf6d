import { expect, test } from "vitest";
import { startChain } from "../support/agents.ts";
import { settled } from "../support/event-loop.ts";
import { createManualClock } from "../support/manual-clock.ts";

const W1 = "00000000-0000-5000-8000-000000000001";
const W2 = "00000000-0000-5000-8000-000000000002";

test("a request travels down to the specialist, and its answer comes back up as the reply", async () => {
  await using chain = await startChain([
    { name: "root" },
    { name: "ops" },
    { name: "web", commands: { echo: (_, { word }) => ({ text: `heard ${String(word)}`, verdict: "ok" }) } },
  ]);
  const reply = await chain.ask('echo {"word":"hello"}', W1);
  expect(reply).toEqual({
    requestId: W1,
    chat: "chat",
    question: 'echo {"word":"hello"}',
    isRepeat: false,
    reply: { text: "heard hello", verdict: "ok" },
  });
  expect(
    chain.lanes.carried.filter(({ text }) => text.includes("hello")).map(({ from, to }) => `${from}.${to}`),
  ).toEqual(["root.ops", "ops.web", "web.ops", "ops.root"]);
});

test("commands grow upward: a master offers as its own what its children announce", async () => {
  await using chain = await startChain([
    { name: "root" },
    { name: "ops", commands: { overview: () => ({ text: "fine" }) } },
    { name: "web", commands: { http: () => ({ text: "200" }) } },
  ]);
  expect(
    chain.agents
      .get("root")
      ?.commands()
      .map(({ name }) => name),
  ).toEqual(["overview", "http"]);
  expect(chain.agents.get("root")?.children()).toEqual([
    { name: "ops", state: "online", commands: ["overview", "http"] },
  ]);
});

test("the same words handed over twice are answered once", async () => {
  let runs = 0;
  await using chain = await startChain([
    { name: "root" },
    { name: "ops", commands: { count: () => ({ text: `${++runs}` }) } },
  ]);
  await Promise.all([chain.say("count", W1), chain.say("count", W1)]);
  await chain.replyTo(W1);
  await chain.say("count", W1);
  await settled();
  expect(runs).toBe(1);
  expect(chain.replies.map(({ requestId }) => requestId)).toEqual([W1]);
});

test.each([
  ["request", "root.ops"],
  ["result", "ops.root"],
])("a lost %s is sent again, and its work is done once", async (_, lost) => {
  const clock = createManualClock();
  let runs = 0;
  await using chain = await startChain(
    [{ name: "root" }, { name: "ops", commands: { count: () => ({ text: `${++runs}` }) } }],
    { clock },
  );
  chain.lanes.isLost = ({ from, to }) => `${from}.${to}` === lost;
  await chain.say("count", W1);
  await settled();
  expect(chain.replies).toEqual([]);
  chain.lanes.isLost = () => false;
  clock.advance(2500);
  expect((await chain.replyTo(W1)).reply.text).toBe("1");
  clock.advance(30_000);
  await settled();
  expect(runs).toBe(1);
  expect(chain.replies).toHaveLength(1);
});

test("a lost acknowledgement costs one duplicate and nothing else", async () => {
  const clock = createManualClock();
  let runs = 0;
  await using chain = await startChain(
    [{ name: "root" }, { name: "ops", commands: { count: () => ({ text: `${++runs}` }) } }],
    { clock },
  );
  chain.lanes.isLost = ({ text }) => text.includes("message_acknowledged");
  await chain.ask("count", W1);
  clock.advance(2500);
  await settled();
  chain.lanes.isLost = () => false;
  clock.advance(5000);
  await settled();
  clock.advance(1000);
  await settled();
  const before = chain.lanes.carried.length;
  clock.advance(60_000);
  await settled();
  expect(chain.lanes.carried.length).toBe(before);
  expect(runs).toBe(1);
  expect(chain.replies).toHaveLength(1);
});

test("a child that never answers is a timeout at the deadline, its work is cancelled, and its late answer is not applied", async () => {
  const clock = createManualClock();
  const late = Promise.withResolvers<unknown>();
  let isAborted = false;
  await using chain = await startChain(
    [
      { name: "root" },
      {
        name: "ops",
        timeoutMs: 10_000,
        commands: {
          hang: ({ signal }) => {
            signal.addEventListener("abort", () => (isAborted = true));
            return late.promise;
          },
        },
      },
    ],
    { clock },
  );
  chain.lanes.isLost = ({ from }) => from === "ops";
  await chain.say("hang", W1);
  await settled();
  clock.advance(9_900);
  await settled();
  expect(chain.replies).toEqual([]);
  clock.advance(6_000);
  expect((await chain.replyTo(W1)).reply.text).toBe("E_TIMEOUT: No answer came in time.");
  expect(isAborted).toBe(true);
  chain.lanes.isLost = () => false;
  late.resolve({ text: "too late" });
  clock.advance(20_000);
  await settled();
  expect(chain.replies).toHaveLength(1);
});

test("a wall clock that is set neither lengthens nor shortens a deadline", async () => {
  const clock = createManualClock();
  await using chain = await startChain(
    [{ name: "root" }, { name: "ops", timeoutMs: 10_000, commands: { hang: () => new Promise(() => {}) } }],
    { clock },
  );
  await chain.say("hang", W1);
  await settled();
  clock.setWallClock(clock.now() + 5 * 60_000);
  clock.advance(9_000);
  await settled();
  expect(chain.replies).toEqual([]);
  clock.setWallClock(clock.now() - 10 * 60_000);
  clock.advance(1_100);
  expect((await chain.replyTo(W1)).reply.text).toMatch(/^E_TIMEOUT: /);
});

test("who asked can cancel: the handlers below are told, and the one reply says so", async () => {
  const begun = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  await using chain = await startChain([
    { name: "root" },
    { name: "ops" },
    {
      name: "web",
      commands: {
        hang: ({ signal }) => {
          signal.addEventListener("abort", () => aborted.resolve());
          begun.resolve();
          return new Promise(() => {});
        },
      },
    },
  ]);
  await chain.say("hang", W1);
  await begun.promise;
  expect(chain.agents.get("root")?.cancelOthers({ id: W2, askedBy: "human.test-ann" })).toBe(1);
  await aborted.promise;
  const reply = await chain.replyTo(W1);
  expect(reply.failure).toBe("E_CANCELLED");
  await settled();
  expect(chain.replies).toHaveLength(1);
});

test("a handler that waits for its child frees its slot, so that a coordinator of one slot does not lock up", async () => {
  const release = Promise.withResolvers<void>();
  await using chain = await startChain([
    { name: "root" },
    { name: "ops", concurrency: 1 },
    {
      name: "web",
      commands: {
        slow: async () => {
          await release.promise;
          return { text: "slow" };
        },
        quick: () => ({ text: "quick" }),
      },
    },
  ]);
  const slow = chain.ask("slow", W1);
  expect((await chain.ask("quick", W2)).reply.text).toBe("quick");
  release.resolve();
  expect((await slow).reply.text).toBe("slow");
});

test("at most as many handlers run as the agent has slots", async () => {
  let running = 0;
  let most = 0;
  await using chain = await startChain([
    { name: "root" },
    {
      name: "ops",
      concurrency: 2,
      commands: {
        work: async () => {
          most = Math.max(most, ++running);
          await settled();
          running -= 1;
          return { text: "done" };
        },
      },
    },
  ]);
  await Promise.all(Array.from({ length: 7 }, () => chain.ask("work")));
  expect(most).toBe(2);
});

test("progress climbs the tree to who asked, and leaves no trace in a ledger", async () => {
  await using chain = await startChain([
    { name: "root" },
    { name: "ops" },
    {
      name: "web",
      commands: {
        work: async ({ progress }) => {
          progress("half way", 0.5);
          await settled();
          return { text: "done" };
        },
      },
    },
  ]);
  await chain.ask("work", W1);
  expect(chain.progress).toEqual(["half way"]);
  using root = chain.read("root");
  using ops = chain.read("ops");
  const [conversation] = root.conversations(1);
  const kinds = ops.trace(conversation?.corr ?? "").map(({ message }) => message.type);
  expect(kinds).toEqual(["command_request", "command_request", "command_result", "command_result"]);
});

test("an agent that is paused takes requests in and answers them when it goes on", async () => {
  await using chain = await startChain([
    { name: "root" },
    { name: "ops", commands: { echo: () => ({ text: "here" }) } },
  ]);
  const ops = chain.agents.get("ops");
  ops?.pause();
  const reply = chain.ask("echo", W1);
  await settled();
  expect(chain.replies).toEqual([]);
  ops?.resume();
  expect((await reply).reply.text).toBe("here");
});

test.each([
  ["a number that is none", { at: Number.NaN }],
  ["a date", { at: new Date(0) }],
  ["a function", { at: () => 1 }],
  ["a circle", circle()],
])("an answer whose data hold %s is refused by name, and its asker is told", async (_, data) => {
  await using chain = await startChain([
    { name: "root" },
    { name: "ops", commands: { odd: () => ({ text: "odd", data }) } },
  ]);
  expect((await chain.ask("odd")).reply.text).toMatch(
    /^E_BAD_REPLY: The answer holds something that is not JSON: /,
  );
});

function circle(): Record<string, unknown> {
  const one: Record<string, unknown> = {};
  one["itself"] = one;
  return one;
}

test("a wall clock that is set back by five minutes does not put off what is to be sent again", async () => {
  const clock = createManualClock();
  await using chain = await startChain(
    [{ name: "root" }, { name: "ops", commands: { echo: () => ({ text: "here" }) } }],
    { clock },
  );
  chain.lanes.isLost = ({ to }) => to === "ops";
  await chain.say("echo", W1);
  await settled();
  chain.lanes.isLost = () => false;
  clock.setWallClock(clock.now() - 300_000);
  clock.advance(2500);
  expect((await chain.replyTo(W1)).reply.text).toBe("here");
});

test("two thousand questions at once are answered, each by its own answer", async () => {
  await using chain = await startChain([
    { name: "root" },
    {
      name: "ops",
      commands: {
        storm: async ({ delegate }) => {
          const all = await Promise.all(Array.from({ length: 2000 }, (_, n) => delegate("echo", { n })));
          return { text: String(all.filter(({ text }, n) => text === `n${n}`).length) };
        },
      },
    },
    { name: "web", commands: { echo: (_, { n }) => ({ text: `n${String(n)}` }) } },
  ]);
  expect((await chain.ask("storm")).reply.text).toBe("2000");
});
