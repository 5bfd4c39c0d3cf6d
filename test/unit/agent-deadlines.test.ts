import { describe, expect, test } from "vitest";
import type { AgentRole } from "../../src/agent/index.ts";
import { copyAsCrashed, startChain, type TestAgent } from "../support/agents.ts";
import { settled } from "../support/event-loop.ts";
import { createForge, parseCarried } from "../support/forge.ts";
import { readRows } from "../support/ledger-rows.ts";
import { createManualClock } from "../support/manual-clock.ts";

const FIVE_MINUTES = 5 * 60_000;

const relay: readonly TestAgent[] = [
  { name: "root" },
  { name: "ops" },
  { name: "web", commands: { far: () => new Promise(() => {}) } },
];

test.each([
  // What is kept back is 10 % of what is left, and 200 ms at least.
  [60_000, 54_000],
  [10_000, 9_000],
  [1_999, 1_799],
  [500, 300],
  [201, 1],
])("of %i ms that are left a hop hands on %i", async (granted, handedOn) => {
  const clock = createManualClock();
  await using chain = await startChain(relay, { clock });
  const forge = createForge(chain, clock.now);
  const details = { command: "far", params: {} };
  await chain.lanes.inject(
    "root",
    "ops",
    forge.text("root", "ops", { details, requires: { timeout_ms: granted } }),
  );
  await settled();
  const asked = parseCarried(chain.lanes.carried, "ops", "web").at(-1);
  expect(asked?.requires).toEqual({ timeout_ms: handedOn });
});

test("a request shrinks at each hop, and a hop without time left to hand on says so", async () => {
  const clock = createManualClock();
  await using chain = await startChain(relay, { clock });
  await chain.say("far", "00000000-0000-5000-8000-000000000001");
  await settled();
  const hops = [
    parseCarried(chain.lanes.carried, "root", "ops"),
    parseCarried(chain.lanes.carried, "ops", "web"),
  ];
  expect(hops.map((carried) => carried.at(-1)?.requires?.timeout_ms)).toEqual([54_000, 48_600]);

  const forge = createForge(chain, clock.now);
  const details = { command: "far", params: {} };
  await chain.lanes.inject(
    "root",
    "ops",
    forge.text("root", "ops", { details, requires: { timeout_ms: 200 } }),
  );
  await settled();
  expect(parseCarried(chain.lanes.carried, "ops", "root").at(-1)?.payload).toMatchObject({
    code: "E_TIMEOUT",
  });
});

test("time in line counts: what waits too long is told so before it gets its turn, and never runs", async () => {
  const clock = createManualClock();
  const { chain, ask, answersTo, ran, release } = await startOneSlot(clock);
  await using _ = chain;
  const first = await ask("hang", 60_000);
  const second = await ask("quick", 5_000);
  const third = await ask("quick", 20_000);
  clock.advance(4_900);
  await settled();
  expect(answersTo(second)).toEqual([]);
  clock.advance(1_200);
  await settled();
  expect(answersTo(second)).toEqual(["E_TIMEOUT"]);
  release();
  await settled();
  expect(ran).toEqual(["hang", "quick"]);
  expect([first, third].map((id) => answersTo(id))).toEqual([["hang done"], ["quick done"]]);
});

test.each([FIVE_MINUTES, -FIVE_MINUTES])(
  "a wall clock that is set by %i ms while a request waits in line neither ends it nor lengthens its time",
  async (shift) => {
    const clock = createManualClock();
    const { chain, ask, answersTo, ran, release } = await startOneSlot(clock);
    await using _ = chain;
    await ask("hang", 60_000);
    const quick = await ask("quick", 20_000);
    const slow = await ask("hang", 20_000);
    clock.setWallClock(clock.now() + shift);
    clock.advance(10_000);
    await settled();
    expect(answersTo(quick)).toEqual([]);
    release();
    await settled();
    expect(answersTo(quick)).toEqual(["quick done"]);
    expect(ran).toEqual(["hang", "quick", "hang"]);
    // The last one hangs with the 10 s that it has left.
    clock.advance(9_900);
    await settled();
    expect(answersTo(slow)).toEqual([]);
    clock.advance(200);
    await settled();
    expect(answersTo(slow)).toEqual(["E_TIMEOUT"]);
  },
);

test.each([
  ["as it goes", 0, 3_000],
  ["set back 5 minutes meanwhile", -FIVE_MINUTES, 10_000],
  ["set ahead 5 minutes meanwhile", FIVE_MINUTES, 0],
])(
  "after a restart a request has what was left of its time, never more than it was granted: the wall clock %s",
  async (_, shift, leftMs) => {
    const clock = createManualClock();
    const chain: TestAgent[] = [
      { name: "root" },
      { name: "ops", commands: { hang: () => new Promise(() => {}) } },
    ];
    await using before = await startChain(chain, { clock });
    const forge = createForge(before, clock.now);
    const id = forge.idAt(0);
    const details = { command: "hang", params: {} };
    await before.lanes.inject(
      "root",
      "ops",
      forge.text("root", "ops", { id, details, requires: { timeout_ms: 10_000 } }),
    );
    clock.advance(4_000);
    await settled();
    using crashed = copyAsCrashed(before);
    clock.advance(3_000);
    clock.setWallClock(clock.now() + shift);

    await using after = await startChain(chain, { clock, dir: crashed.dir });
    await settled();
    const answers = (): readonly unknown[] =>
      parseCarried(after.lanes.carried, "ops", "root").flatMap(({ reply_to, payload }) =>
        reply_to === id ? [payload["code"]] : [],
      );
    if (leftMs > 0) {
      clock.advance(leftMs - 50);
      await settled();
      expect(answers()).toEqual([]);
      clock.advance(100);
      await settled();
    }
    expect(answers().slice(0, 1)).toEqual(["E_TIMEOUT"]);
  },
);

test.each([FIVE_MINUTES, -FIVE_MINUTES])(
  "a wall clock that is set by %i ms while an agent works takes nothing from what is left after its next start",
  async (shift) => {
    const clock = createManualClock();
    const hang: TestAgent = { name: "ops", commands: { hang: () => new Promise(() => {}) } };
    await using before = await startChain([{ name: "root" }, hang], { clock });
    const id = "00000000-0000-5000-8000-000000000001";
    await before.say("hang", id);
    await settled();
    clock.advance(4_000);
    clock.setWallClock(clock.now() + shift);
    // It looks each second.
    clock.advance(1_000);
    await settled();
    using crashed = copyAsCrashed(before);

    await using after = await startChain([{ name: "root" }, hang], { clock, dir: crashed.dir });
    // Of a minute the root hands on 54 s; 5 of them are over.
    clock.advance(48_500);
    await settled();
    expect(after.replies).toEqual([]);
    clock.advance(1_000);
    await settled();
    expect(after.replies.map(({ reply }) => reply.text)).toEqual(['E_TIMEOUT: "hang" took too long.']);
  },
);

test("an open question that is joined after a restart ends with its task, however far the clock was set back", async () => {
  const clock = createManualClock();
  await using before = await startChain(relay, { clock });
  await before.say("far", "00000000-0000-5000-8000-000000000001");
  await settled();
  using crashed = copyAsCrashed(before);
  clock.setWallClock(clock.now() - FIVE_MINUTES);
  await using after = await startChain(relay, { clock, dir: crashed.dir });
  await settled();
  for (let seconds = 0; seconds < 60; seconds += 1) {
    clock.advance(1000);
    await settled();
  }
  expect(after.replies.map(({ reply, failure }) => failure ?? reply.text)).toEqual([
    'E_TIMEOUT: "far" took too long.',
  ]);
});

test("a question to a child that has left the tree is answered, and nothing is sent after the child", async () => {
  const clock = createManualClock();
  await using before = await startChain(relay, { clock });
  await before.say("far", "00000000-0000-5000-8000-000000000001");
  await settled();
  using crashed = copyAsCrashed(before);
  await using after = await startChain(relay.slice(0, 2), { clock, dir: crashed.dir });
  await settled();
  expect(after.replies.map(({ reply }) => reply.text)).toEqual([
    'E_UNKNOWN_COMMAND: Nobody here offers "far".',
  ]);
  clock.advance(30_000);
  await settled();
  expect(
    readRows(after.dir, "ops", "SELECT n FROM outbox WHERE peer = 'web' UNION SELECT n FROM wait"),
  ).toEqual([]);
  using later = copyAsCrashed(after);
  await using back = await startChain(relay, { clock, dir: later.dir });
  await settled();
  expect(parseCarried(back.lanes.carried, "ops", "web")).toEqual([]);
});

test("a handler without children of its own ends at its deadline, and says what took too long without naming its agent", async () => {
  const clock = createManualClock();
  await using chain = await startChain(
    [{ name: "root" }, { name: "ops", timeoutMs: 2000, commands: { hang: () => new Promise(() => {}) } }],
    { clock },
  );
  await chain.say("hang", "00000000-0000-5000-8000-000000000001");
  await settled();
  clock.advance(2001);
  await settled();
  expect(chain.replies.map(({ reply }) => reply.text)).toEqual(['E_TIMEOUT: "hang" took too long.']);
});

describe("what may have been done when its time is up", () => {
  const MAY_BE_DONE = "It may have been done all the same: look first, and ask again only if it was not.";

  /** What is told of a command that never ends; `isCutOff`: its agent's own word does not arrive. */
  async function toldOf(effect: "read" | "change" | "destroy", isCutOff: boolean) {
    const clock = createManualClock();
    await using chain = await startChain(
      [
        { name: "root" },
        { name: "ops", effect, timeoutMs: 2000, commands: { hang: () => new Promise(() => {}) } },
      ],
      { clock },
    );
    chain.lanes.isLost = ({ from }) => isCutOff && from === "ops";
    await chain.say("hang", "00000000-0000-5000-8000-000000000001");
    await settled();
    for (let ms = 0; ms < 12_000; ms += 500) {
      clock.advance(500);
      await settled();
    }
    const answer = parseCarried(chain.lanes.carried, "ops", "root").find(
      ({ payload }) => payload["code"] === "E_TIMEOUT",
    );
    return { text: chain.replies[0]?.reply.text, retryable: answer?.payload["retryable"] };
  }

  test.each(["change", "destroy"] as const)("is said so by whoever did it (%s)", async (effect) => {
    expect(await toldOf(effect, false)).toEqual({
      text: `E_TIMEOUT: "hang" took too long. ${MAY_BE_DONE}`,
      retryable: false,
    });
  });

  test.each(["change", "destroy"] as const)("is said so by whoever asked for it (%s)", async (effect) => {
    expect((await toldOf(effect, true)).text).toBe(`E_TIMEOUT: No answer came in time. ${MAY_BE_DONE}`);
  });

  test.each(["change", "read"] as const)(
    "is told of a command that was in work at a crash, when its agent comes back too late (%s)",
    async (effect) => {
      const clock = createManualClock();
      const agents: readonly TestAgent[] = [
        { name: "root" },
        { name: "ops", effect, timeoutMs: 2000, commands: { hang: () => new Promise(() => {}) } },
      ];
      await using before = await startChain(agents, { clock });
      await before.say("hang", "00000000-0000-5000-8000-000000000001");
      await settled();
      using crashed = copyAsCrashed(before);
      clock.advance(2001);
      await using after = await startChain(agents, { clock, dir: crashed.dir });
      await settled();
      clock.advance(1000);
      await settled();
      const told = parseCarried(after.lanes.carried, "ops", "root").flatMap(({ payload }) =>
        payload["code"] === "E_TIMEOUT" ? [[payload["retryable"], payload["message"]]] : [],
      );
      const [retryable, text] = told[0] ?? [];
      expect(retryable).toBe(effect === "read");
      if (effect === "read") expect(text).not.toContain(MAY_BE_DONE);
      else expect(text).toContain(MAY_BE_DONE);
    },
  );

  test("is told of what was in work at a crash and has no turn any more, and not of what had none before", async () => {
    const clock = createManualClock();
    const never = () => new Promise(() => {});
    const announced = (name: string, timeoutMs: number) => ({
      name,
      description: name,
      prompts: [],
      input: { type: "object" },
      effect: "change" as const,
      timeoutMs,
    });
    const role: AgentRole = {
      name: "tested",
      file: "tested.ts",
      hash: "v1",
      requires: [],
      announcements: [announced("hold", 30_000), announced("hang", 2000)],
      role: { commands: { hold: { run: never }, hang: { run: never } }, events: {}, on: {} },
    };
    const agents: readonly TestAgent[] = [{ name: "root" }, { name: "ops", role }];
    await using before = await startChain(agents, { clock });
    await before.say("hold", "00000000-0000-5000-8000-000000000001");
    await before.say("hang", "00000000-0000-5000-8000-000000000002");
    await settled();
    using crashed = copyAsCrashed(before);

    // What was in work runs alone now: the second waits for the first, and beyond its time.
    await using after = await startChain(agents, { clock, dir: crashed.dir });
    await after.say("hang", "00000000-0000-5000-8000-000000000003");
    for (let ms = 0; ms < 4000; ms += 500) {
      clock.advance(500);
      await settled();
    }
    const told = parseCarried(after.lanes.carried, "ops", "root").flatMap(({ payload }) =>
      payload["code"] === "E_TIMEOUT" ? [payload["message"]] : [],
    );
    const waited = "This waited its turn until it was too late.";
    expect([...new Set(told)]).toEqual([`${waited} ${MAY_BE_DONE}`, waited]);
  });

  test("is nothing where it only looks, which may be asked for again", async () => {
    expect(await toldOf("read", false)).toEqual({
      text: 'E_TIMEOUT: "hang" took too long.',
      retryable: true,
    });
    expect((await toldOf("read", true)).text).toBe("E_TIMEOUT: No answer came in time.");
  });
});

/** ops with one slot, which "hang" holds until it is released. */
async function startOneSlot(clock: ReturnType<typeof createManualClock>) {
  const ran: string[] = [];
  let gate = Promise.withResolvers<void>();
  const chain = await startChain(
    [
      { name: "root" },
      {
        name: "ops",
        concurrency: 1,
        commands: {
          hang: async () => {
            ran.push("hang");
            await gate.promise;
            return { text: "hang done" };
          },
          quick: () => {
            ran.push("quick");
            return { text: "quick done" };
          },
        },
      },
    ],
    { clock },
  );
  const forge = createForge(chain, clock.now);
  return {
    chain,
    ran,
    release(): void {
      gate.resolve();
      gate = Promise.withResolvers<void>();
    },
    async ask(command: string, timeoutMs: number): Promise<string> {
      const id = forge.idAt(0);
      const details = { command, params: {} };
      await chain.lanes.inject(
        "root",
        "ops",
        forge.text("root", "ops", { id, details, requires: { timeout_ms: timeoutMs } }),
      );
      return id;
    },
    answersTo: (id: string): readonly unknown[] =>
      parseCarried(chain.lanes.carried, "ops", "root").flatMap(({ reply_to, payload }) =>
        reply_to === id ? [payload["code"] ?? payload["summary"]] : [],
      ),
  };
}
