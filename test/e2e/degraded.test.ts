import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createOwnTree } from "../support/own-tree.ts";
import { PROGRAM, runVoxtree, settingsFor, startVoxtree } from "../support/program.ts";
import { KEY, openTerminal, screenOf } from "../support/terminal.ts";

/** A library that a role may import, and that leaves a mark when the role's file is run. */
const MARKER = {
  "node_modules/marker/package.json": JSON.stringify({
    name: "marker",
    version: "1.0.0",
    type: "module",
    exports: "./index.js",
  }),
  "node_modules/marker/index.js": `import { appendFileSync } from "node:fs";
export function mark(role) {
  appendFileSync(process.env.MARKER_FILE, role + " " + process.pid + "\\n");
}
`,
};

/** A role file whose top level marks that it was run; `rest` begins on line 5. */
const marked = (name: string, rest: string, imports = ""): string =>
  `import { defineRole } from "#sdk";\nimport { mark } from "marker";${imports}\n\nmark("${name}");\n${rest}`;

const offering = (command: string, terms = ""): string =>
  `export default defineRole({\n${terms}  commands: { ${command}: { description: "Say ${command}", run: () => ({ text: "${command} is said" }) } },\n});\n`;

interface Broken {
  readonly role: string;
  readonly text: string;
  readonly line: number;
  readonly reason: string;
  readonly remedy: string;
}

const BROKEN: readonly Broken[] = [
  {
    role: "syntax-error",
    text: marked("syntax-error", `export default defineRole({ commands: { } ;\n`),
    line: 5,
    reason: "is not valid TypeScript",
    remedy: "Correct the syntax on this line.",
  },
  {
    role: "not-literal",
    text: marked(
      "not-literal",
      `const needs = ["net"] as const;\n${offering("page", "  requires: needs,\n")}`,
    ),
    line: 7,
    reason: "requires must be written as literals; found Identifier at line 7",
    remedy: "Write the values out where they stand: no variable, spread, call or ${}.",
  },
  {
    role: "no-such-capability",
    text: marked("no-such-capability", offering("far", `  requires: ["nte"],\n`)),
    line: 6,
    reason: "requires nte, which is no capability (did you mean net?)",
    remedy: "Choose from",
  },
  {
    role: "duplicate",
    text: marked("duplicate", offering("hello")),
    line: 6,
    reason: "offers the command hello, which ",
    remedy: "Rename one of the two.",
  },
  {
    role: "node-fs",
    text: marked("node-fs", offering("motd"), `\nimport { readFileSync } from "node:fs";`),
    line: 3,
    reason: "imports node:fs; roles may not use Node's own modules",
    remedy: "Require the capability `store` and use its handle.",
  },
  {
    role: "dynamic",
    text: marked("dynamic", `const fs = await import("node:" + "fs");\n${offering("late")}`),
    line: 5,
    reason: "imports while it runs",
    remedy: 'Write `import … from "…"` at the top of the file.',
  },
];

const GOOD = { good: marked("good", offering("hello")) };

const createDegraded = () =>
  createOwnTree(
    {
      desk: { ...GOOD, ...Object.fromEntries(BROKEN.map(({ role, text }) => [role, text])) },
      shop: { open: marked("open", offering("opening")) },
    },
    MARKER,
  );

/** A text names of each role its file and line, what is wrong, and the mend. */
function expectAllNamed(text: string): void {
  const words = text.replaceAll(/\s+/g, " ");
  for (const { role, line, reason, remedy } of BROKEN) {
    expect(words).toContain(`desk/${role}.ts:${line}`);
    expect(words).toContain(reason);
    expect(words).toContain(remedy);
  }
  expect(words, "the one that came first is named, too").toMatch(/desk\/good\.ts:6 offers already/);
}

test("an agent with roles of each kind of fault starts DEGRADED, says so everywhere, and the rest works", async () => {
  await using tree = await createDegraded();
  const { rolesDir, dataDir } = tree;
  const markerFile = join(tree.dir, "marks");
  const marks = (): string[] => {
    try {
      return readFileSync(markerFile, "utf8").trim().split("\n").sort();
    } catch {
      return [];
    }
  };
  const env = { MARKER_FILE: markerFile };
  const options = { rolesDir, dataDir, env };

  // Whoever only looks runs no role.
  const [shown, shownJson, examined, examinedJson] = await Promise.all([
    runVoxtree(["tree"], options),
    runVoxtree(["tree", "--json"], options),
    runVoxtree(["doctor"], options),
    runVoxtree(["doctor", "--json"], options),
  ]);
  expect(marks()).toEqual([]);

  expect(shown).toMatchObject({ code: 0, err: "" });
  expect(shown.out).toMatch(/^root .*\n├─ desk {2}DEGRADED {2}STOPPED {2}\/hello\n/);
  expect(shown.out).toMatch(/\n└─ shop {2}STOPPED {2}\/opening\n$/);
  expectAllNamed(shown.out);
  expect(JSON.parse(shownJson.out)).toMatchObject({
    name: "root",
    health: "ok",
    children: [
      {
        name: "desk",
        health: "degraded",
        commands: [{ name: "hello" }],
        disabled: BROKEN.map(({ role, line }) => ({
          role,
          line,
          file: join(rolesDir, "desk", `${role}.ts`),
        })),
      },
      { name: "shop", health: "ok", disabled: [] },
    ],
  });

  expect(examined).toMatchObject({ code: 1, err: "" });
  expectAllNamed(examined.out);
  const checks = JSON.parse(examinedJson.out) as { checks: { name: string; state: string; text: string }[] };
  expect(checks).toMatchObject({ isHealthy: false });
  expect(checks.checks.filter(({ state }) => state === "fail").map(({ name }) => name)).toEqual(
    BROKEN.map(() => "roles"),
  );

  // The process that the agents run in runs the good ones' files, each once, and no others.
  await using running = startVoxtree(options);
  running.write("/hello\nopening\n/page\n");
  const out = await running.until(/hello is said\nopening is said\n[^\n]+\n/);
  expect(out).toMatch(/\nThere is no command \/page\. /);
  expect(marks()).toEqual([`good ${running.pid}`, `open ${running.pid}`]);
  const beside = await runVoxtree(["tree"], options);
  expect(beside.out).toMatch(/^root\n├─ desk {2}DEGRADED {2}\/hello\n/);
  const { code, err } = await running.end();
  expect(code).toBe(0);
  expect(
    err
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject(
    BROKEN.map(({ role, line, reason }) => ({
      agent: "desk",
      role,
      line,
      msg: expect.stringContaining(reason),
    })),
  );
  expect(marks()).toHaveLength(2);
});

test("the terminal's tree says it before the first prompt", async () => {
  await using tree = await createDegraded();
  await using terminal = openTerminal(`'${process.execPath}' '${PROGRAM}' --roles '${tree.rolesDir}' start`, {
    ...settingsFor({ dataDir: tree.dataDir, env: { MARKER_FILE: join(tree.dir, "marks") } }),
    NO_COLOR: "1",
  });
  await terminal.until(/Ctrl-D leaves\.[^>]*> /);
  terminal.press("/hello", KEY.enter);
  await terminal.until(/hello is said/);
  terminal.press(KEY.ctrlD);
  expect(await terminal.exited).toBe(0);
  const screen = screenOf(terminal.raw());
  const [top, bottom] = [screen.indexOf("root"), screen.findIndex((line) => line.startsWith("Try one"))];
  const shown = screen.slice(top, bottom);
  expect(shown[1]).toBe("├─ desk  DEGRADED  /hello");
  expectAllNamed(shown.join(" ").replaceAll("│", " "));
  expect(screen.slice(bottom).join("\n")).toContain("\n> /hello\nhello is said\n>");
});
