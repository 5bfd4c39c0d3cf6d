import { describe, expect, test } from "vitest";
import { createChoice } from "../../src/agent/choice.ts";
import { createCommandMap } from "../../src/agent/command-map.ts";
import type { CommandAnnouncement } from "../../src/sdk/announcement.ts";
import { copyAsCrashed, createChainFolder, startChain, type TestAgent } from "../support/agents.ts";
import { settled } from "../support/event-loop.ts";
import { createForge } from "../support/forge.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { startShared } from "../support/shared-agents.ts";

const W1 = "00000000-0000-5000-8000-000000000001";
const W2 = "00000000-0000-5000-8000-000000000002";

const command = (name: string, more: Partial<CommandAnnouncement> = {}): CommandAnnouncement => ({
  name,
  description: name,
  prompts: [],
  input: { type: "object" },
  effect: "read",
  timeoutMs: 1000,
  ...more,
});

/** Two members of a pool below one master, each of which counts what it is asked. */
function poolOfTwo(): { agents: readonly TestAgent[]; asked: string[]; release: () => void } {
  const asked: string[] = [];
  const gate = Promise.withResolvers<void>();
  const member = (name: string): TestAgent => ({
    name,
    master: "ops",
    pool: "web",
    commands: {
      http: () => {
        asked.push(name);
        return { text: name };
      },
      slow: async () => {
        asked.push(name);
        await gate.promise;
        return { text: name };
      },
    },
  });
  const agents = [{ name: "root" }, { name: "ops" }, member("web"), member("web-2")];
  return { agents, asked, release: gate.resolve };
}

const countOf = (asked: readonly string[], name: string): number =>
  asked.filter((one) => one === name).length;

describe("members of a pool, in one process as apart from each other", () => {
  const STARTS = [
    ["in one process", async (agents: readonly TestAgent[]) => startChain(agents)],
    ["apart", async (agents: readonly TestAgent[]) => (await startShared(agents)).chain],
  ] as const;

  test.each(STARTS)("offer each command once (%s)", async (_, start) => {
    await using chain = await start(poolOfTwo().agents);
    await settled();
    for (const name of ["root", "ops"]) {
      expect(
        chain.agents
          .get(name)
          ?.commands()
          .map((each) => each.name),
      ).toEqual(["http", "slow"]);
      expect(chain.agents.get(name)?.collisions).toEqual([]);
    }
    expect(chain.logged.filter(({ level }) => level === "warn")).toEqual([]);
  });

  test.each(STARTS)("are asked in turn when they have as little to do (%s)", async (_, start) => {
    const { agents, asked } = poolOfTwo();
    await using chain = await start(agents);
    const replies = [];
    for (let i = 0; i < 6; i++) replies.push((await chain.ask("http")).reply.text);
    expect(replies).toEqual(["web", "web-2", "web", "web-2", "web", "web-2"]);
    expect(asked).toEqual(replies);
  });

  test.each(STARTS)("share what comes at once, by halves (%s)", async (_, start) => {
    const { agents, asked, release } = poolOfTwo();
    await using chain = await start(agents);
    const all = Array.from({ length: 20 }, () => chain.ask("slow"));
    await settled();
    expect([countOf(asked, "web"), countOf(asked, "web-2")]).toEqual([10, 10]);
    release();
    await Promise.all(all);
  });
});

test("whoever has fewer open questions is asked, also when they were asked before a restart of their master", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const asked: string[] = [];
  const member = (name: string): TestAgent => ({
    name,
    master: "ops",
    pool: "web",
    commands: {
      hang: () => {
        asked.push(`hang ${name}`);
        return new Promise(() => {});
      },
      http: () => {
        asked.push(name);
        return { text: name };
      },
    },
  });
  const agents = [{ name: "root" }, { name: "ops" }, member("web"), member("web-2")];
  {
    await using before = await startChain(agents, { dir: folder.dir, clock });
    await before.say("hang", W1);
    await settled();
    expect(asked).toEqual(["hang web"]);
  }
  asked.length = 0;
  await using after = await startChain(agents, { dir: folder.dir, clock });
  await settled();
  expect(asked).toEqual(["hang web"]);
  for (let i = 0; i < 3; i++) await after.ask("http");
  expect(asked.slice(1)).toEqual(["web-2", "web-2", "web-2"]);
});

test("who has gone is not asked, and with nobody left the command is E_OFFLINE", async () => {
  const { agents, asked } = poolOfTwo();
  await using shared = await startShared(agents);
  const { chain, pass } = shared;
  await shared.crash("web");
  await pass(15);
  for (let i = 0; i < 4; i++) expect((await chain.ask("http")).reply.text).toBe("web-2");
  expect(asked).toEqual(["web-2", "web-2", "web-2", "web-2"]);
  await shared.crash("web-2");
  await pass(15);
  expect((await chain.ask("http")).reply.text).toBe(
    'E_OFFLINE: "http" cannot be asked for just now: who can do it has not been heard of for 15 s.',
  );
  await chain.startAgain("web");
  expect((await chain.ask("http")).reply.text).toBe("web");
});

test("who has said that it stops is asked only when nobody else is there", async () => {
  const { agents } = poolOfTwo();
  await using shared = await startShared(agents);
  const { chain } = shared;
  await chain.agents.get("web")?.stop(0);
  await settled();
  for (let i = 0; i < 3; i++) expect((await chain.ask("http")).reply.text).toBe("web-2");
});

/** Two members, the first of which never answers; the second does once it is let go. */
function poolWithTrouble(effect: "read" | "change"): {
  agents: readonly TestAgent[];
  asked: string[];
  isAnswering: { web: boolean };
} {
  const asked: string[] = [];
  const isAnswering = { web: false };
  const agents: readonly TestAgent[] = [
    { name: "root" },
    { name: "ops" },
    {
      name: "web",
      master: "ops",
      pool: "web",
      effect,
      commands: {
        http: () => {
          asked.push("web");
          return isAnswering.web ? { text: "web, late" } : new Promise(() => {});
        },
      },
    },
    {
      name: "web-2",
      master: "ops",
      pool: "web",
      effect,
      commands: {
        http: () => {
          asked.push("web-2");
          return { text: "web-2" };
        },
      },
    },
  ];
  return { agents, asked, isAnswering };
}

test("a member that goes while it looks at something has another asked, and its own late answer changes nothing", async () => {
  const { agents, asked, isAnswering } = poolWithTrouble("read");
  await using shared = await startShared(agents);
  const { chain, pass } = shared;
  await chain.say("http", W1);
  await settled();
  expect(asked).toEqual(["web"]);
  await shared.crash("web");
  await pass(14);
  expect(chain.replies).toEqual([]);
  await pass(1);
  expect((await chain.replyTo(W1)).reply.text).toBe("web-2");
  expect(asked).toEqual(["web", "web-2"]);
  isAnswering.web = true;
  await chain.startAgain("web");
  await pass(30);
  expect(chain.replies.map(({ reply }) => reply.text)).toEqual(["web-2"]);
  expect((await chain.ask("http", W2)).reply.text).toMatch(/^web/);
});

test("an answer that was on its way when its sender went is recorded and not applied", async () => {
  const { agents, isAnswering } = poolWithTrouble("read");
  isAnswering.web = true;
  await using shared = await startShared(agents);
  const { chain, pass } = shared;
  chain.lanes.isLost = ({ from, text }) => from === "web" && text.includes('"command_result"');
  await chain.say("http", W1);
  await settled();
  const late = chain.lanes.carried.find(
    ({ from, text }) => from === "web" && text.includes('"command_result"'),
  );
  await shared.crash("web");
  await pass(15);
  expect((await chain.replyTo(W1)).reply.text).toBe("web-2");
  await chain.lanes.inject("web", "ops", late?.text ?? "");
  await pass(5);
  expect(chain.replies.map(({ reply }) => reply.text)).toEqual(["web-2"]);
  using ops = chain.read("ops");
  using root = chain.read("root");
  const [conversation] = root.conversations(1);
  const answers = ops
    .trace(conversation?.corr ?? "")
    .filter(({ message }) => message.type === "command_result" && message.message_source !== "ops");
  expect(answers.map(({ message }) => message.message_source)).toEqual(["web-2", "web"]);
});

test("a member that goes while it changes something is waited for, and nobody else is asked to do it again", async () => {
  const { agents, asked, isAnswering } = poolWithTrouble("change");
  await using shared = await startShared(agents);
  const { chain, pass } = shared;
  await chain.say("http", W1);
  await settled();
  await shared.crash("web");
  await pass(30);
  expect(chain.replies).toEqual([]);
  expect(asked).toEqual(["web"]);
  isAnswering.web = true;
  await chain.startAgain("web");
  expect((await chain.replyTo(W1)).reply.text).toBe("web, late");
  expect(asked).toEqual(["web", "web"]);
});

test("each member is tried once: when all that were asked have gone, the command is E_OFFLINE", async () => {
  const asked: string[] = [];
  const member = (name: string): TestAgent => ({
    name,
    master: "ops",
    pool: "web",
    timeoutMs: 300_000,
    commands: {
      http: () => {
        asked.push(name);
        return new Promise(() => {});
      },
    },
  });
  await using shared = await startShared([{ name: "root" }, { name: "ops" }, member("web"), member("web-2")]);
  const { chain, pass } = shared;
  await chain.say("http", W1);
  await settled();
  await shared.crash("web");
  await pass(15);
  expect(asked).toEqual(["web", "web-2"]);
  await chain.startAgain("web");
  await pass(1);
  await shared.crash("web-2");
  await pass(15);
  expect((await chain.replyTo(W1)).reply.text).toMatch(/^E_OFFLINE: "http" cannot be asked for just now/);
  expect(asked.filter((one) => one === "web-2")).toEqual(["web-2"]);
});

test("what is asked of another has only the time that was left", async () => {
  const { agents } = poolWithTrouble("read");
  await using shared = await startShared(agents);
  const { chain, pass } = shared;
  await chain.say("http", W1);
  await settled();
  await shared.crash("web");
  await pass(15);
  await chain.replyTo(W1);
  const timeouts = chain.lanes.carried
    .filter(({ from, text }) => from === "ops" && text.includes('"command_request"'))
    .map(({ to, text }) => [to, JSON.parse(text).requires.timeout_ms] as const);
  // Of the 54 s that ops was given it kept back a tenth, half of it for the way back: 51.3 s, of which 15 s are gone.
  // What is not acknowledged is sent again as it was.
  expect(Object.fromEntries(timeouts)).toEqual({ web: 48_600, "web-2": 34_485 });
});

test.each([
  ["after it has asked another waits for that one, and asks nobody anew", false, []],
  ["between deciding to ask another and asking goes on with that one", true, ["web-2"]],
])("a master that crashes %s", async (_, isUnsent, askedAnew) => {
  const clock = createManualClock();
  const asked: string[] = [];
  const member = (name: string): TestAgent => ({
    name,
    master: "ops",
    pool: "web",
    commands: {
      http: () => {
        asked.push(name);
        return isOver ? { text: name } : new Promise(() => {});
      },
    },
  });
  let isOver = false;
  const agents = [{ name: "root" }, { name: "ops" }, member("web"), member("web-2")];
  await using before = await startShared(agents, { clock });
  await before.chain.say("http", W1);
  await settled();
  before.chain.lanes.isLost = ({ to }) => isUnsent && to === "web-2";
  await before.crash("web");
  await before.pass(15);
  expect(asked).toEqual(isUnsent ? ["web"] : ["web", "web-2"]);
  using folder = copyAsCrashed(before.chain);
  isOver = true;
  await using after = await startShared(agents, { clock, dir: folder.dir });
  await after.pass(10);
  expect(after.chain.replies.map(({ reply }) => reply.text)).toEqual(["web-2"]);
  const requests = after.chain.lanes.carried.filter(
    ({ from, text }) => from === "ops" && text.includes('"command_request"'),
  );
  expect([...new Set(requests.map(({ to }) => to))]).toEqual(askedAnew);
});

test("a master that is back when its child has been gone for long asks another in its place", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const { agents, asked } = poolWithTrouble("read");
  {
    await using before = await startShared(agents, { clock, dir: folder.dir });
    await before.chain.say("http", W1);
    await settled();
    expect(asked).toEqual(["web"]);
  }
  await using after = await startShared(agents, { clock, dir: folder.dir, missing: ["web"] });
  await after.pass(14);
  expect(after.chain.replies).toEqual([]);
  await after.pass(1);
  expect((await after.chain.replyTo(W1)).reply.text).toBe("web-2");
});

test("a child that claims what a pool offers, and is not in it, is a collision and is not asked", async () => {
  const { agents, asked } = poolOfTwo();
  const clock = createManualClock();
  const odd: TestAgent = { name: "odd", master: "ops", commands: { other: () => ({ text: "odd" }) } };
  const outsider: TestAgent = { name: "outsider", master: "ops", pool: "others", commands: {} };
  await using chain = await startChain([...agents, odd, outsider], { clock });
  const forge = createForge(chain, clock.now);
  for (const from of ["odd", "outsider"]) {
    const details = { commands: [command("http", { timeoutMs: 60_000 })], pool: "web" };
    // A pool of its own making has no place in an announcement at all.
    await chain.lanes.inject(from, "ops", forge.text(from, "ops", { type: "announcement", details }));
    const plain = { commands: details.commands };
    await chain.lanes.inject(from, "ops", forge.text(from, "ops", { type: "announcement", details: plain }));
  }
  await settled();
  expect(chain.agents.get("ops")?.collisions).toEqual([
    { command: "http", kept: "web", disabled: "odd" },
    { command: "http", kept: "web", disabled: "outsider" },
  ]);
  for (let i = 0; i < 4; i++) await chain.ask("http");
  expect(asked).toEqual(["web", "web-2", "web", "web-2"]);
});

test("a member that runs other code is not asked for what it offers differently, and the log names both", async () => {
  const member = (name: string, more: Partial<TestAgent>): TestAgent => ({
    name,
    master: "ops",
    pool: "web",
    commands: { http: () => ({ text: name }) },
    ...more,
  });
  await using chain = await startChain([
    { name: "root" },
    { name: "ops" },
    member("web", {}),
    member("web-2", { input: { type: "object", properties: { url: { type: "string" } } } }),
    member("web-3", { effect: "change" }),
    member("web-4", { timeoutMs: 1000 }),
  ]);
  const told = [];
  for (let i = 0; i < 4; i++) told.push((await chain.ask("http")).reply.text);
  expect(told).toEqual(["web", "web-4", "web", "web-4"]);
  expect(
    chain.agents
      .get("root")
      ?.commands()
      .map(({ name, effect }) => [name, effect]),
  ).toEqual([["http", "read"]]);
  expect(chain.agents.get("ops")?.collisions).toEqual([]);
});

test("in a map the first member's word counts, in whatever order they announce", () => {
  const neighbours = [
    { name: "web", pool: "web" },
    { name: "web-2", pool: "web" },
    { name: "api", pool: "api" },
  ];
  const map = createCommandMap([command("own")], neighbours);
  map.announce("web-2", [command("http", { effect: "change" }), command("port")]);
  expect(map.find("http")).toMatchObject({
    place: { children: ["web-2"] },
    announcement: { effect: "change" },
  });
  map.announce("web", [command("http"), command("own")]);
  map.announce("api", [command("port")]);
  expect(map.find("http")).toMatchObject({ place: { children: ["web"] }, announcement: { effect: "read" } });
  expect(map.differences).toEqual([{ command: "http", kept: "web", left: "web-2" }]);
  expect(map.collisions).toEqual([
    { command: "own", kept: "itself", disabled: "web" },
    { command: "port", kept: "web-2", disabled: "api" },
  ]);
  map.announce("web-2", [command("http")]);
  expect(map.find("http")?.place).toEqual({ kind: "child", children: ["web", "web-2"] });
  expect(map.differences).toEqual([]);
});

/** Of one pool, of which the second member was upgraded: it takes other words, and has a further command. */
const UPGRADED: readonly TestAgent[] = [
  { name: "root" },
  { name: "ops" },
  { name: "web", master: "ops", pool: "web", commands: { http: () => ({ text: "web" }) } },
  {
    name: "web-2",
    master: "ops",
    pool: "web",
    effect: "change",
    commands: { http: () => ({ text: "web-2" }), port: () => ({ text: "web-2" }) },
  },
];

test("what a pool offers is the word of a member that is there, and the last known where none is", async () => {
  await using shared = await startShared(UPGRADED);
  const { chain, pass } = shared;
  const offered = () => {
    const commands = chain.agents.get("root")?.commands() ?? [];
    return Object.fromEntries(commands.map(({ name, effect }) => [name, effect]));
  };
  expect(offered()).toEqual({ http: "read", port: "change" });
  expect((await chain.ask("http")).reply.text).toBe("web");
  await shared.crash("web");
  await pass(15);
  expect(offered()).toEqual({ http: "change", port: "change" });
  expect((await chain.ask("http")).reply.text).toBe("web-2");
  await shared.crash("web-2");
  await pass(16);
  expect(offered()).toEqual({ http: "read", port: "change" });
  expect((await chain.ask("http")).reply.text).toMatch(/^E_OFFLINE: "http" cannot/);
  await chain.startAgain("web-2");
  await settled();
  expect(offered()).toEqual({ http: "change", port: "change" });
  await chain.startAgain("web");
  await settled();
  expect(offered()).toEqual({ http: "read", port: "change" });
  expect((await chain.ask("http")).reply.text).toBe("web");
});

test("what was asked of a member that went is not asked of one that takes it for something else, nor after a restart", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const agents = UPGRADED.map((one) =>
    one.name === "web" ? { ...one, commands: { http: () => new Promise(() => {}) } } : one,
  );
  const offline =
    'E_OFFLINE: "http" cannot be asked for just now: who can do it has not been heard of for 15 s.';
  {
    await using before = await startShared(agents, { dir: folder.dir, clock });
    await before.chain.say("http", W1);
    await before.chain.say("http", W2);
    await settled();
    using crashed = copyAsCrashed(before.chain);
    await before.crash("web");
    await before.pass(15);
    expect((await before.chain.replyTo(W1)).reply.text).toBe(offline);
    await using after = await startShared(agents, { dir: crashed.dir, clock, missing: ["web"] });
    await after.pass(16);
    expect((await after.chain.replyTo(W2)).reply.text).toBe(offline);
  }
});

test("in place of a member only who takes the same words to the same effect is chosen, whoever's word counts", () => {
  const names = ["web", "web-2", "web-3"];
  const map = createCommandMap(
    [],
    names.map((name) => ({ name, pool: "web" })),
  );
  map.announce("web", [command("http")]);
  map.announce("web-2", [command("http", { effect: "change" })]);
  map.turn("web", "offline");
  const choice = createChoice({
    map,
    presence: {
      isOnline: (child) => child !== "web",
      isStopping: () => false,
      isNotStarted: () => false,
      silentMs: () => 15_000,
    },
    waits: { inFlight: () => 0 },
    addressees: new Map(names.map((name) => [name, { address: `agent.${name}`, name }])),
  });
  expect(choice.choose("http")).toMatchObject({ child: "web-2" });
  expect(choice.choose("http", ["web"], "web")).toMatchObject({ failure: "E_OFFLINE" });
  expect(choice.mayGiveUp("web", "http")).toBe(true);
});
