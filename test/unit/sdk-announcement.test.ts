import { describe, expect, test } from "vitest";
import { loadRole, readAgent } from "../../src/catalog/index.ts";
import { CommandAnnouncement } from "../../src/sdk/announcement.ts";
import { createProjectFolder } from "../support/project-folder.ts";

const text = (length: number): string => "x".repeat(length);
const languages = <T>(count: number, one: T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, one]));
const properties = (count: number, one: unknown = { type: "string" }) => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, one])),
});
function nested(levels: number): unknown {
  let value: unknown = {};
  for (let i = 1; i < levels; i++) value = { not: value };
  return value;
}

const largest = {
  name: "check",
  description: languages(20, text(500)),
  prompts: languages(
    20,
    Array.from({ length: 50 }, () => text(200)),
  ),
  input: properties(50, { enum: Array.from({ length: 10 }, (_, i) => `choice ${i}`) }),
};

describe("an announcement", () => {
  test("may be as large as any real command", () => {
    expect(CommandAnnouncement.safeParse(largest).success).toBe(true);
    expect(CommandAnnouncement.safeParse({ ...largest, input: nested(32) }).success).toBe(true);
  });

  test.each<[what: string, part: object, message: string]>([
    ["a long description", { description: text(501) }, "must have at most 500 characters"],
    [
      "a long description in a language",
      { description: { de: text(501) } },
      "must have at most 500 characters",
    ],
    ["many descriptions", { description: languages(21, "x") }, "must have at most 20 languages"],
    [
      "many prompts",
      { prompts: Array.from({ length: 51 }, () => "x") },
      "must be at most 50 in one language",
    ],
    ["many languages of prompts", { prompts: languages(21, ["x"]) }, "must have at most 20 languages"],
    ["a long prompt", { prompts: { de: [text(201)] } }, "must have at most 200 characters each"],
    ["many parameters", { input: properties(51) }, "must be at most 50"],
    [
      "a long name of a parameter",
      { input: { properties: { [text(101)]: {} } } },
      "must have names of at most 100 characters",
    ],
    [
      "many choices",
      { input: properties(6, { anyOf: Array.from({ length: 84 }, (_, i) => ({ const: i })) }) },
      "must have at most 500 values to choose from",
    ],
    ["a large schema", { input: { description: text(65_536) } }, "must have at most 64 KiB as JSON Schema"],
    ["a deep schema", { input: nested(33) }, "must not be nested deeper than 32 levels"],
    ["what canonical JSON refuses", { input: { a: Number.NaN } }, "cannot be announced: "],
  ])("is refused with %s, and says what may be", (_, part, message) => {
    const parsed = CommandAnnouncement.safeParse({ ...largest, ...part });
    expect(parsed.error?.issues[0]?.message).toContain(message);
  });
});

async function load(command: string) {
  await using folder = await createProjectFolder({
    "agent.yml": 'id: 01900000-0000-7000-8000-000000000001\nname: a\nmaster_id: ""\nroles: [tried]\n',
    "tried.ts": `import { defineRole } from "#sdk";\nimport { z } from "zod";\nexport default defineRole({\n  commands: {\n    go: { run: () => ({ text: "" }), ${command} },\n  },\n});\n`,
  });
  const agent = await readAgent(folder.dir, new Map());
  if ("failure" in agent) throw new Error(agent.text);
  const [role] = agent.roles;
  return role === undefined ? agent.disabled[0] : await loadRole(role);
}

test.each([
  [`description: "${text(501)}"`, "description of the command go must have at most 500 characters"],
  [
    `description: "Go", prompts: [${'"x", '.repeat(51)}]`,
    "prompts of the command go must be at most 50 in one language",
  ],
  [
    'description: "Go", params: z.object(Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`p${i}`, z.string()])))',
    "params of the command go must be at most 50",
  ],
  [
    `description: "Go", params: z.object({ a: z.string().describe("x".repeat(70_000)) })`,
    "params of the command go must have at most 64 KiB as JSON Schema",
  ],
])("a role beyond the bounds is disabled at the command's line (case %#)", async (command, reason) => {
  expect(await load(command)).toMatchObject({ role: "tried", code: "E_ROLE_SHAPE", line: 5, reason });
});
