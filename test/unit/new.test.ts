import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { PassThrough } from "node:stream";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { loadRole, readTree } from "../../src/catalog/index.ts";
import { newAgent, newRole } from "../../src/cli/new.ts";
import { runProgram } from "../../src/cli/program.ts";
import { createIds } from "../../src/envelope/index.ts";
import { createProjectFolder } from "../support/project-folder.ts";

const ROOT = "01900000-0000-7000-8000-000000000001";
const ROOT_MANIFEST = `id: ${ROOT}\nname: root\nmaster_id: ""\nroles: []\n`;
const NONE = new Map<string, { rootOnly: boolean }>();
const ids = createIds(
  () => Date.UTC(2026, 0, 1),
  (into) => into.fill(1),
);

test("a new agent and a further role are fit to run, announced, and their own tests pass", async () => {
  await using folder = await createProjectFolder({ "root/agent.yml": ROOT_MANIFEST });
  const here = relative(process.cwd(), folder.dir);
  expect(await newAgent({ rolesDir: folder.dir, name: "sky-watch", master: "root", ids })).toEqual({
    files: ["agent.yml", "sky-watch.ts", "sky-watch.test.ts"].map((file) => `${here}/sky-watch/${file}`),
    command: "sky_watch",
    agent: "sky-watch",
    master: "root",
  });
  expect(await newRole({ rolesDir: folder.dir, agent: "sky-watch", role: "moon" })).toEqual({
    files: ["moon.ts", "moon.test.ts", "agent.yml"].map((file) => `${here}/sky-watch/${file}`),
    command: "moon",
    agent: "sky-watch",
    master: "root",
  });

  const { agents, problems } = await readTree(folder.dir, NONE);
  expect(problems).toEqual([]);
  const made = agents.find(({ manifest }) => manifest.name === "sky-watch");
  expect(made?.manifest).toMatchObject({ master_id: ROOT, roles: ["sky-watch", "moon"] });
  expect(made?.disabled).toEqual([]);
  const loaded = await Promise.all(made?.roles.map((role) => loadRole(role)) ?? []);
  expect(
    loaded.map((role) => ("announcements" in role ? role.announcements.map(({ name }) => name) : role)),
  ).toEqual([["sky_watch"], ["moon"]]);

  await writeFile(
    join(folder.dir, "vitest.config.ts"),
    'export default { test: { include: ["**/*.test.ts"], maxWorkers: 1 } };\n',
  );
  const vitest = join(process.cwd(), "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, NO_COLOR: "1" };
  const run = await promisify(execFile)(process.execPath, [vitest, "run", "--root", folder.dir], { env });
  expect(run.stdout).toMatch(/Tests\s+4 passed \(4\)/);
});

test("what is written is typed and formatted as the rest of the project", async () => {
  await using folder = await createProjectFolder({
    "tsconfig.json": '{ "extends": "../../tsconfig.json", "include": ["."], "exclude": [] }',
  });
  await newAgent({ rolesDir: join(folder.dir, "roles"), name: "delete", ids });
  const bin = (path: string): string => join(process.cwd(), "node_modules", path);
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [bin("typescript/bin/tsc"), "-p", folder.dir]);
  expect(stdout).toBe("");
  const config = ["-c", ".oxfmtrc.json"];
  const files = ["delete.ts", "delete.test.ts"].map((file) => join(folder.dir, "roles/delete", file));
  await run(process.execPath, [bin("oxfmt/bin/oxfmt"), ...config, "--check", ...files]);
});

test("adding a role keeps what people wrote into the manifest", async () => {
  const text = `# The desk.\nid: ${ROOT}\nname: desk\nmaster_id: "" # the root\n\n# What it can do.\nroles:\n  # the first\n  - first # and best\n\nvantage: "berlin-1"\n`;
  await using folder = await createProjectFolder({ "desk/agent.yml": text });
  await newRole({ rolesDir: folder.dir, agent: "desk", role: "second" });
  expect(await readFile(join(folder.dir, "desk/agent.yml"), "utf8")).toBe(
    text.replace("  - first # and best\n", "  - first # and best\n  - second\n"),
  );
});

test("the first agent of all is the root; the next answer to it unless they name another", async () => {
  await using folder = await createProjectFolder();
  const rolesDir = join(folder.dir, "roles");
  await newAgent({ rolesDir, name: "desk", ids });
  await newAgent({ rolesDir, name: "weather", ids });
  const { agents, problems } = await readTree(rolesDir, NONE);
  expect(problems).toEqual([]);
  expect(agents.map(({ manifest }) => [manifest.name, manifest.master_id === ""])).toEqual([
    ["desk", true],
    ["weather", false],
  ]);
});

test("a command's name that is taken, or the chat's own, is not given twice", async () => {
  await using folder = await createProjectFolder();
  await newAgent({ rolesDir: folder.dir, name: "desk", ids });
  await newAgent({ rolesDir: folder.dir, name: "weather", ids });
  const again = await newRole({ rolesDir: folder.dir, agent: "desk", role: "weather" });
  expect(again).toMatchObject({ command: "weather_2" });
  expect(await newRole({ rolesDir: folder.dir, agent: "desk", role: "help" })).toMatchObject({
    command: "help_2",
  });
  const { agents } = await readTree(folder.dir, NONE);
  expect(agents.flatMap(({ disabled }) => disabled)).toEqual([]);
});

test("what cannot be written is told with what to do, and nothing is changed", async () => {
  await using folder = await createProjectFolder({
    "root/agent.yml": ROOT_MANIFEST.replace("[]", "[chat]"),
    "root/chat.ts": "// here already\n",
    "half/notes.txt": "a folder without a manifest\n",
  });
  const rolesDir = folder.dir;
  const here = relative(process.cwd(), rolesDir);
  const told = async (result: ReturnType<typeof newAgent>): Promise<string> => {
    const value = await result;
    return "failure" in value ? `${value.failure} ${value.text}` : "written";
  };
  expect(await told(newAgent({ rolesDir, name: "Sky Watch", ids }))).toBe(
    'E_USAGE "Sky Watch" cannot be the name of an agent: try sky-watch.',
  );
  expect(await told(newAgent({ rolesDir, name: "42", ids }))).toBe(
    'E_USAGE "42" cannot be the name of an agent: use a to z, 0 to 9 and -, beginning with a letter.',
  );
  expect(await told(newAgent({ rolesDir, name: "people", ids }))).toBe(
    'E_USAGE "people" cannot be the name of an agent: Voxtree itself goes by people; choose another, such as people-desk.',
  );
  expect(await told(newAgent({ rolesDir, name: "root", ids }))).toBe(
    `E_USAGE There is an agent root already, in ${here}/root.`,
  );
  expect(await told(newAgent({ rolesDir, name: "half", ids }))).toBe(
    `E_USAGE ${here}/half exists already: choose another name, or remove it.`,
  );
  expect(await told(newAgent({ rolesDir, name: "web", master: "roto", ids }))).toBe(
    "E_NOT_FOUND There is no agent roto (did you mean root?). The agents are root.",
  );
  expect(await told(newRole({ rolesDir, agent: "web", role: "http" }))).toBe(
    "E_NOT_FOUND There is no agent web. The agents are root.",
  );
  expect(await told(newRole({ rolesDir, agent: "root", role: "chat" }))).toBe(
    "E_USAGE root/chat.ts exists already: choose another name, or remove it.",
  );
  expect(await told(newRole({ rolesDir, agent: "root", role: "../x" }))).toBe(
    'E_USAGE "../x" cannot be the name of a role: try x.',
  );
  expect(await readFile(join(rolesDir, "root/chat.ts"), "utf8")).toBe("// here already\n");
});

const REDIS = "redis://127.0.0.1:6379";

test.each([
  ["", "new agent sky --master ops", "Start it by `npm start` and ask `/sky`."],
  ["", "new role ops/hail", "Start it by `npm start` and ask `/hail`."],
  [
    REDIS,
    "new agent sky --master ops",
    "Run `voxtree provision` and start it by `npm run agent -- sky`. Its master ops learns of it when it is started anew; then ask `/sky`.",
  ],
  [
    REDIS,
    "new agent ops-2 --like ops --pool ops",
    "Run `voxtree provision` and start it by `npm run agent -- ops-2`. Its master root learns of it when it is started anew; then ask `/help`.",
  ],
  [REDIS, "new role ops/hail", "Start ops anew by `npm run agent -- ops` and ask `/hail`."],
  [REDIS, "new role root/hail", "Start root anew by `npm start` and ask `/hail`."],
])('with the REDIS_URL "%s", %s tells the next step that fits', async (url, line, step) => {
  await using folder = await createProjectFolder({
    "package.json": '{ "version": "0.0.0" }',
    "roles/root/agent.yml": ROOT_MANIFEST,
    "roles/ops/agent.yml": `id: 01900000-0000-7000-8000-000000000002\nname: ops\nmaster_id: ${ROOT}\nroles: []\n`,
  });
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const env = { REDIS_URL: url };
  const code = await runProgram(line.split(" "), { stdin, stdout, stderr, env, projectDir: folder.dir });
  expect([code, String(stderr.read() ?? "")]).toEqual([0, ""]);
  expect(String(stdout.read()).split("\n").at(-2)).toBe(step);
});
