import { describe, expect, test } from "vitest";
import { createCommandMap, type DialogueState, understand } from "../../src/dialogue/index.ts";
import {
  createClassifier,
  extractEntities,
  fillParameters,
  parseSlash,
  readParameters,
  shippedBackground,
} from "../../src/intent/index.ts";

/** The longest words that a channel lets through, in characters. */
const LONGEST = 32_768;
const CLOCK = { now: new Date("2026-03-03T10:00:00Z"), zone: "Europe/Berlin" };

/** Ten times what the slowest takes; what is retried at every position takes seconds. */
const MOST_MS = 500;

/** A beginning and an end around what is repeated between them. */
type Shape = readonly [start: string, repeated: string, end: string];
const SHAPES: readonly Shape[] = [
  ...Array.from(" \t\n!?.,;:…*_~-+=#@/\\|'\"`“”„‘’«»()[]{}<>%&^0aü盘🙂\u0301\ufdfa\ue010", (mark): Shape => [
    "a",
    mark,
    "a",
  ]),
  ["http://a/", ")", ""],
  ["http://a/", "(", ")"],
  ["http://a/", "])", ""],
  ["http://", "a.", "b"],
  ["http://", "ü", ".example"],
  ["", "http://a ", ""],
  ["", "a.example ", ""],
  ["", "a.example:443 ", ""],
  ["", "10.0.0.1,", ""],
  ["", "::1 ", ""],
  ["[", "1:", "]"],
  ["", "a:", ":"],
  ["", "a@", "b"],
  ["a@", "b.", "c"],
  ["", "a@b.example ", ""],
  ["port", " ", "x"],
  ["", "port ", ""],
  ["ports 1", ",2", "x"],
  ["", "1,000", "x"],
  ["1", ",000", "x"],
  ["", "1h", "x"],
  ["", "1 h ", ""],
  ["", "5 min and ", ""],
  ["", "1.", "x"],
  ["", "“a„b«c`d'", ""],
  ["“", "a“", ""],
  ['"', 'a "', ""],
  ["", "tomorrow at 9 ", ""],
  ["", "monday ", ""],
  ["", "12/12/", "x"],
  ["", "2026-03-03T10:00:00", ""],
  ["", "jan 5 ", "x"],
  ["in ", "1 ", "days"],
  ["", "name=", ""],
  ["", "name = ", ""],
  ["", "url=", ""],
  ["", "--url ", ""],
  ["url", " ", "x"],
  ["name", "_", "="],
  ["", "name", ""],
  ["", "mode read ", ""],
  ["mode=read", " ", "only"],
  ["", "read-", "only"],
  ["", "hosts=a.example, ", ""],
  ["hosts=a.example", ", b.example", ""],
  ["", "no ", "one"],
  ["", "no", ""],
  ["", "number ", "x"],
  ["", " one", ""],
  ["/", "a", ""],
  ["/", "a_", ""],
  ["/note", " add", ""],
  ["/note_add ", "x ", ""],
  ["/note_add 1h", " ", "x"],
  ["/a@", "b", "-"],
  ["/cancel", "!", "x"],
  ["and ", "what about ", "?"],
  ["yes", "!", "x"],
  ["", "\r\n", "x"],
  ["a", "\u0301\u0327", ""],
];

const commands = [
  {
    name: "http",
    description: "Check that a web page answers",
    prompts: ["is example.com up?"],
    input: {
      properties: {
        url: { type: "string", format: "uri" },
        mode: { enum: ["read", "read_only", "write"] },
        hosts: { type: "array", items: { type: "string", entity: "host" } },
        name: { type: "number" },
        port: { type: "integer", entity: "port" },
        at: { type: "string", entity: "when" },
        for: { type: "integer", entity: "duration" },
        isOn: { type: "boolean" },
      },
      required: ["url", "mode"],
    },
    effect: "read" as const,
    timeoutMs: 60_000,
  },
  {
    name: "note_add",
    description: "Keep a note",
    prompts: ["note that"],
    input: {
      properties: {
        title: { type: "string" },
        due: { type: "string", entity: "when" },
        text: { type: "string", entity: "rest" },
      },
      required: ["title", "text"],
    },
    effect: "destroy" as const,
    timeoutMs: 60_000,
  },
];
const map = createCommandMap(commands);
const classifier = createClassifier({
  background: shippedBackground(),
  commands: commands.map(({ name, prompts, effect }) => ({ name, descriptions: [], prompts, effect })),
});
const parameters = commands.flatMap(({ input }) => readParameters(input));

const askedAt = CLOCK.now.getTime();
const STATES: readonly DialogueState[] = [
  {},
  { last: { command: "http", params: { url: "https://example.com" }, at: askedAt } },
  { question: { kind: "choice", askedAt, options: ["http", "note_add"], text: "x", isPositional: false } },
  { question: { kind: "confirmation", askedAt, command: "note_add", params: {}, understood: "/note_add" } },
  ...["url", "at"].map((name): DialogueState => ({
    question: { kind: "parameter", askedAt, command: "http", params: {}, wanting: [{ name, options: [] }] },
  })),
];

const ENTRIES: Readonly<Record<string, (text: string) => unknown>> = {
  classify: (text) => classifier.classify(text),
  explain: (text) => classifier.explain(text),
  extractEntities: (text) => extractEntities(text),
  "extractEntities with a clock": (text) => extractEntities(text, CLOCK),
  fillParameters: (text) => fillParameters({ parameters, text, entities: extractEntities(text) }),
  "fillParameters in order": (text) =>
    fillParameters({ parameters, text, entities: extractEntities(text), isPositional: true }),
  parseSlash: (text) => parseSlash(text, [...map.names, "note", "a_a_a_a"]),
  ...Object.fromEntries(
    STATES.map((state) => [
      `understand after ${JSON.stringify(state)}`,
      (text: string) => understand(text, state, { ...CLOCK, language: "en", map }),
    ]),
  ),
};

function textOf([start, repeated, end]: Shape, length: number): string {
  const count = Math.max(0, Math.floor((length - start.length - end.length) / repeated.length));
  return start + repeated.repeat(count) + end;
}

/** Processor time of this thread in ms: other work on the machine does not count. */
function processorMs(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

describe("words of 32 KiB that are made to take long", () => {
  test.each(Object.entries(ENTRIES))("%s stays quick", (_, entry) => {
    const slow = SHAPES.flatMap((shape) => {
      const text = textOf(shape, LONGEST);
      const ms = processorMs(() => entry(text));
      return ms > MOST_MS ? [`${JSON.stringify(shape)} took ${ms.toFixed(0)} ms`] : [];
    });
    expect(slow).toEqual([]);
  });
});
