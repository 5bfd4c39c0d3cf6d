import { expect, test } from "vitest";
import { copyAsCrashed, startChain, type TestAgent } from "../support/agents.ts";
import { settled } from "../support/event-loop.ts";
import { createForge, parseCarried } from "../support/forge.ts";
import { readRows } from "../support/ledger-rows.ts";
import { createManualClock } from "../support/manual-clock.ts";

type Clock = ReturnType<typeof createManualClock>;

/** ops, whose "work" is in work until it is let go by its name. */
function worker(concurrency: number) {
  const running: string[] = [];
  const gates = new Map<string, () => void>();
  const agents: readonly TestAgent[] = [
    { name: "root" },
    {
      name: "ops",
      concurrency,
      commands: {
        work: async (_, { name }) => {
          running.push(String(name));
          await new Promise<void>((resolve) => gates.set(String(name), resolve));
          running.splice(running.indexOf(String(name)), 1);
          return { text: `${String(name)} done` };
        },
      },
    },
  ];
  return {
    agents,
    running,
    async letGo(name: string): Promise<void> {
      gates.get(name)?.();
      await settled();
    },
  };
}

async function start(agents: readonly TestAgent[], clock: Clock, dir?: string) {
  const chain = await startChain(agents, { clock, ...(dir === undefined ? {} : { dir }) });
  const forge = createForge(chain, clock.now);
  return {
    chain,
    async ask(name: string, priority: "low" | "normal" | "high" | "urgent" = "normal"): Promise<void> {
      const details = { command: "work", params: { name } };
      await chain.lanes.inject(
        "root",
        "ops",
        forge.text("root", "ops", { details, priority, requires: { timeout_ms: 60_000 } }),
      );
      await settled();
    },
    answers: (): readonly unknown[] =>
      parseCarried(chain.lanes.carried, "ops", "root").flatMap(({ message_type: type, payload }) =>
        /result|error/.test(type) ? [payload["code"] ?? payload["summary"]] : [],
      ),
  };
}

test("what waits begins by urgency, and in the order of its arrival where that is the same", async () => {
  const clock = createManualClock();
  const ops = worker(1);
  const { chain, ask, answers } = await start(ops.agents, clock);
  await using _ = chain;
  await ask("first");
  await ask("low", "low");
  await ask("normal 1");
  await ask("normal 2");
  await ask("high", "high");
  await ask("urgent 1", "urgent");
  await ask("urgent 2", "urgent");
  for (let i = 0; i < 7; i++) await ops.letGo(ops.running[0] ?? "");
  expect(answers()).toEqual(
    ["first", "urgent 1", "urgent 2", "high", "normal 1", "normal 2", "low"].map((name) => `${name} done`),
  );
});

test("the order survives a restart", async () => {
  const clock = createManualClock();
  const before = worker(1);
  const first = await start(before.agents, clock);
  await using _ = first.chain;
  await first.ask("running");
  await first.ask("normal");
  await first.ask("urgent", "urgent");
  using crashed = copyAsCrashed(first.chain);

  const after = worker(1);
  const second = await start(after.agents, clock, crashed.dir);
  await using __ = second.chain;
  await settled();
  for (let i = 0; i < 3; i++) await after.letGo(after.running[0] ?? "");
  expect(second.answers()).toEqual(["running done", "urgent done", "normal done"]);
});

test("what was in work at a crash runs alone, one at a time, before anything new", async () => {
  const clock = createManualClock();
  const before = worker(3);
  const first = await start(before.agents, clock);
  await using _ = first.chain;
  for (const name of ["a", "b", "c", "waits"]) await first.ask(name);
  expect(before.running).toEqual(["a", "b", "c"]);
  using crashed = copyAsCrashed(first.chain);

  const after = worker(3);
  const second = await start(after.agents, clock, crashed.dir);
  await using __ = second.chain;
  await settled();
  await second.ask("new");
  for (const name of ["a", "b", "c"]) {
    expect(after.running).toEqual([name]);
    await after.letGo(name);
  }
  expect(after.running).toEqual(["waits", "new"]);
});

test("a crash among others blames nobody, a crash while alone blames one, and the second one puts it aside", async () => {
  const clock = createManualClock();
  let dir: string | undefined;
  const folders: Disposable[] = [];
  const crash = async (names: readonly string[]): Promise<readonly string[]> => {
    const ops = worker(3);
    const { chain, ask } = await start(ops.agents, clock, dir);
    await using _ = chain;
    for (const name of names) await ask(name);
    await settled();
    const running = [...ops.running];
    const crashed = copyAsCrashed(chain);
    folders.push(crashed);
    dir = crashed.dir;
    return running;
  };
  const blame = (): readonly unknown[] =>
    readRows(dir ?? "", "ops", "SELECT solo, solo_crashes AS crashes FROM task ORDER BY n").map(
      ({ solo, crashes }) => Number(solo) + Number(crashes),
    );

  expect(await crash(["a", "poison", "b"])).toEqual(["a", "poison", "b"]);
  expect(blame()).toEqual([0, 0, 0]);
  {
    // a ends well while it is alone, so that the next one is.
    const ops = worker(3);
    const { chain, answers } = await start(ops.agents, clock, dir);
    await using _ = chain;
    await settled();
    await ops.letGo("a");
    expect(answers()).toEqual(["a done"]);
    expect(ops.running).toEqual(["poison"]);
    const crashed = copyAsCrashed(chain);
    folders.push(crashed);
    dir = crashed.dir;
  }
  expect(blame()).toEqual([1, 0]);
  expect(await crash([])).toEqual(["poison"]);
  expect(blame()).toEqual([2, 0]);

  const ops = worker(3);
  const last = await start(ops.agents, clock, dir);
  await using _ = last.chain;
  await settled();
  expect(ops.running).toEqual(["b"]);
  await ops.letGo("b");
  // Nobody has acknowledged a's answer yet, so it goes out again.
  expect(new Set(last.answers())).toEqual(new Set(["E_DEAD_LETTER", "a done", "b done"]));
  using ledger = last.chain.read("ops");
  expect(ledger.dead().map(({ message }) => message.details["params"])).toEqual([{ name: "poison" }]);
  for (const folder of folders) folder[Symbol.dispose]();
});

test("words that crashed the root twice are answered once, with what became of them", async () => {
  const clock = createManualClock();
  const agents: readonly TestAgent[] = [{ name: "root", commands: { hang: () => new Promise(() => {}) } }];
  await using first = await startChain(agents, { clock });
  await first.say("hang", "00000000-0000-5000-8000-000000000001");
  await settled();
  using one = copyAsCrashed(first);
  await using second = await startChain(agents, { clock, dir: one.dir });
  await settled();
  using two = copyAsCrashed(second);
  await using third = await startChain(agents, { clock, dir: two.dir });
  await settled();
  using three = copyAsCrashed(third);
  await using last = await startChain(agents, { clock, dir: three.dir });
  await settled();
  expect(last.replies.map(({ reply, failure, isRepeat }) => [failure ?? reply.text, isRepeat])).toEqual([
    ["E_DEAD_LETTER: This request crashed the agent that worked on it twice, and has been put aside.", false],
  ]);
});

test("a handler that waits for several answers holds its slot only while it has one to work on", async () => {
  const clock = createManualClock();
  const release = Promise.withResolvers<void>();
  await using chain = await startChain(
    [
      { name: "root" },
      {
        name: "ops",
        concurrency: 1,
        commands: {
          both: async ({ delegate }) => {
            const [one, two] = await Promise.all([delegate("own", { n: 1 }), delegate("own", { n: 2 })]);
            return { text: `${one.text} ${two.text}` };
          },
          mixed: async ({ delegate }) => {
            const answers = await Promise.all([delegate("quick", {}), delegate("slow", {})]);
            return { text: answers.map(({ text }) => text).join(" ") };
          },
          own: (_, { n }) => ({ text: String(n) }),
        },
      },
      {
        name: "web",
        commands: {
          quick: () => ({ text: "quick" }),
          slow: async () => {
            await release.promise;
            return { text: "slow" };
          },
        },
      },
    ],
    { clock },
  );
  expect((await chain.ask("both")).reply.text).toBe("1 2");
  const mixed = chain.ask("mixed");
  await settled();
  expect((await chain.ask('own {"n":7}')).reply.text).toBe("7");
  release.resolve();
  expect((await mixed).reply.text).toBe("quick slow");
});
