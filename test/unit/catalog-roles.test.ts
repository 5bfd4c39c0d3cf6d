import { join } from "node:path";
import { expect, test } from "vitest";
import { readAgent, type AgentFolder, type DisabledRole } from "../../src/catalog/index.ts";
import { isFailure } from "../../src/envelope/index.ts";
import { createProjectFolder } from "../support/project-folder.ts";

const KNOWN = new Map([
  ["net", { rootOnly: false }],
  ["store", { rootOnly: false }],
  ["host", { rootOnly: false }],
  ["comm.gateway", { rootOnly: true }],
]);
const BROKEN = "test/fixtures/broken/desk";

async function read(dir: string): Promise<AgentFolder> {
  const agent = await readAgent(dir, KNOWN);
  if (isFailure(agent)) throw new Error(agent.text);
  return agent;
}

/** The one role of an agent (the root, or a child) whose file has this text, and further files by name. */
async function readRole(
  text: string,
  { master = "", ...files }: { master?: string } & Record<string, string> = {},
): Promise<DisabledRole | "runs"> {
  await using folder = await createProjectFolder({
    "agent.yml": `id: 01900000-0000-7000-8000-000000000001\nname: a\nmaster_id: "${master}"\nroles: [tried]\n`,
    "tried.ts": text,
    ...files,
  });
  const agent = await read(folder.dir);
  return agent.disabled[0] ?? "runs";
}

const withBody = (statements: string, head = ""): string =>
  `import { defineRole } from "#sdk";\n${head}\nexport default defineRole({ commands: { go: { description: "Go", async run() {\n${statements}\nreturn { text: "" }; } } } });\n`;

test("every kind of broken role is disabled with its file, line, code and mend, and the good one runs", async () => {
  const agent = await read(BROKEN);
  expect(agent.roles.map(({ name }) => name)).toEqual(["good"]);
  expect(agent.roles[0]).toMatchObject({
    file: join(process.cwd(), BROKEN, "good.ts"),
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    requires: ["net"],
    commands: [{ name: "hello", line: 8 }],
  });
  const told = agent.disabled.map(({ role, file, line, code, reason }) => [
    role,
    `${file.slice(file.lastIndexOf("/") + 1)}:${line}`,
    code,
    reason,
  ]);
  expect(told).toEqual([
    ["syntax-error", "syntax-error.ts:6", "E_ROLE_SYNTAX", "is not valid TypeScript: Unexpected token"],
    ["not-erasable", "not-erasable.ts:4", "E_ROLE_SYNTAX", "an enum is not erasable TypeScript"],
    [
      "requires-variable",
      "requires-variable.ts:7",
      "E_ROLE_SHAPE",
      "requires must be written as literals; found Identifier at line 7",
    ],
    [
      "prompts-spread",
      "prompts-spread.ts:9",
      "E_ROLE_SHAPE",
      "prompts of the command up must be written as literals; found SpreadElement at line 9",
    ],
    [
      "unknown-capability",
      "unknown-capability.ts:6",
      "E_ROLE_CAPABILITY",
      "requires nte, which is no capability (did you mean net?)",
    ],
    [
      "duplicate-command",
      "duplicate-command.ts:8",
      "E_ROLE_DUPLICATE",
      `offers the command hello, which ${BROKEN}/good.ts:8 offers already`,
    ],
    ["node-fs", "node-fs.ts:2", "E_ROLE_IMPORT", "imports node:fs; roles may not use Node's own modules"],
    ["dynamic-import", "dynamic-import.ts:10", "E_ROLE_IMPORT", "imports while it runs"],
    ["own-file", "_second.ts:1", "E_ROLE_IMPORT", "uses process, which roles do not have"],
    ["no-default", "no-default.ts:1", "E_ROLE_SHAPE", "has no default export"],
    [
      "missing-one",
      "agent.yml:5",
      "E_ROLE_MISSING",
      "lists the role missing-one, but there is no missing-one.ts",
    ],
  ]);
  expect(agent.disabled.every(({ remedy }) => remedy.length > 10)).toBe(true);
});

test("reading an agent runs no line of its roles, whether they are fit or not", async () => {
  Reflect.deleteProperty(Math, "topLevelsRun");
  await read(BROKEN);
  expect(Reflect.get(Math, "topLevelsRun")).toBeUndefined();
});

test.each([
  ['import fs from "fs";', "imports fs; roles may not use Node's own modules"],
  ['import { x } from "fs/promises";', "imports fs/promises; roles may not use Node's own modules"],
  ['export * from "node:child_process";', "imports node:child_process; roles may not use Node's own modules"],
  ['export { x } from "node:net";', "imports node:net; roles may not use Node's own modules"],
  ['import type { Stats } from "node:fs";', "imports node:fs; roles may not use Node's own modules"],
  ['import { x } from "../web/http.ts";', "imports ../web/http.ts; beside #sdk and libraries"],
  ['import { x } from "./other.ts";', "imports ./other.ts; beside #sdk and libraries"],
  ['import { x } from "./_deep/x.ts";', "imports ./_deep/x.ts; beside #sdk and libraries"],
  ['import { x } from "./_x.js";', "imports ./_x.js; beside #sdk and libraries"],
  ['import { x } from "#sdk/testing";', "imports #sdk/testing; roles may import only #sdk"],
  ['import { x } from "#ledger";', "imports #ledger; roles may import only #sdk"],
  ['import { x } from "/etc/x.ts";', "imports /etc/x.ts, which is no library's name"],
  [
    'import { x } from "data:text/javascript,1";',
    "imports data:text/javascript,1, which is no library's name",
  ],
  ['import { x } from "file:///x.ts";', "imports file:///x.ts, which is no library's name"],
  [
    'import { x } from "library/../../src/storage/index.ts";',
    "imports library/../../src/storage/index.ts, which is no",
  ],
  ['import { x } from "library/%2e%2e/x.ts";', "imports library/%2e%2e/x.ts, which is no library's name"],
  ['import { request } from "undici";', "imports undici, which roles reach only by a capability"],
  ['import { x } from "./_absent.ts";', "imports ./_absent.ts, which cannot be read: ENOENT"],
])("%s is refused", async (head, reason) => {
  const role = await readRole(withBody("", head));
  expect(role).toMatchObject({ role: "tried", code: "E_ROLE_IMPORT", line: 2 });
  expect(role).toHaveProperty("reason", expect.stringContaining(reason));
});

test.each([
  'import { z } from "zod";',
  'import * as z from "zod/v4";',
  'import { DateTime } from "luxon";',
  'import { x } from "@scope/library/part";',
])("%s is allowed", async (head) => {
  expect(await readRole(withBody("", head))).toBe("runs");
});

test("the mend names a capability only where there is one", async () => {
  expect(await readRole(withBody("await fetch('x');"))).toHaveProperty(
    "remedy",
    "Require the capability `net` and use its handle.",
  );
  expect(await readRole(withBody("setTimeout(() => 1, 5);"))).toHaveProperty(
    "remedy",
    "No capability offers that here. For a time limit use `AbortSignal.timeout`.",
  );
});

test.each([
  ["import.meta.dirname;", "uses import.meta, which roles do not have"],
  ["(() => 1).constructor('return 1')();", "reaches for a constructor, and by it for Function"],
  ["[]['constructor'];", "reaches for a constructor, and by it for Function"],
  ["const { constructor: F } = () => 1;", "reaches for a constructor, and by it for Function"],
  ["const late = import('./_x.ts');", "imports while it runs"],
])("%s is refused", async (statement, reason) => {
  expect(await readRole(withBody(statement))).toMatchObject({ code: "E_ROLE_IMPORT", line: 4, reason });
});

test("the files that a role imports count as the role: two that import each other are read once", async () => {
  const head = 'import { x } from "./_x.ts";';
  const files = { "_x.ts": 'import { y } from "./_y.ts";\nexport const x = y;\n' };
  const y = 'import { x } from "./_x.ts";\nexport const y = 1;\n';
  expect(await readRole(withBody("", head), { ...files, "_y.ts": y })).toBe("runs");
  expect(await readRole(withBody("", head), { ...files, "_y.ts": `${y}eval("1");\n` })).toMatchObject({
    file: expect.stringMatching(/_y\.ts$/),
    line: 3,
    reason: "uses eval, which roles do not have",
  });
});

test("the hash changes with the file and with what it imports, and with nothing else", async () => {
  const hashOf = async (files: Record<string, string>): Promise<string | undefined> => {
    await using folder = await createProjectFolder({
      "agent.yml": 'id: 01900000-0000-7000-8000-000000000001\nname: a\nmaster_id: ""\nroles: [tried]\n',
      "tried.ts": withBody("", 'import { x } from "./_x.ts";'),
      "_x.ts": "export const x = 1;\n",
      ...files,
    });
    return (await read(folder.dir)).roles[0]?.hash;
  };
  const first = await hashOf({});
  expect(await hashOf({ "_unused.ts": "export const y = 1;\n" })).toBe(first);
  expect(await hashOf({ "_x.ts": "export const x = 2;\n" })).not.toBe(first);
  expect(await hashOf({ "tried.ts": withBody("1;", 'import { x } from "./_x.ts";') })).not.toBe(first);
});

test("what is the root's alone is refused below the root", async () => {
  const text =
    'import { defineRole } from "#sdk";\nexport default defineRole({ requires: ["comm.gateway"] });\n';
  expect(await readRole(text)).toBe("runs");
  expect(await readRole(text, { master: "01900000-0000-7000-8000-000000000002" })).toMatchObject({
    code: "E_ROLE_CAPABILITY",
    line: 2,
    reason: "requires comm.gateway, which only the root may have",
  });
});

const define = (object: string): string =>
  `import { defineRole } from "#sdk";\nexport default defineRole(${object});\n`;
const command = (parts: string): string => define(`{ commands: { go: { ${parts} } } }`);

test.each([
  ["export default 1;", "exports Literal by default, not a call of defineRole"],
  [
    "const defineRole = (x) => x;\nexport default defineRole({});",
    "calls defineRole, which is not defineRole of #sdk",
  ],
  [define("role"), "defineRole must be given one object literal; found Identifier"],
  [
    define("{ ...more }"),
    "the names in defineRole must be written as a literal; found SpreadElement at line 2",
  ],
  [define("{ comands: {} }"), "defineRole has no comands (did you mean commands?)"],
  [define("{ commands: all }"), "commands must be written as a literal; found Identifier at line 2"],
  [define("{ commands: { go } }"), "the command go must be written as a literal; found Identifier at line 2"],
  [
    define("{ commands: { [name]: {} } }"),
    "the names in commands must be written as a literal; found Identifier at line 2",
  ],
  [define('{ requires: ["net", x] }'), "requires must be written as literals; found Identifier at line 2"],
  [
    define('{ requires: ["net", ...x] }'),
    "requires must be written as literals; found SpreadElement at line 2",
  ],
  [define('{ requires: "net" }'), "requires must be a list of capabilities"],
  [define("{ requires: [`n${e}t`] }"), "requires must be written as literals; found ${} at line 2"],
  [command("run() {}"), "the command go has no description"],
  [command('description: "Go"'), "the command go has no run"],
  [
    command('description: text("go"), run() {}'),
    "description of the command go must be written as a literal; found CallExpression at line 2",
  ],
  [
    command('description: "a" + "b", run() {}'),
    "description of the command go must be written as a literal; found BinaryExpression at line 2",
  ],
  [command('description: "", run() {}'), "description of the command go must not be empty"],
  [
    command('description: "Go", effect: "write", run() {}'),
    'effect of the command go must be "read", "change" or "destroy"',
  ],
  [
    command('description: "Go", access: level, run() {}'),
    "access of the command go must be written as a literal; found Identifier at line 2",
  ],
  [
    command('description: "Go", promts: [], run() {}'),
    "the command go has no promts (did you mean prompts?)",
  ],
  [
    define('{ commands: { goNow: { description: "Go", run() {} } } }'),
    "the command goNow does not match ^[a-z][a-z0-9_]*$",
  ],
  [
    define('{ commands: { help: { description: "Help", run() {} } } }'),
    "the command help has a name that the chat itself answers to",
  ],
])("a role that is not written in literals or in its shape is disabled: %#", async (text, reason) => {
  const role = await readRole(text);
  expect(role).toMatchObject({ code: "E_ROLE_SHAPE", reason });
});

test("an expression that nests without end is refused, not followed", async () => {
  const role = await readRole(withBody(`const n = ${"1 + ".repeat(5_000)}1;`));
  expect(role).toMatchObject({ code: "E_ROLE_SYNTAX", reason: "nests deeper than 1000 levels" });
});

test("one role that defines a command twice is disabled, with both lines", async () => {
  const go = 'go: { description: "Go", run() {} },';
  const role = await readRole(define(`{ commands: {\n${go}\n${go}\n} }`));
  expect(role).toMatchObject({
    code: "E_ROLE_DUPLICATE",
    line: 4,
    reason: "defines the command go twice, first at line 3",
  });
});

test("a literal stays one in parentheses, below as and satisfies, and in a template without values", async () => {
  const text =
    'requires: (["net"] as const), commands: ({ go: { description: `Go`, prompts: { en: ["go"] }, run() {} } } satisfies object)';
  expect(await readRole(define(`{ ${text} }`))).toBe("runs");
});

test.each([
  ["namespace N { export const x = 1; }", "a namespace is not erasable TypeScript"],
  ["class A { constructor(private x: number) {} }", "a parameter property is not erasable TypeScript"],
  ["const x = <string>y;", "an assertion in angle brackets is not erasable TypeScript"],
  ["export import x = y.z;", "`import … =` is not erasable TypeScript"],
  ["@dec class A {}", "a decorator is not erasable TypeScript"],
])("%s is refused before Node would", async (head, reason) => {
  expect(await readRole(withBody("", head))).toMatchObject({ code: "E_ROLE_SYNTAX", line: 2, reason });
});

test("a misspelt name in the list of roles is told with the file that is meant; other files are no roles", async () => {
  await using folder = await createProjectFolder({
    "agent.yml": 'id: 01900000-0000-7000-8000-000000000001\nname: a\nmaster_id: ""\nroles: [whether]\n',
    "weather.ts": withBody(""),
    "weather.test.ts": "not even TypeScript (",
    "_weather.ts": "not even TypeScript (",
    "weather.d.ts": "not even TypeScript (",
  });
  const agent = await read(folder.dir);
  expect(agent.roles).toEqual([]);
  expect(agent.disabled).toMatchObject([
    {
      role: "whether",
      line: 4,
      reason: "lists the role whether, but there is no whether.ts (did you mean weather?)",
    },
  ]);
});
