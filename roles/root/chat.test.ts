import { describe, expect, test } from "vitest";
import { type Handles, tryEvent } from "#sdk/testing";
import chat from "./chat.ts";

type RootHandles = Handles<readonly ["comm.gateway", "understanding", "commands"]>;

const commands = [
  {
    name: "http",
    description: "Check that a web page answers",
    prompts: ["is example.com up?", "check https://example.com"],
    input: {
      properties: {
        url: { type: "string", format: "uri", description: "the page's address" },
        expect: { type: "integer", default: 200 },
      },
      required: ["url"],
    },
    effect: "read" as const,
    timeoutMs: 60_000,
  },
  {
    name: "host",
    description: { en: "Show how the machine is doing", de: "Zeigt, wie es der Maschine geht" },
    prompts: { en: ["how full are the disks?"], de: ["wie voll sind die Platten?"] },
    input: {},
    effect: "read" as const,
    timeoutMs: 60_000,
  },
];
const children = [{ name: "ops", state: "online" as const, commands: ["http", "host"] }];

/** Hears one text, whose outcome is given, and gives all that was said. */
async function hear(outcome: object, rest: object = {}) {
  const said: { reply?: unknown; ending?: unknown }[] = [];
  const delegated: unknown[] = [];
  const handles = {
    gateway: {
      reply: (reply: unknown, ending?: unknown) => void said.push({ reply, ...(ending ? { ending } : {}) }),
      last: () => ({ text: "ten minutes ago" }),
    },
    understanding: { understand: () => outcome },
    commands: { list: () => commands, children: () => children, cancel: () => 2 },
    delegate: (command: string, params: unknown) => {
      delegated.push({ command, params });
      return { text: "example.com answered 200", verdict: "ok", data: { status: 200 }, vantage: "berlin-1" };
    },
    ...rest,
  } as unknown as RootHandles;
  await tryEvent(chat, "inbound_message", { chat: "console:a", person: "ann", text: "…" }, handles);
  return { said, delegated };
}

function wordsOf(reply: unknown): string {
  const { text } = reply as { text: string | { markup: Record<string, string>[] } };
  return typeof text === "string" ? text : text.markup.map((run) => Object.values(run)[0]).join("");
}

const run = {
  kind: "run",
  command: "http",
  params: { url: "https://example.com" },
  understood: "/http url=https://example.com",
};

describe("words that ask for a command", () => {
  test("are handed down, and the answer comes back whole", async () => {
    const { said, delegated } = await hear(run);
    expect(delegated).toEqual([{ command: "http", params: { url: "https://example.com" } }]);
    expect(said).toEqual([
      {
        reply: {
          text: "example.com answered 200",
          verdict: "ok",
          data: { status: 200 },
          vantage: "berlin-1",
        },
      },
    ]);
  });

  test("are understood before anything is waited for", () => {
    const order: string[] = [];
    const understanding = { understand: () => (order.push("understood"), { kind: "empty", text: "…" }) };
    const heard = hear({}, { understanding });
    order.push("returned");
    expect(order).toEqual(["understood", "returned"]);
    return heard;
  });

  test("end in what happened and a way to ask again when it did not work", async () => {
    const delegate = () => ({ failure: "E_OFFLINE", text: "web is not running. Start it.", retryable: true });
    const { said } = await hear(run, { delegate });
    expect(said[0]?.reply).toMatchObject({
      verdict: "inconclusive",
      buttons: [{ label: "Try again", say: "/http url=https://example.com" }],
    });
    expect(said[0]?.ending).toEqual({ kind: "failed", failure: "E_OFFLINE" });
    expect(wordsOf(said[0]?.reply)).toBe(
      "web is not running. Start it.\nOnce more: /http url=https://example.com",
    );
  });

  test.each([
    ["change", undefined],
    ["destroy", undefined],
    ["read", [{ label: "Try again", say: "/http url=https://example.com" }]],
  ])("offer a repeat of what came too late where it has the effect %s: %j", async (effect, buttons) => {
    const delegate = () => ({ failure: "E_TIMEOUT", text: "No answer came in time.", retryable: true });
    const list = () => [{ ...commands[0], effect }];
    const { said } = await hear(run, { delegate, commands: { list, children: () => children } });
    expect(said[0]?.reply).toHaveProperty("verdict", "inconclusive");
    expect(said.map(({ reply }) => (reply as { buttons?: unknown }).buttons)).toEqual([buttons]);
  });

  test("offer no repeat where a repeat cannot help", async () => {
    const delegate = () => ({ failure: "E_ADDRESS_REFUSED", text: "Set NET_ALLOW=10.0.0.5 to allow it." });
    const { said } = await hear(run, { delegate });
    expect(said[0]?.reply).not.toHaveProperty("buttons");
    expect(wordsOf(said[0]?.reply)).toBe("Set NET_ALLOW=10.0.0.5 to allow it.");
  });
});

describe("words that the root answers itself", () => {
  test("a question carries its choices as buttons", async () => {
    const choices = [{ label: "Check", say: "Check" }];
    const { said } = await hear({ kind: "ask", text: "Which?", choices });
    expect(said).toEqual([{ reply: { text: "Which?", buttons: choices }, ending: { kind: "asked" } }]);
  });

  test.each(["refuse", "empty"])("%s says its text, and that nothing was done", async (kind) => {
    expect((await hear({ kind, text: "words" })).said).toEqual([
      { reply: { text: "words" }, ending: { kind: "refused" } },
    ]);
  });

  test("a question that is dropped has nothing more to it", async () => {
    expect((await hear({ kind: "closed", text: "words" })).said).toEqual([{ reply: { text: "words" } }]);
  });

  const builtin = async (name: string, argument = ""): Promise<string> =>
    wordsOf((await hear({ kind: "builtin", name, argument })).said[0]?.reply);

  test("/start names things to try", async () => {
    expect(await builtin("start")).toContain("is example.com up?");
  });

  test("/help lists every command by who offers it, with an example", async () => {
    expect((await builtin("help")).split("\n").slice(0, 5)).toEqual([
      "ops",
      "/http Check that a web page answers",
      "    is example.com up?",
      "/host Show how the machine is doing",
      "    how full are the disks?",
    ]);
  });

  test("/help of a command shows what it takes", async () => {
    expect(await builtin("help", "/http")).toBe(
      [
        "/http Check that a web page answers",
        "",
        "It takes",
        "• url: the page's address (a web address)",
        "• expect: a whole number, 200 if left out",
        "",
        "Say for example",
        "• is example.com up?",
        "• check https://example.com",
      ].join("\n"),
    );
    expect(await builtin("help", "nonsense")).toContain("no command “nonsense”");
  });

  test("/help tells what several children offer together once, by all of their names", async () => {
    const of = (name: string, state: "online" | "offline", ...names: string[]) => ({
      name,
      state,
      commands: names,
    });
    const headings = async (...all: readonly ReturnType<typeof of>[]): Promise<readonly string[]> => {
      const { said } = await hear(
        { kind: "builtin", name: "help", argument: "" },
        { commands: { list: () => commands, children: () => all } },
      );
      const told = wordsOf(said[0]?.reply);
      expect(told.match(/^\/http /gm)).toHaveLength(1);
      return told.split("\n").filter((line) => /^(web|api)/.test(line));
    };
    const api = of("api", "online", "host");
    expect(await headings(of("web", "offline", "http"), of("web-2", "online", "http"), api)).toEqual([
      "web, web-2",
      "api",
    ]);
    expect(await headings(of("web", "offline", "http"), of("web-2", "offline", "http"), api)).toEqual([
      "web, web-2 (offline just now)",
      "api",
    ]);
  });

  test("/tree shows the children and their commands", async () => {
    expect(await builtin("tree")).toBe("root\n└─ ops ● /http /host");
  });

  test("/tree shows what to start of the children that are not there", async () => {
    const all = [
      { name: "ops", state: "offline" as const, commands: ["http"] },
      { name: "office", state: "online" as const, commands: ["host"] },
      { name: "lab", state: "not started" as const, commands: [] },
    ];
    const { said } = await hear(
      { kind: "builtin", name: "tree", argument: "" },
      { commands: { list: () => commands, children: () => all } },
    );
    expect(wordsOf(said[0]?.reply).split("\n")).toEqual([
      "root",
      "├─ ops ○ offline /http",
      "│  Start it by npm run agent -- ops",
      "├─ office ● /host",
      "└─ lab ○ not started no commands",
      "   Start it by npm run agent -- lab",
    ]);
  });

  test("/cancel says how many requests it ended", async () => {
    expect(await builtin("cancel")).toBe("I have cancelled your 2 requests.");
  });

  test("/last repeats the last reply", async () => {
    expect(await builtin("last")).toBe("ten minutes ago");
  });
});

test("at the start the commands are learnt, and one prompt each of up to three of them is shown", async () => {
  const greeted: unknown[] = [];
  const learnt: unknown[] = [];
  await tryEvent(chat, "on_boot", undefined, {
    gateway: { greet: (reply: unknown) => void greeted.push(reply) },
    understanding: { learn: (list: unknown) => void learnt.push(list) },
    commands: { list: () => commands, children: () => children },
  });
  expect(learnt).toEqual([commands]);
  expect(greeted.map(wordsOf)).toEqual([
    "Try one of these:\n• is example.com up?\n• how full are the disks?\n/help lists all that I can do, Ctrl-D leaves.",
  ]);
});

test("/help of a command whose schema names what every object inherits shows plain kinds", async () => {
  const odd = { type: "constructor", format: "toString", entity: "__proto__" };
  const list = () => [{ ...commands[0], input: { properties: { odd }, required: ["odd"] } }];
  const { said } = await hear(
    { kind: "builtin", name: "help", argument: "http" },
    { commands: { list, children: () => children } },
  );
  expect(wordsOf(said[0]?.reply)).toContain("• odd: a value");
});

test("send_message says something in a chat unasked", async () => {
  const sent: unknown[] = [];
  await tryEvent(
    chat,
    "send_message",
    { chat: "console:a", text: "The disk is full again." },
    {
      gateway: { send: (to: string, reply: unknown) => void sent.push([to, reply]) },
      understanding: {},
      commands: {},
    },
  );
  expect(sent).toEqual([["console:a", { text: "The disk is full again." }]]);
});
