import { expect, test } from "vitest";
import { z } from "zod";
import { defineRole, md } from "../../src/sdk/index.ts";
import { createMemoryStore, tryCommand, tryEvent } from "../../src/sdk/testing/index.ts";

const desk = defineRole({
  commands: {
    add: {
      description: "Add two numbers",
      params: z.object({ a: z.int(), b: z.int().default(1) }),
      data: z.object({ sum: z.int(), unit: z.string().default("apples") }),
      run: (_context, { a, b }) => ({ text: md`**${a + b}**`, data: { sum: a + b } }),
    },
    steps: {
      description: "Run two steps of one name and one of another",
      async run({ step, progress }) {
        const keys: string[] = [];
        for (const name of ["pay", "pay", "tell"]) keys.push(await step(name, ({ key }) => key));
        progress("half", 0.5);
        progress("done");
        return { text: keys.join(" ") };
      },
    },
    ask: {
      description: "Ask a child",
      async run({ delegate }) {
        const answer = await delegate("http", { url: "a" }, z.object({ status: z.int() }));
        return "failure" in answer
          ? answer
          : { text: `${answer.text} ${answer.data.status} ${answer.verdict}` };
      },
    },
    context: {
      description: "Tell what it was asked with",
      run: ({ request, signal }) => ({
        text: `${request.language} ${request.zone} ${request.askedBy} ${request.deadline} ${signal.aborted}`,
      }),
    },
    // oxlint-disable-next-line typescript/no-unsafe-return -- what the compiler would refuse
    wrong: { description: "Answer no reply", run: () => JSON.parse('{ "text": "x", "verdct": "ok" }') },
    shape: {
      description: "Answer data of another shape",
      data: z.object({ n: z.int() }),
      // oxlint-disable-next-line typescript/no-unsafe-return -- what the compiler would refuse
      run: () => JSON.parse('{ "text": "x", "data": { "n": "1" } }'),
    },
    unkept: {
      description: "Give from a step what JSON cannot hold",
      run: async ({ step }) => ({ text: String((await step("make", () => new Map())).size) }),
    },
    // oxlint-disable-next-line typescript/no-unsafe-return -- what the compiler would refuse
    code: { description: "Fail oddly", run: () => JSON.parse('{ "failure": "oops", "text": "x" }') },
    // oxlint-disable-next-line typescript/no-unsafe-return -- what the compiler would refuse
    mute: { description: "Fail without words", run: () => JSON.parse('{ "failure": "E_OFFLINE" }') },
    bug: {
      description: "Throw",
      run: () => {
        throw new Error("a bug");
      },
    },
  },
  events: {
    tick: {
      payload: z.object({ n: z.int() }),
      run({ emit }, { n }) {
        if (n > 0) emit("tick", { n: n - 1 });
      },
    },
  },
  on: {
    inbound_message: ({ progress }, { text }) => progress(text),
  },
});

test("a command's parameters pass its schema, and its reply the schemas of replies and of its data", async () => {
  const reply = await tryCommand(desk, "add", { a: 2 });
  expect(reply).toMatchObject({ text: { markup: [{ bold: "3" }] }, data: { sum: 3, unit: "apples" } });
});

test("parameters that do not fit are refused as an agent would", async () => {
  const reply = await tryCommand(desk, "add", { a: 0.5 });
  expect(reply).toMatchObject({
    failure: "E_BAD_PARAMS",
    text: "a: Invalid input: expected int, received number",
  });
});

test.each([
  ["wrong" as const, 'Unrecognized key: "verdct"'],
  ["shape" as const, "data.n: Invalid input: expected number"],
  ["code" as const, "The role gave something that is no reply: failure: Invalid string"],
  ["mute" as const, "The role gave something that is no reply: text: Invalid input: expected string"],
])("what is no reply is refused: %s", async (name, text) => {
  expect(await tryCommand(desk, name, {})).toMatchObject({
    failure: "E_BAD_REPLY",
    text: expect.stringContaining(text),
  });
});

test("what a role throws reaches the test", async () => {
  await expect(tryCommand(desk, "bug", {})).rejects.toThrow("a bug");
  await expect(tryCommand(desk, "unkept", {})).rejects.toThrow(TypeError);
});

test("each step has a key of its own that a repeat of the test gives again", async () => {
  const id = "01900000-0000-7000-8000-000000000001";
  const first = await tryCommand(desk, "steps", {});
  expect(first.text).toBe(`${id}/pay/1 ${id}/pay/2 ${id}/tell/1`);
  expect(await tryCommand(desk, "steps", {})).toEqual(first);
});

test("progress is collected", async () => {
  const { progress } = await tryCommand(desk, "steps", {});
  expect(progress).toEqual([{ text: "half", fraction: 0.5 }, { text: "done" }]);
});

test("a child is played by the test: its answer is read by the schema, its failure passes", async () => {
  const asked: unknown[] = [];
  const answering = await tryCommand(
    desk,
    "ask",
    {},
    {
      delegate: (command, params) => {
        asked.push([command, params]);
        return { text: md`all **well**`, verdict: "ok", data: { status: 200 } };
      },
    },
  );
  expect(answering.text).toBe("all well 200 ok");
  expect(asked).toEqual([["http", { url: "a" }]]);
  const failing = { failure: "E_OFFLINE", text: "away" };
  expect(await tryCommand(desk, "ask", {}, { delegate: () => failing })).toMatchObject(failing);
  expect(await tryCommand(desk, "ask", {}, { delegate: () => ({ text: "", data: {} }) })).toMatchObject({
    failure: "E_BAD_REPLY",
  });
  expect(await tryCommand(desk, "ask", {})).toMatchObject({ failure: "E_UNKNOWN_COMMAND" });
});

test("the request has fixed values that a test may change one by one", async () => {
  const usual = await tryCommand(desk, "context", {});
  expect(usual.text).toBe("en UTC human.test 1893456000000 false");
  const german = await tryCommand(
    desk,
    "context",
    {},
    { request: { language: "de" }, signal: AbortSignal.abort() },
  );
  expect(german.text).toBe("de UTC human.test 1893456000000 true");
});

test("events of the role's own and of the framework are handed over, and what they raise is kept", async () => {
  expect((await tryEvent(desk, "tick", { n: 2 })).emitted).toEqual([{ event: "tick", payload: { n: 1 } }]);
  const message = { chat: "c", person: "p", text: "hello" };
  expect((await tryEvent(desk, "inbound_message", message)).progress).toEqual([{ text: "hello" }]);
  await expect(tryEvent(desk, "on_boot", undefined)).rejects.toThrow("the role does not hear on_boot");
});

test("a stand-in says what it lacks", async () => {
  // A role as it is when nothing of its types is known.
  const role = defineRole({
    commands: {
      use: {
        description: "Use a handle",
        run: (context) => ({ text: String(Reflect.get(Reflect.get(context, "lamp") as object, "on")) }),
      },
    },
  });
  const handles = (lamp: object): object => ({ lamp });
  expect((await tryCommand(role, "use", {}, handles({ on: 1 }))).text).toBe("1");
  await expect(tryCommand(role, "use", {}, handles({}))).rejects.toThrow(
    "the stand-in for lamp has no on; add it to the handles that the test passes",
  );
});

test("a memory store gives back copies, in the order of the keys", () => {
  const store = createMemoryStore({ "a/2": { n: 2 } });
  const value = { n: 1 };
  store.set("a/1", value);
  value.n = 9;
  store.set("b", 3);
  expect(store.list("a/")).toEqual([
    ["a/1", { n: 1 }],
    ["a/2", { n: 2 }],
  ]);
  expect(() => store.set("c", new Map())).toThrow(TypeError);
  store.delete("a/1");
  expect(store.get("a/1")).toBeUndefined();
  expect(store.list().map(([key]) => key)).toEqual(["a/2", "b"]);
});
