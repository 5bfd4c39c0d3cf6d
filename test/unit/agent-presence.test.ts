import { expect, test } from "vitest";
import { createChainFolder, startChain, type TestAgent } from "../support/agents.ts";
import { settled } from "../support/event-loop.ts";
import { createForge } from "../support/forge.ts";
import { createSharedLanes } from "../support/lanes.ts";
import { refusalsOf } from "../support/ledger-rows.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { startShared } from "../support/shared-agents.ts";

const W1 = "00000000-0000-5000-8000-000000000001";
const W2 = "00000000-0000-5000-8000-000000000002";

const CHAIN: readonly TestAgent[] = [
  { name: "root" },
  { name: "ops" },
  { name: "web", commands: { http: () => ({ text: "200" }) } },
  { name: "machine", master: "ops", commands: { host: () => ({ text: "idle" }) } },
];

test("a child that falls silent is offline after 15 s and not before, and a person is told which command is missing", async () => {
  await using shared = await startShared(CHAIN);
  const { chain, pass } = shared;
  await shared.crash("web");
  await pass(14);
  expect(shared.stateOf("web")).toBe("online");
  await pass(1);
  expect(shared.stateOf("web")).toBe("offline");
  expect(shared.stateOf("machine")).toBe("online");
  await pass(5);
  expect((await chain.ask("http")).reply.text).toBe(
    'E_OFFLINE: "http" cannot be asked for just now: who can do it has not been heard of for 20 s.',
  );
  expect((await chain.ask("host")).reply.text).toBe("idle");
  expect(
    chain.agents
      .get("root")
      ?.commands()
      .map(({ name }) => name),
  ).toEqual(["http", "host"]);
  expect(shared.warnings()).toEqual(["web has not been heard for 15 s"]);
  expect(chain.presence).toEqual(["ops: web is offline"]);
});

test("it is back by itself as soon as it is heard, and what it offers works again", async () => {
  await using shared = await startShared(CHAIN);
  const { chain, pass } = shared;
  await shared.crash("web");
  await pass(60);
  expect((await chain.ask("http")).reply.text).toContain("has not been heard of for 60 s.");
  await chain.startAgain("web");
  await settled();
  expect(shared.stateOf("web")).toBe("online");
  expect((await chain.ask("http")).reply.text).toBe("200");
  expect(chain.presence).toEqual(["ops: web is offline", "ops: web is online"]);
  expect(shared.warnings()).toEqual(["web has not been heard for 15 s"]);
});

test("whoever is idle stays online by its heartbeats alone", async () => {
  await using shared = await startShared(CHAIN);
  await shared.pass(900);
  expect(shared.stateOf("web")).toBe("online");
  expect(shared.warnings()).toEqual([]);
  expect(shared.chain.presence).toEqual([]);
});

test("nobody's silence counts while an agent's own lanes are down, and everybody gets 15 s anew when they are up", async () => {
  await using shared = await startShared(CHAIN);
  const { chain, pass } = shared;
  await pass(10);
  shared.turn("ops", "down");
  await shared.crash("web");
  await pass(300);
  expect(shared.stateOf("web")).toBe("online");
  expect(shared.stateOf("machine")).toBe("online");
  shared.turn("ops", "up");
  await pass(14.5);
  expect(shared.stateOf("web")).toBe("online");
  await pass(0.5);
  expect(shared.stateOf("web")).toBe("offline");
  expect(shared.stateOf("machine")).toBe("online");
  expect(chain.presence).toContain("ops: web is offline");
  expect(chain.presence).not.toContain("ops: machine is offline");
});

test("nobody is called gone because this machine stood still", async () => {
  const clock = createManualClock();
  let skipped = 0;
  // All that was to happen in between comes at once, at the end of a minute.
  const stoppable: ManualClock = {
    ...clock,
    monotonic: () => clock.monotonic() + skipped,
    now: () => clock.now() + skipped,
  };
  await using shared = await startShared(CHAIN, { clock: stoppable });
  await shared.pass(7);
  skipped = 60_000;
  await shared.pass(14);
  expect(shared.chain.presence).toEqual([]);
  expect(shared.stateOf("web")).toBe("online");
});

test("a child that was never heard counts as online for 15 s, and its master does not wait for what it remembers", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  {
    await using before = await startShared(CHAIN, { dir: folder.dir, clock });
    expect((await before.chain.ask("http")).reply.text).toBe("200");
  }
  await using shared = await startShared(CHAIN, { dir: folder.dir, clock, missing: ["web"] });
  const { chain, pass } = shared;
  expect(await chain.agents.get("ops")?.childrenKnown(0)).toBe(true);
  expect(
    chain.agents
      .get("ops")
      ?.commands()
      .map(({ name }) => name),
  ).toEqual(["http", "host"]);
  expect(shared.stateOf("web")).toBe("online");
  await pass(15);
  expect(shared.stateOf("web")).toBe("offline");
  expect((await chain.ask("http")).reply.text).toContain("has not been heard of for 15 s.");
  await chain.startAgain("web");
  expect((await chain.ask("http")).reply.text).toBe("200");
});

test("a child that does not start by itself is not missed before it was heard, and is missed after that", async () => {
  const chainOf: readonly TestAgent[] = CHAIN.map((one) =>
    one.name === "web" ? { ...one, autostart: false } : one,
  );
  await using shared = await startShared(chainOf, { missing: ["web"] });
  const { chain, pass } = shared;
  expect(shared.stateOf("web")).toBe("not started");
  await pass(300);
  expect(shared.stateOf("web")).toBe("not started");
  expect(chain.presence.filter((line) => line.includes("web"))).toEqual([]);
  expect(shared.warnings().filter((line) => line.includes("web"))).toEqual([]);
  await chain.startAgain("web");
  await settled();
  expect(shared.stateOf("web")).toBe("online");
  expect((await chain.ask("http")).reply.text).toBe("200");
  expect(chain.presence.filter((line) => line.includes("web"))).toEqual([]);
  await shared.crash("web");
  await pass(15);
  expect(shared.stateOf("web")).toBe("offline");
  expect(chain.presence.filter((line) => line.includes("web"))).toEqual(["ops: web is offline"]);
});

test("what a child offers that was not started again is E_OFFLINE, and nobody is alarmed", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const chainOf: readonly TestAgent[] = CHAIN.map((one) =>
    one.name === "web" ? { ...one, autostart: false } : one,
  );
  {
    await using before = await startShared(chainOf, { dir: folder.dir, clock });
    expect((await before.chain.ask("http")).reply.text).toBe("200");
  }
  await using shared = await startShared(chainOf, { dir: folder.dir, clock, missing: ["web"] });
  await shared.pass(15);
  expect(shared.stateOf("web")).toBe("not started");
  expect((await shared.chain.ask("http")).reply.text).toBe(
    'E_OFFLINE: "http" cannot be asked for just now: who can do it has not been started.',
  );
  await shared.pass(300);
  expect(shared.chain.presence).toEqual([]);
});

test("a planned stop makes no noise, what is asked meanwhile is answered after it, and one that is short leaves no trace", async () => {
  await using shared = await startShared(CHAIN);
  const { chain, pass } = shared;
  await chain.agents.get("web")?.stop(0);
  await pass(8);
  const asked = chain.ask("http", W1);
  await pass(2);
  await chain.startAgain("web");
  await pass(3);
  expect((await asked).reply.text).toBe("200");
  await pass(300);
  expect(shared.stateOf("web")).toBe("online");
  expect(shared.warnings()).toEqual([]);
  expect(chain.presence).toEqual([]);
  expect(chain.logged.filter(({ message }) => message.startsWith("web "))).toEqual([
    { level: "info", message: "web stops as planned" },
    { level: "info", message: "web is back" },
  ]);
});

test("a planned stop is quiet for 2 minutes, though what is missing is E_OFFLINE after 15 s, and told when it lasts", async () => {
  await using shared = await startShared(CHAIN);
  const { chain, pass } = shared;
  await chain.agents.get("web")?.stop(0);
  await pass(14.5);
  expect(shared.stateOf("web")).toBe("online");
  await pass(0.5);
  expect((await chain.ask("http")).reply.text).toMatch(/^E_OFFLINE: "http" cannot/);
  await pass(104.5);
  expect(chain.presence).toEqual([]);
  expect(shared.warnings()).toEqual([]);
  await pass(1);
  expect(chain.presence).toEqual(["ops: web is offline as planned"]);
  expect(shared.warnings()).toEqual(["web was stopped as planned and is not back after 2 minutes"]);
  await pass(600);
  await chain.startAgain("web");
  await settled();
  expect(chain.presence).toEqual(["ops: web is offline as planned", "ops: web is online as planned"]);
  expect((await chain.ask("http")).reply.text).toBe("200");
});

test("an announcement that was lost is mended after the next heartbeat", async () => {
  const clock = createManualClock();
  const lanes = createSharedLanes();
  await using chain = await startChain(
    [{ name: "root" }, { name: "ops", commands: { echo: () => ({ text: "here" }) } }],
    {
      clock,
      transport: lanes.transport,
      missing: ["ops"],
    },
  );
  chain.lanes.isLost = ({ text }) => text.includes('"announcement"');
  await chain.startAgain("ops");
  await settled();
  expect(chain.agents.get("root")?.commands()).toEqual([]);
  chain.lanes.isLost = () => false;
  for (let i = 0; i < 5; i++) {
    clock.advance(1000);
    await settled();
  }
  expect(
    chain.agents
      .get("root")
      ?.commands()
      .map(({ name }) => name),
  ).toEqual(["echo"]);
  expect((await chain.ask("echo")).reply.text).toBe("here");
});

test("a master that is asked again and again by what it does not know says so once in 2 s", async () => {
  await using shared = await startShared(CHAIN);
  const { chain, clock, pass } = shared;
  const forge = createForge(chain, clock.now);
  await pass(3);
  chain.lanes.carried.length = 0;
  for (let i = 0; i < 40; i++) {
    const details = { commands: "0123456789abcdef", state: "up" };
    await chain.lanes.inject("web", "ops", forge.text("web", "ops", { type: "heartbeat", details }));
    clock.advance(100);
  }
  await settled();
  const told = chain.lanes.carried.filter(
    ({ from, to, text }) => `${from}.${to}` === "ops.web" && text.includes('"commands"'),
  );
  expect(told).toHaveLength(2);
});

test("a master that has lost its memory knows again within 5 s, though its children did not restart", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const lanes = createSharedLanes();
  const ops: TestAgent = { name: "ops", commands: { echo: () => ({ text: "here" }) } };
  await using below = await startChain([{ name: "root" }, ops], { clock, transport: lanes.transport });
  await below.agents.get("root")?.stop(0);
  await using above = await startChain([{ name: "root" }, ops], {
    clock,
    transport: lanes.transport,
    dir: folder.dir,
    missing: ["ops"],
  });
  expect(above.agents.get("root")?.commands()).toEqual([]);
  for (let i = 0; i < 5; i++) {
    clock.advance(1000);
    await settled();
  }
  expect((await above.ask("echo")).reply.text).toBe("here");
});

test("what was only to be looked at is given up when its child goes, so that who asked hears within 20 s", async () => {
  const hangs: readonly TestAgent[] = [
    { name: "root" },
    { name: "ops" },
    { name: "web", commands: { http: () => new Promise(() => {}) } },
  ];
  await using shared = await startShared(hangs);
  const { chain, pass } = shared;
  await shared.crash("web");
  await chain.say("http", W1);
  await pass(14);
  expect(chain.replies).toEqual([]);
  await pass(1);
  expect((await chain.replyTo(W1)).reply.text).toBe(
    'E_OFFLINE: "http" cannot be asked for just now: who can do it has not been heard of for 15 s.',
  );
});

test("what was to be changed is waited for: it may be done, and its child tells after its restart", async () => {
  let runs = 0;
  const changes: readonly TestAgent[] = [
    { name: "root" },
    { name: "ops" },
    {
      name: "web",
      effect: "change",
      commands: { restart: () => (runs++ === 0 ? new Promise(() => {}) : { text: "restarted" }) },
    },
  ];
  await using shared = await startShared(changes);
  const { chain, pass } = shared;
  await chain.say("restart", W1);
  await settled();
  expect(runs).toBe(1);
  await shared.crash("web");
  await pass(30);
  expect(shared.stateOf("web")).toBe("offline");
  expect(chain.replies).toEqual([]);
  expect((await chain.ask("restart", W2)).reply.text).toMatch(/^E_OFFLINE: "restart" cannot/);
  await chain.startAgain("web");
  expect((await chain.replyTo(W1)).reply.text).toBe("restarted");
  expect(runs).toBe(2);
});

test("a question that was given up stays given up when its master crashes before it has answered", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const heard: string[] = [];
  let isSecondStart = false;
  const agents: readonly TestAgent[] = [
    { name: "root" },
    {
      name: "ops",
      commands: {
        ask: async ({ delegate }) => {
          const answer = await delegate("http", {});
          heard.push("failure" in answer ? answer.failure : answer.text);
          if (!isSecondStart) await new Promise(() => {});
          return { text: heard.join(" ") };
        },
      },
    },
    { name: "web", commands: { http: () => new Promise(() => {}) } },
  ];
  {
    await using before = await startShared(agents, { dir: folder.dir, clock });
    await before.chain.say("ask", W1);
    await settled();
    await before.crash("web");
    await before.pass(15);
    expect(heard).toEqual(["E_OFFLINE"]);
  }
  isSecondStart = true;
  await using after = await startShared(agents, { dir: folder.dir, clock });
  expect((await after.chain.replyTo(W1)).reply.text).toBe("E_OFFLINE E_OFFLINE");
});

test.each([
  ["with nothing in it", {}],
  ["of another kind", { commands: "0123456789abcdef", state: "paused" }],
  ["with a digest that is none", { commands: "everything", state: "up" }],
  ["with a list for a digest", { commands: [], state: "up" }],
  ["with more in it than there should be", { commands: "0123456789abcdef", state: "up", more: 1 }],
  ["of half a megabyte", { commands: "0".repeat(500_000), state: "up" }],
])("a heartbeat %s is refused and counted, and is not answered", async (_, details) => {
  await using shared = await startShared(CHAIN);
  const { chain, clock } = shared;
  const forge = createForge(chain, clock.now);
  chain.lanes.carried.length = 0;
  await chain.lanes.inject("web", "ops", forge.text("web", "ops", { type: "heartbeat", details }));
  await settled();
  expect(refusalsOf(chain.dir, "ops")).toEqual({ "web E_ENVELOPE_INVALID": 1 });
  expect(chain.lanes.carried).toEqual([]);
  expect((await chain.ask("http")).reply.text).toBe("200");
});

test.each([[42], [[]], [{}], ["x".repeat(500_000)], [null]])(
  "a master that claims to know %s of what is offered causes an announcement at most",
  async (commands) => {
    await using shared = await startShared(CHAIN);
    const { chain, clock } = shared;
    const forge = createForge(chain, clock.now);
    chain.lanes.carried.length = 0;
    const details = { ids: [], commands };
    await chain.lanes.inject(
      "ops",
      "web",
      forge.text("ops", "web", { type: "message_acknowledged", details }),
    );
    await settled();
    expect(refusalsOf(chain.dir, "web")).toEqual({});
    expect(chain.lanes.carried.filter(({ text }) => !text.includes('"announcement"'))).toEqual([]);
    expect((await chain.ask("http")).reply.text).toBe("200");
  },
);

test("agents of one process send no heartbeats", async () => {
  const clock = createManualClock();
  await using chain = await startChain(CHAIN, { clock });
  clock.advance(60_000);
  await settled();
  expect(chain.lanes.carried.filter(({ text }) => text.includes("heartbeat"))).toEqual([]);
  expect(
    chain.agents
      .get("ops")
      ?.children()
      .map(({ state }) => state),
  ).toEqual(["online", "online"]);
});
