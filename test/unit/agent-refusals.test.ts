import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startChain, type TestAgent, type TestChain } from "../support/agents.ts";
import { settled } from "../support/event-loop.ts";
import { createForge, type Forge, type Forged, parseCarried } from "../support/forge.ts";
import { readRows, refusalsOf } from "../support/ledger-rows.ts";
import { createManualClock } from "../support/manual-clock.ts";

const SOME_ID = "019ad2ff-0000-7000-8000-000000000001";
const DAY_MS = 24 * 60 * 60 * 1000;

let ran: string[] = [];
const CHAIN: readonly TestAgent[] = [
  { name: "root" },
  {
    name: "ops",
    commands: {
      echo: (_, { word }) => {
        ran.push(String(word));
        return { text: `heard ${String(word)}` };
      },
    },
    events: { secret: () => void ran.push("secret event") },
  },
  { name: "web", commands: { http: () => ({ text: "200" }) } },
];

let clock = createManualClock();
let chain: TestChain;
let forge: Forge;

beforeEach(async () => {
  ran = [];
  clock = createManualClock();
  chain = await startChain(CHAIN, { clock });
  forge = createForge(chain, clock.now);
  chain.lanes.carried.length = 0;
});
afterEach(() => chain[Symbol.asyncDispose]());

/** Puts a text on a lane and lets whatever follows happen. */
async function inject(from: string, to: string, text: string): Promise<void> {
  await chain.lanes.inject(from, to, text);
  await settled();
}

/** Honest traffic in both directions still works, and was answered once. */
async function expectUndisturbed(): Promise<void> {
  const before = chain.replies.length;
  expect((await chain.ask('echo {"word":"honest"}')).reply.text).toBe("heard honest");
  expect((await chain.ask("http")).reply.text).toBe("200");
  await settled();
  expect(chain.replies).toHaveLength(before + 2);
}

const recorded = (agent: string): number =>
  Number(readRows(chain.dir, agent, "SELECT count(*) AS n FROM message")[0]?.["n"]);

describe("a text that cannot be trusted is refused, counted and not answered", () => {
  const spoilt: readonly (readonly [what: string, code: string, spoil: (text: string) => string])[] = [
    ["with white space", "E_NOT_CANONICAL", (text) => text.replace(',"id"', ', "id"')],
    ["with a line end behind it", "E_NOT_CANONICAL", (text) => `${text}\n`],
    ["with a key twice", "E_NOT_CANONICAL", (text) => text.replace("{", '{"corr":"00000000",')],
    ["with the key __proto__", "E_NOT_CANONICAL", (text) => text.replace('"params":{}', '"params":{"__proto__":{"x":1}}')],
    ["with keys out of order", "E_NOT_CANONICAL", (text) => `{"zz":1,${text.slice(1)}`],
    ["with a number that no double holds", "E_NOT_CANONICAL", (text) => text.replace('"params":{}', '"params":{"n":9007199254740993}')],
    ["with another spelling of a number", "E_NOT_CANONICAL", (text) => text.replace('"params":{}', '"params":{"n":1.0}')],
    ["with an endless number", "E_NOT_CANONICAL", (text) => text.replace('"params":{}', '"params":{"n":1e999}')],
    ["with a letter that is not composed", "E_NOT_CANONICAL", (text) => text.replace('"params":{}', '"params":{"n":"e\u0301"}')],
    ["nested 70 levels deep", "E_NOT_CANONICAL", (text) => text.replace('"params":{}', `"params":{"n":${"[".repeat(70)}${"]".repeat(70)}}`)],
    ["nested 100,000 levels deep", "E_NOT_CANONICAL", (text) => text.replace('"params":{}', `"params":{"n":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)],
    ["that ends half way", "E_NOT_CANONICAL", (text) => text.slice(0, text.length / 2)],
    ["that is empty", "E_NOT_CANONICAL", () => ""],
    ["that is no object", "E_ENVELOPE_INVALID", () => "[1,2,3]"],
    ["larger than 1 MiB", "E_TOO_LARGE", (text) => text.replace('"params":{}', `"params":{"n":"${"x".repeat(1024 * 1024)}"}`)],
  ]; // prettier-ignore
  test.each(spoilt)("%s", async (_, code, spoil) => {
    const before = recorded("ops");
    await inject("root", "ops", spoil(forge.text("root", "ops")));
    expect(refusalsOf(chain.dir, "ops")).toEqual({ [`root ${code}`]: 1 });
    expect(recorded("ops")).toBe(before);
    expect(chain.lanes.carried).toEqual([]);
    expect(ran).toEqual([]);
    await expectUndisturbed();
  });

  const shapes: readonly (readonly [what: string, forged: Forged])[] = [
    ["of another version", { extra: { v: "2" } }],
    ["with no priority of ours", { extra: { priority: "now" } }],
    ["with a payload that is a list", { extra: { payload: [] } }],
    ["of an unknown type", { extra: { message_type: "command_override" } }],
    ["of a type that its envelope contradicts", { extra: { type: "result", reply_to: SOME_ID } }],
    ["with an id that is no UUID", { id: "01234567-not-a-uuid" }],
    ["with an id of another kind of UUID", { id: "00000000-0000-4000-8000-000000000001" }],
    ["with a conversation that is no UUID", { corr: "some conversation" }],
    ["with a conversation that only looks like a UUID", { corr: "00000000-0000-0000-0000-000000000001" }],
    ["that answers what only looks like a UUID", { reply_to: "00000000-0000-9000-8000-000000000001" }],
    ["with a deadline that is a text", { requires: { timeout_ms: "soon" } }],
    ["with a deadline before its time", { requires: { timeout_ms: -1 } }],
    ["of somebody without a name", { extra: { message_source: "" } }],
    ["that cancels nothing", { type: "cancel", reply_to: null }],
    [
      "that cancels what only looks like a UUID",
      { type: "cancel", reply_to: "ffffffff-0000-0000-0000-000000000001" },
    ],
  ];
  test.each(shapes)("an envelope %s", async (_, forged) => {
    const before = recorded("ops");
    await inject("root", "ops", forge.text("root", "ops", forged));
    expect(refusalsOf(chain.dir, "ops")).toEqual({ "root E_ENVELOPE_INVALID": 1 });
    expect(recorded("ops")).toBe(before);
    expect(chain.lanes.carried).toEqual([]);
    await expectUndisturbed();
  });

  test("an envelope of a forged sender", async () => {
    for (const source of [`agent.${chain.agents.get("web")?.self.id}`, `agent.${SOME_ID}`, "human.ann"]) {
      await inject("root", "ops", forge.text("root", "ops", { source }));
    }
    expect(refusalsOf(chain.dir, "ops")).toEqual({ "root E_WRONG_SENDER": 3 });
    expect(chain.lanes.carried).toEqual([]);
    expect(ran).toEqual([]);
    await expectUndisturbed();
  });

  test("whatever comes by a lane that does not exist", async () => {
    await inject("stranger", "ops", forge.text("root", "ops"));
    await inject("self", "ops", forge.text("root", "ops"));
    await inject("people", "root", forge.text("ops", "root"));
    expect(refusalsOf(chain.dir, "ops")).toEqual({});
    expect(ran).toEqual([]);
    await expectUndisturbed();
  });
});

describe("an envelope that is well made and may not act is refused", () => {
  test("when it is for somebody else: its master is told so, once for each time that it asks", async () => {
    const id = forge.idAt(0);
    const text = forge.text("root", "ops", { id, target: `agent.${chain.agents.get("web")?.self.id}` });
    await inject("root", "ops", text);
    await inject("root", "ops", text);
    expect(refusalsOf(chain.dir, "ops")).toEqual({ "root E_WRONG_RECIPIENT": 2 });
    const answers = parseCarried(chain.lanes.carried, "ops", "root");
    expect(answers.map(({ reply_to, payload }) => [reply_to, payload["code"]])).toEqual([
      [id, "E_WRONG_RECIPIENT"],
      [id, "E_WRONG_RECIPIENT"],
    ]);
    await expectNothingOwed("ops");
    await expectUndisturbed();
  });

  test.each([
    ["8 days old", -8 * DAY_MS],
    ["from the future", 11 * 60_000],
  ])("when it is %s: a master that asks is told so, and nothing is kept of it", async (_, ms) => {
    const before = recorded("ops");
    const id = forge.idAt(ms);
    await inject("root", "ops", forge.text("root", "ops", { id }));
    await inject(
      "root",
      "ops",
      forge.text("root", "ops", { id: forge.idAt(ms), type: "cancel", reply_to: SOME_ID }),
    );
    await inject(
      "web",
      "ops",
      forge.text("web", "ops", { id: forge.idAt(ms), type: "command_result", reply_to: SOME_ID }),
    );
    expect(refusalsOf(chain.dir, "ops")).toEqual({ "root E_STALE": 2, "web E_STALE": 1 });
    expect(recorded("ops")).toBe(before);
    expect(parseCarried(chain.lanes.carried, "ops", "root").map(({ reply_to }) => reply_to)).toEqual([id]);
    expect(parseCarried(chain.lanes.carried, "ops", "web")).toEqual([]);
    await expectNothingOwed("ops");
    await expectUndisturbed();
  });

  const UP = ["command_result", "command_error", "progress", "notice", "heartbeat", "announcement", "system_failure"] as const; // prettier-ignore
  test.each(UP)("a master does not send a %s", async (type) => {
    await inject("root", "ops", forge.text("root", "ops", { type, reply_to: SOME_ID }));
    expect(refusalsOf(chain.dir, "ops")).toEqual({ "root E_WRONG_DIRECTION": 1 });
    expect(chain.lanes.carried).toEqual([]);
    await expectUndisturbed();
  });

  const DOWN = ["command_request", "cancel", "system_failure"] as const;
  test.each(DOWN)("a child does not send a %s, and is not answered", async (type) => {
    const details = { command: "echo", params: { word: "from below" } };
    await inject("web", "ops", forge.text("web", "ops", { type, details, reply_to: SOME_ID }));
    expect(refusalsOf(chain.dir, "ops")).toEqual({ "web E_WRONG_DIRECTION": 1 });
    expect(chain.lanes.carried).toEqual([]);
    expect(ran).toEqual([]);
    await expectUndisturbed();
  });

  test("a child cannot have a command run by calling its task aee's", async () => {
    for (const details of [
      { command: "echo", params: { word: "from below" } },
      { event: "secret", payload: {} },
    ]) {
      await inject("web", "ops", forge.text("web", "ops", { intent: "aee.run", details }));
    }
    expect(ran).toEqual([]);
    expect(refusalsOf(chain.dir, "ops")).toEqual({ "web E_UNKNOWN_COMMAND": 2 });
    expect(chain.lanes.carried).toEqual([]);
    await expectUndisturbed();
  });

  test("a child cannot speak for a person, nor make the root speak", async () => {
    const words = { chat: "chat", person: "ann", text: 'echo {"word":"as ann"}' };
    for (const intent of ["aee.words", "quox.chat.query"]) {
      for (const details of [
        { event: "inbound_message", payload: words },
        { command: "inbound_message", params: words },
      ]) {
        await inject("ops", "root", forge.text("ops", "root", { intent, details }));
      }
    }
    expect(ran).toEqual([]);
    expect(chain.replies).toEqual([]);
    expect(refusalsOf(chain.dir, "root")).toEqual({ "ops E_UNKNOWN_COMMAND": 2, "ops E_WRONG_DIRECTION": 2 });
    await expectUndisturbed();
  });

  test("a master cannot raise an event inside its child: its request is answered like any that names no command", async () => {
    const id = forge.idAt(0);
    await inject("root", "ops", forge.text("root", "ops", { id, details: { event: "secret", payload: {} } }));
    expect(ran).toEqual([]);
    const [answer, ...others] = parseCarried(chain.lanes.carried, "ops", "root");
    expect(answer).toMatchObject({ reply_to: id, payload: { code: "E_ENVELOPE_INVALID" } });
    expect(others).toEqual([]);
    await expectUndisturbed();
  });

  test.each([
    ["without a command", { params: {} }],
    ["whose command is a number", { command: 7, params: {} }],
    ["whose command is a megabyte long", { command: "x".repeat(900_000), params: {} }],
    ["whose parameters are a list", { command: "echo", params: [] }],
    ["without parameters", { command: "echo" }],
  ])("a task %s is answered and not run", async (_, details) => {
    const id = forge.idAt(0);
    await inject("root", "ops", forge.text("root", "ops", { id, details }));
    expect(ran).toEqual([]);
    const answers = parseCarried(chain.lanes.carried, "ops", "root");
    expect(answers).toMatchObject([{ reply_to: id, payload: { code: "E_ENVELOPE_INVALID" } }]);
    expect(JSON.stringify(answers).length).toBeLessThan(2000);
    await expectUndisturbed();
  });

  test("a task that has no time left is answered and not run", async () => {
    const id = forge.idAt(0);
    await inject("root", "ops", forge.text("root", "ops", { id, requires: { timeout_ms: 0 } }));
    expect(ran).toEqual([]);
    expect(parseCarried(chain.lanes.carried, "ops", "root")).toMatchObject([
      { reply_to: id, payload: { code: "E_TIMEOUT" } },
    ]);
    await expectUndisturbed();
  });

  test("a command that nobody offers is answered so", async () => {
    await inject(
      "root",
      "ops",
      forge.text("root", "ops", { details: { command: "constructor", params: {} } }),
    );
    expect(parseCarried(chain.lanes.carried, "ops", "root")).toMatchObject([
      { payload: { code: "E_UNKNOWN_COMMAND" } },
    ]);
    await expectUndisturbed();
  });
});

describe("copies", () => {
  test("a task that is replayed runs once, and its answer is sent again", async () => {
    const text = forge.text("root", "ops", { details: { command: "echo", params: { word: "a" } } });
    for (let i = 0; i < 3; i++) await inject("root", "ops", text);
    expect(ran).toEqual(["a"]);
    expect(new Set(parseCarried(chain.lanes.carried, "ops", "root").map(({ id }) => id)).size).toBe(1);
    await expectUndisturbed();
  });

  test("an altered copy of a task neither runs nor changes what is recorded", async () => {
    const id = forge.idAt(0);
    const word = (text: string): string =>
      forge.text("root", "ops", { id, details: { command: "echo", params: { word: text } } });
    await inject("root", "ops", word("first"));
    await inject("root", "ops", word("second"));
    expect(ran).toEqual(["first"]);
    const bodies = readRows(chain.dir, "ops", "SELECT body FROM message").map(({ body }) => String(body));
    expect(bodies.filter((body) => body.includes("second"))).toEqual([]);
    await expectUndisturbed();
  });

  test("a task that is replayed after its record may be gone is too old to act", async () => {
    const text = forge.text("root", "ops", { details: { command: "echo", params: { word: "a" } } });
    await inject("root", "ops", text);
    clock.setWallClock(clock.now() + 31 * DAY_MS);
    clock.advance(61_000);
    await settled();
    await inject("root", "ops", text);
    expect(ran).toEqual(["a"]);
    expect(refusalsOf(chain.dir, "ops")).toEqual({ "root E_STALE": 1 });
  });
});

describe("answers", () => {
  test("to a request that a sibling was asked are recorded and not applied", async () => {
    const release = Promise.withResolvers<void>();
    await using tree = await startChain(
      [
        { name: "root" },
        {
          name: "good",
          commands: {
            slow: async () => {
              await release.promise;
              return { text: "from the good one" };
            },
          },
        },
        { name: "bad", master: "root", commands: { other: () => ({ text: "x" }) } },
      ],
      { clock },
    );
    const reply = tree.ask("slow");
    await settled();
    const asked = parseCarried(tree.lanes.carried, "root", "good").find(
      ({ message_type }) => message_type === "command_request",
    );
    const bad = createForge(tree, clock.now);
    for (const type of ["command_result", "command_error", "progress"] as const) {
      const details = {
        summary: "from the bad one",
        code: "E_X",
        message: "from the bad one",
        text: "from the bad one",
      };
      await tree.lanes.inject(
        "bad",
        "root",
        bad.text("bad", "root", { type, details, reply_to: asked?.id ?? "", corr: asked?.corr ?? "" }),
      );
    }
    await settled();
    expect(tree.replies).toEqual([]);
    expect(tree.progress).toEqual([]);
    release.resolve();
    expect((await reply).reply.text).toBe("from the good one");
    expect(tree.replies).toHaveLength(1);
  });

  test("to what was never asked, replayed, or altered, count once at most", async () => {
    const reply = await chain.ask("http");
    expect(reply.reply.text).toBe("200");
    const [asked] = parseCarried(chain.lanes.carried, "ops", "web");
    const answered = chain.lanes.carried.findLast(
      ({ from, text }) => from === "web" && text.includes('"command_result"'),
    );
    const details = { summary: "altered", result: null };
    await inject("web", "ops", answered?.text ?? "");
    await inject(
      "web",
      "ops",
      forge.text("web", "ops", {
        type: "command_result",
        details,
        reply_to: asked?.id ?? "",
        corr: asked?.corr ?? "",
      }),
    );
    await inject(
      "web",
      "ops",
      forge.text("web", "ops", { type: "command_result", details, reply_to: SOME_ID }),
    );
    clock.advance(500);
    await settled();
    expect(chain.replies).toHaveLength(1);
    // What answers nothing is counted and not kept; a second answer to one question is not kept either.
    expect(refusalsOf(chain.dir, "ops")).toEqual({ "web E_NOT_ASKED": 1 });
    using ops = chain.read("ops");
    const corr = asked?.corr ?? "";
    expect(ops.trace(corr).filter(({ message }) => message.type === "command_result")).toHaveLength(2);
    await expectUndisturbed();
  });

  test("count against their lane when nobody asked, and never when they come late or once more", async () => {
    chain.lanes.isLost = ({ from, text }) => from === "web" && text.includes('"command_result"');
    const reply = chain.ask("http");
    await settled();
    // The question, and after it the answer to the person, run out of their time.
    for (let i = 0; i < 140; i++) {
      clock.advance(1000);
      await settled();
    }
    expect((await reply).reply.text).toMatch(/^E_TIMEOUT/);
    const answer = chain.lanes.carried.find(
      ({ from, text }) => from === "web" && text.includes('"command_result"'),
    );
    const ends = [];
    for (let i = 0; i < 3; i++) ends.push(await chain.lanes.inject("web", "ops", answer?.text ?? ""));
    expect(ends).toEqual(["taken", "taken", "taken"]);
    expect(refusalsOf(chain.dir, "ops")).toEqual({});
    const details = { summary: "invented", result: null };
    const invented = forge.text("web", "ops", { type: "command_result", details, reply_to: SOME_ID });
    expect(await chain.lanes.inject("web", "ops", invented)).toBe("refused");
  });

  test.each([
    ["a result without words", "command_result", { result: {} }],
    ["a result with a verdict of its own making", "command_result", { summary: "x", verdict: "great" }],
    ["an error without a code", "command_error", { message: "x" }],
    [
      "an error whose code is no code",
      "command_error",
      { code: "x\u001b[31m", message: "y", retryable: false },
    ],
    [
      "an error of a megabyte",
      "command_error",
      { code: "E_X", message: "y".repeat(1_000_000), retryable: false },
    ],
  ] as const)("that do not have the shape of one fail their request alone: %s", async (_, type, details) => {
    chain.lanes.isLost = ({ from }) => from === "web";
    const reply = chain.ask("http");
    await settled();
    const asked = parseCarried(chain.lanes.carried, "ops", "web").at(-1);
    await inject(
      "web",
      "ops",
      forge.text("web", "ops", { type, details, reply_to: asked?.id ?? "", corr: asked?.corr ?? "" }),
    );
    const { failure, reply: shown } = await reply;
    expect(failure).toBeUndefined();
    expect(shown.text).toMatch(/^E_(BAD_REPLY|X): /);
    expect(JSON.stringify(shown).length).toBeLessThan(5000);
    chain.lanes.isLost = () => false;
    await expectUndisturbed();
  });
});

describe("announcements", () => {
  const announced = (commands: unknown): string =>
    forge.text("web", "ops", { type: "announcement", details: { commands } });
  const command = (name: string) => ({
    name,
    description: name || "x",
    prompts: [],
    input: {},
    effect: "read",
    timeoutMs: 1000,
  });

  test.each([
    ["with a name that is a path", [command("../../etc/passwd")]],
    ["with a name that is a prototype's", [command("__proto__")]],
    ["with an empty name", [command("")]],
    ["with a name of another script", [command("пинг")]],
    ["with a name of 10,000 letters", [command("a".repeat(10_000))]],
    ["with a deadline before its time", [{ ...command("fine"), timeoutMs: -5 }]],
    ["with fields of its own making", [{ ...command("fine"), access: "everybody" }]],
    ["of 10,000 commands", Array.from({ length: 10_000 }, (_, i) => command(`c${i}`))],
    ["that is no list", { http: true }],
  ])("%s are refused, and what was known before stays", async (_, commands) => {
    await inject("web", "ops", announced(commands));
    expect(refusalsOf(chain.dir, "ops")).toEqual({ "web E_ENVELOPE_INVALID": 1 });
    expect(
      chain.agents
        .get("root")
        ?.commands()
        .map(({ name }) => name),
    ).toEqual(["echo", "http"]);
    await expectUndisturbed();
  });

  test("cannot take a command away from their master, nor hang it on a name of JavaScript's", async () => {
    await inject(
      "web",
      "ops",
      announced([command("echo"), command("http"), command("constructor"), command("tostring")]),
    );
    expect((await chain.ask('echo {"word":"mine"}')).reply.text).toBe("heard mine");
    expect(chain.agents.get("ops")?.collisions).toEqual([
      { command: "echo", kept: "itself", disabled: "web" },
    ]);
    await expectUndisturbed();
  });
});

test("a child that changes its mind without end is heard, and floods nobody above", async () => {
  const command = (name: string) => ({
    name,
    description: name,
    prompts: [],
    input: {},
    effect: "read",
    timeoutMs: 1000,
  });
  for (let n = 0; n < 200; n++) {
    const commands = [command("http"), command(`c${n}`)];
    await chain.lanes.inject(
      "web",
      "ops",
      forge.text("web", "ops", { type: "announcement", details: { commands } }),
    );
  }
  const told = (): number =>
    parseCarried(chain.lanes.carried, "ops", "root").filter(
      ({ message_type: type }) => type === "announcement",
    ).length;
  expect(told()).toBeLessThanOrEqual(5);
  clock.advance(1001);
  await settled();
  expect(told()).toBeLessThanOrEqual(6);
  expect(
    chain.agents
      .get("root")
      ?.commands()
      .map(({ name }) => name),
  ).toEqual(["echo", "http", "c199"]);
  await expectUndisturbed();
});

describe("what needs no answer", () => {
  test("an acknowledgement of what was never sent, or was sent to somebody else, closes nothing", async () => {
    chain.lanes.isLost = () => true;
    await chain.say("http", "00000000-0000-5000-8000-000000000001");
    await settled();
    const [toOps] = parseCarried(chain.lanes.carried, "root", "ops");
    chain.lanes.isLost = () => false;
    const ids = [
      SOME_ID,
      toOps?.id,
      "nonsense",
      "00000000-0000-0000-0000-000000000001",
      7,
      null,
      { id: SOME_ID },
    ];
    // The root's own request is open towards ops; web acknowledges it to ops, and ops what it never got to the root.
    await inject("web", "ops", forge.text("web", "ops", { type: "message_acknowledged", details: { ids } }));
    await inject(
      "ops",
      "root",
      forge.text("ops", "root", { type: "message_acknowledged", details: { ids: [SOME_ID, 7, "x"] } }),
    );
    await inject(
      "ops",
      "root",
      forge.text("ops", "root", { type: "message_acknowledged", details: { ids: "all" } }),
    );
    await inject("ops", "root", forge.text("ops", "root", { type: "message_acknowledged", details: {} }));
    clock.advance(2500);
    expect((await chain.replyTo("00000000-0000-5000-8000-000000000001")).reply.text).toBe("200");
    await expectUndisturbed();
  });

  test("100,000 acknowledged ids in one envelope do not hold the agent up", async () => {
    const ids = Array.from(
      { length: 26_000 },
      (_, i) => `019ad2ff-0000-7000-8000-${String(i).padStart(12, "0")}`,
    );
    const text = forge.text("web", "ops", { type: "message_acknowledged", details: { ids } });
    const before = performance.now();
    await inject("web", "ops", text);
    expect(performance.now() - before).toBeLessThan(500);
    await expectUndisturbed();
  });

  test.each([
    ["control characters", "\u001b[2J\u0007\u0000done"],
    ["a megabyte", "x".repeat(1_000_000)],
    ["no text", 7],
    ["text that changes its direction", "\u202egnihtemos"],
  ])("progress with %s reaches people short and plain, or not at all", async (_, text) => {
    chain.lanes.isLost = ({ from }) => from === "web";
    const reply = chain.ask("http", "00000000-0000-5000-8000-000000000001");
    await settled();
    const asked = parseCarried(chain.lanes.carried, "ops", "web").at(-1);
    for (const fraction of [0.5, 1e308, -3, "half"]) {
      const details = { text, fraction };
      await inject(
        "web",
        "ops",
        forge.text("web", "ops", { type: "progress", details, reply_to: asked?.id ?? "" }),
      );
      clock.advance(300);
    }
    for (const shown of chain.progress) {
      expect(shown.length).toBeLessThanOrEqual(1000);
      expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }
    for (const { payload } of parseCarried(chain.lanes.carried, "ops", "root").filter(
      ({ message_type }) => message_type === "progress",
    )) {
      expect(payload["fraction"] ?? 0).toBeGreaterThanOrEqual(0);
      expect(payload["fraction"] ?? 0).toBeLessThanOrEqual(1);
    }
    const before = recorded("ops");
    await inject(
      "web",
      "ops",
      forge.text("web", "ops", { type: "progress", details: { text }, reply_to: SOME_ID }),
    );
    expect(recorded("ops")).toBe(before);
    chain.lanes.isLost = () => false;
    clock.advance(2500);
    expect((await reply).reply.text).toBe("200");
  });

  test.each(["heartbeat", "notice"] as const)("a %s from a child changes nothing", async (type) => {
    await inject(
      "web",
      "ops",
      forge.text("web", "ops", { type, reply_to: SOME_ID, details: { summary: "x" } }),
    );
    expect(chain.replies).toEqual([]);
    await expectUndisturbed();
  });
});

test("a flood of refused envelopes leaves one row for each neighbour and code, and no more log lines than that", async () => {
  for (let i = 0; i < 500; i++) {
    await chain.lanes.inject("root", "ops", " ");
    await chain.lanes.inject("web", "ops", forge.text("web", "ops", { type: "cancel", reply_to: SOME_ID }));
  }
  await settled();
  expect(refusalsOf(chain.dir, "ops")).toEqual({ "root E_NOT_CANONICAL": 500, "web E_WRONG_DIRECTION": 500 });
  expect(chain.logged.filter(({ message }) => message === "an envelope was refused")).toHaveLength(2);
  expect(chain.lanes.carried).toEqual([]);
  await expectUndisturbed();
});

/** Nothing is sent again however long it takes. */
async function expectNothingOwed(agent: string): Promise<void> {
  const before = chain.lanes.carried.filter(({ from }) => from === agent).length;
  clock.advance(60_000);
  await settled();
  expect(chain.lanes.carried.filter(({ from }) => from === agent)).toHaveLength(before);
}
