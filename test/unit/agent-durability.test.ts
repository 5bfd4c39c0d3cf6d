import { expect, test } from "vitest";
import { createChainFolder, startChain, type TestAgent } from "../support/agents.ts";
import { settled } from "../support/event-loop.ts";
import { createManualClock } from "../support/manual-clock.ts";

const W1 = "00000000-0000-5000-8000-000000000001";

test("a step that is finished does not run again after a restart, and one that was interrupted runs with the same key", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const ran: string[] = [];
  const hang = Promise.withResolvers<void>();
  let isSecondStart = false;
  const chain: TestAgent[] = [
    { name: "root" },
    {
      name: "ops",
      commands: {
        work: async ({ step }) => {
          const first = await step("first", ({ key }) => {
            ran.push(key);
            return { at: "once" };
          });
          const second = await step("second", async ({ key }) => {
            ran.push(key);
            if (!isSecondStart) await hang.promise;
            return 2;
          });
          return { text: `${first.at} ${second}` };
        },
      },
    },
  ];
  {
    await using before = await startChain(chain, { dir: folder.dir, clock });
    await before.say("work", W1);
    await settled();
    expect(ran).toHaveLength(2);
  }
  isSecondStart = true;
  await using after = await startChain(chain, { dir: folder.dir, clock });
  expect((await after.replyTo(W1)).reply.text).toBe("once 2");
  expect(ran).toHaveLength(3);
  const [first, second, again] = ran.map((key) => key.split("/").slice(1).join("/"));
  expect([first, second, again]).toEqual(["first/0", "second/0", "second/0"]);
  expect(ran[2]).toBe(ran[1]);
});

test("a question that a child has answered is not asked again after a restart, and an open one is joined", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  let asked = 0;
  const release = Promise.withResolvers<void>();
  const chain: TestAgent[] = [
    { name: "root" },
    {
      name: "ops",
      commands: {
        both: async ({ delegate }) => {
          const one = await delegate("one", {});
          const two = await delegate("two", {});
          return { text: `${one.text} ${two.text}` };
        },
      },
    },
    {
      name: "web",
      commands: {
        one: () => ({ text: `one-${++asked}` }),
        two: async () => {
          asked += 1;
          await release.promise;
          return { text: "two" };
        },
      },
    },
  ];
  {
    await using before = await startChain(chain, { dir: folder.dir, clock });
    await before.say("both", W1);
    await settled();
    expect(asked).toBe(2);
  }
  release.resolve();
  await using after = await startChain(chain, { dir: folder.dir, clock });
  expect((await after.replyTo(W1)).reply.text).toBe("one-1 two");
  // The child was stopped inside "two", so it runs that one again; "one" stays answered.
  expect(asked).toBe(3);
});

test("when the code of a half finished request has changed so that its journal no longer fits, it ends and says so", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const started = (step: string, hash: string): TestAgent[] => [
    { name: "root" },
    {
      name: "ops",
      hash,
      commands: {
        work: async (context) => {
          await context.step(step, () => 1);
          return hash === "v1" ? new Promise(() => {}) : { text: "done" };
        },
      },
    },
  ];
  {
    await using before = await startChain(started("old name", "v1"), { dir: folder.dir, clock });
    await before.say("work", W1);
    await settled();
  }
  await using after = await startChain(started("new name", "v2"), { dir: folder.dir, clock });
  expect((await after.replyTo(W1)).reply.text).toBe(
    "E_JOURNAL_MISMATCH: The code changed while this was half done. Please ask again.",
  );
});

test("a change of the code that asks for the same steps goes on where it was", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const started = (hash: string): TestAgent[] => [
    { name: "root" },
    {
      name: "ops",
      hash,
      commands: {
        work: async (context) => {
          const value = await context.step("same", () => hash);
          return hash === "v1" ? new Promise(() => {}) : { text: value };
        },
      },
    },
  ];
  {
    await using before = await startChain(started("v1"), { dir: folder.dir, clock });
    await before.say("work", W1);
    await settled();
  }
  await using after = await startChain(started("v2"), { dir: folder.dir, clock });
  expect((await after.replyTo(W1)).reply.text).toBe("v1");
});

test("what a handler sets in its store is kept with its outcome, and not at all when it fails", async () => {
  await using chain = await startChain([
    { name: "root" },
    {
      name: "ops",
      commands: {
        keep: ({ store }) => {
          store.set("a", 1);
          return { text: `reads ${String(store.get("a"))}` };
        },
        spoil: ({ store }) => {
          store.set("a", 2);
          throw new Error("half way");
        },
        read: ({ store }) => ({ text: String(store.get("a")) }),
      },
    },
  ]);
  expect((await chain.ask("keep")).reply.text).toBe("reads 1");
  expect((await chain.ask("spoil")).reply.text).toMatch(/^E_INTERNAL/);
  expect((await chain.ask("read")).reply.text).toBe("1");
});

test("an answer that nobody was there to see is owed, and shown at the next start", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const chain: TestAgent[] = [
    { name: "root" },
    { name: "ops", commands: { echo: () => ({ text: "here" }) } },
  ];
  {
    await using before = await startChain(chain, { dir: folder.dir, clock, isAnybodyThere: false });
    await before.say("echo", W1);
    await settled();
    expect(before.replies).toEqual([]);
  }
  await using after = await startChain(chain, { dir: folder.dir, clock });
  expect(await after.replyTo(W1)).toMatchObject({ reply: { text: "here" }, isRepeat: false });
});

test("a handler that throws costs its asker an error without its secrets, leaves a dead letter, and harms nobody else", async () => {
  let isMended = false;
  const clock = createManualClock();
  await using chain = await startChain(
    [
      { name: "root" },
      {
        name: "ops",
        commands: {
          bad: () => {
            if (!isMended) throw new Error("password=hunter2");
            return { text: "mended" };
          },
          good: () => ({ text: "good" }),
        },
      },
    ],
    { clock },
  );
  const [bad, good] = await Promise.all([chain.ask("bad", W1), chain.ask("good")]);
  expect(bad.reply.text).toMatch(/^E_INTERNAL: Something went wrong here; it is noted as [0-9a-f-]{36}\.$/);
  expect(good.reply.text).toBe("good");

  using ops = chain.read("ops", { forRepair: true });
  const [dead] = ops.dead();
  expect(dead).toMatchObject({ peer: "root", failure: { failure: "E_INTERNAL" } });
  expect(JSON.stringify(ops.dead())).not.toContain("hunter2");

  // The operator gives it another run while the agent is at work.
  isMended = true;
  expect(ops.retry(dead?.n ?? 0, clock.now() + 10_000)).toBe(true);
  clock.advance(1000);
  await settled();
  expect(ops.dead()).toEqual([]);
  expect(chain.replies).toHaveLength(2);
});

test("finished conversations are forgotten when they are old enough, and unfinished ones never", async () => {
  const clock = createManualClock();
  await using chain = await startChain(
    [
      { name: "root" },
      { name: "ops", commands: { echo: () => ({ text: "x" }), bad: () => Promise.reject(new Error("no")) } },
    ],
    { clock },
  );
  await chain.ask("echo");
  await chain.ask("bad");
  clock.advance(5000);
  await settled();
  using ops = chain.read("ops");
  using root = chain.read("root");
  const [bad, echo] = root.conversations(2).map(({ corr }) => corr);
  expect(ops.trace(echo ?? "")).toHaveLength(2);
  const day = 24 * 3600_000;
  clock.setWallClock(clock.now() + 29 * day);
  clock.advance(61_000);
  await settled();
  expect(ops.trace(echo ?? "")).toHaveLength(2);
  clock.setWallClock(clock.now() + 2 * day);
  clock.advance(61_000);
  await settled();
  expect(ops.trace(echo ?? "")).toEqual([]);
  expect(ops.trace(bad ?? "")).toHaveLength(2);
});

test("an event that a handler emits reaches the agent's own roles once its outcome is there", async () => {
  const heard = Promise.withResolvers<unknown>();
  await using chain = await startChain([
    { name: "root" },
    {
      name: "ops",
      commands: {
        tell: ({ emit }) => {
          emit("told", { what: "news" });
          return { text: "told" };
        },
      },
      events: { told: (_, payload) => heard.resolve(payload) },
    },
  ]);
  await chain.ask("tell");
  expect(await heard.promise).toEqual({ what: "news" });
});

test("a handle that is kept beyond its call says that its agent is gone", async () => {
  let kept: { get(key: string): unknown } | undefined;
  await using chain = await startChain([
    { name: "root" },
    {
      name: "ops",
      commands: {
        keep: ({ store }) => {
          kept = store;
          return { text: "kept" };
        },
      },
    },
  ]);
  await chain.ask("keep");
  expect(() => kept?.get("a")).toThrow(
    expect.objectContaining({ name: "AgentGoneError", code: "E_AGENT_GONE" }),
  );
});

test("an envelope that nobody acknowledges for three days is put aside, can be seen, and can be sent again", async () => {
  const clock = createManualClock();
  let asked = 0;
  await using chain = await startChain(
    [{ name: "root" }, { name: "ops", commands: { count: () => ({ text: `${++asked}` }) } }],
    { clock },
  );
  chain.lanes.isLost = ({ from, text }) => from === "ops" && text.includes('"command_result"');
  await chain.say("count", W1);
  await settled();
  // Each quarter of a minute a try: three days of them, without firing every other timer in between.
  using ops = chain.read("ops", { forRepair: true });
  expect(ops.dead()).toEqual([]);
  for (let tries = 0; tries < 17_290 && ops.dead().length === 0; tries += 1) {
    clock.setWallClock(clock.now() + 20_000);
    clock.advance(500);
    if (tries % 500 === 0) await settled();
  }
  await settled();
  const [dead] = ops.dead();
  expect(dead).toMatchObject({
    peer: "root",
    failure: { failure: "E_OFFLINE", text: "root did not acknowledge this for three days." },
  });
  chain.lanes.isLost = () => false;
  const before = chain.lanes.carried.length;
  expect(ops.retry(dead?.n ?? 0, 0)).toBe(true);
  clock.advance(1500);
  await settled();
  expect(chain.lanes.carried.slice(before).some(({ text }) => text.includes('"command_result"'))).toBe(true);
  clock.advance(1000);
  await settled();
  expect(ops.dead()).toEqual([]);
  expect(asked).toBe(1);
});
