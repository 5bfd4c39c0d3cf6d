import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { readTree } from "../../src/catalog/index.ts";
import { newAgent } from "../../src/cli/new.ts";
import { createIds } from "../../src/envelope/index.ts";
import { createProjectFolder } from "../support/project-folder.ts";

const ID = {
  root: "01900000-0000-7000-8000-000000000001",
  ops: "01900000-0000-7000-8000-000000000002",
  web: "01900000-0000-7000-8000-000000000003",
};
const NET = new Map([["net", { rootOnly: false }]]);
const ids = createIds(
  () => Date.UTC(2026, 0, 1),
  (into) => into.fill(1),
);

const WEB = `# Checks pages.
id: ${ID.web} # for good
name: web
master_id: ${ID.ops}

# What it can do.
roles: [http]
concurrency: 7 # not more

# From where it looks.
vantage: berlin-1
capabilities:
  net:
    # In ms.
    timeoutMs: 5000
`;

const HTTP = `import { defineRole } from "#sdk";
import { title } from "./_title.ts";
export default defineRole({
  requires: ["net"],
  commands: { http: { description: "Check a page", run: () => ({ text: title }) } },
});
`;

const FILES = {
  "root/agent.yml": `id: ${ID.root}\nname: root\nmaster_id: ""\nroles: []\n`,
  "ops/agent.yml": `id: ${ID.ops}\nname: ops\nmaster_id: ${ID.root}\nroles: []\n`,
  "web/agent.yml": WEB,
  "web/http.ts": HTTP,
  "web/http.test.ts": "// its test\n",
  "web/_title.ts": 'export const title = "200";\n',
  "web/unlisted.ts": "// no role of its\n",
  "web/neighbours.json": "{}\n",
};

test("an agent like another one has its roles, tests and settings, and shares one pool with it", async () => {
  await using folder = await createProjectFolder(FILES);
  const rolesDir = folder.dir;
  const here = relative(process.cwd(), rolesDir);
  const written = await newAgent({ rolesDir, name: "web-2", like: "web", pool: "web", ids });
  expect(written).toEqual({
    files: ["web/agent.yml", "web-2/_title.ts", "web-2/http.test.ts", "web-2/http.ts", "web-2/agent.yml"].map(
      (file) => `${here}/${file}`,
    ),
    command: "http",
    agent: "web-2",
    master: "ops",
  });
  const { agents, problems } = await readTree(rolesDir, NET);
  expect(problems).toEqual([]);
  expect(agents.flatMap(({ disabled }) => disabled)).toEqual([]);
  const [web, twin] = ["web", "web-2"].map((name) => agents.find(({ manifest }) => manifest.name === name));
  expect(twin?.manifest).toEqual({
    ...web?.manifest,
    id: expect.not.stringContaining(ID.web),
    name: "web-2",
    pool: "web",
    vantage: undefined,
  });
  expect(web?.manifest).toMatchObject({ id: ID.web, pool: "web", vantage: "berlin-1" });
  expect(twin?.roles.map(({ hash }) => hash)).toEqual(web?.roles.map(({ hash }) => hash));
  expect(await readFile(join(rolesDir, "web-2/http.test.ts"), "utf8")).toBe("// its test\n");
});

test("both manifests keep what people wrote into them, and the new one has no place to look from yet", async () => {
  await using folder = await createProjectFolder(FILES);
  await newAgent({ rolesDir: folder.dir, name: "web-2", like: "web", pool: "web", ids });
  const pooled = WEB.replace(
    `master_id: ${ID.ops}\n`,
    `master_id: ${ID.ops}\n# Agents of one pool below the same master offer their commands together.\npool: web\n`,
  );
  expect(await readFile(join(folder.dir, "web/agent.yml"), "utf8")).toBe(pooled);
  const { agents } = await readTree(folder.dir, NET);
  const id = agents.find(({ manifest }) => manifest.name === "web-2")?.manifest.id ?? "";
  expect(await readFile(join(folder.dir, "web-2/agent.yml"), "utf8")).toBe(
    pooled
      .replace(ID.web, id)
      .replace("name: web\n", "name: web-2\n")
      .replace("vantage: berlin-1", "# vantage: berlin-1"),
  );
});

test("a third one needs no word of the pool that the first two are in", async () => {
  await using folder = await createProjectFolder(FILES);
  const rolesDir = folder.dir;
  await newAgent({ rolesDir, name: "web-2", like: "web", pool: "pages", ids });
  const before = await readFile(join(rolesDir, "web/agent.yml"), "utf8");
  expect(await newAgent({ rolesDir, name: "web-3", like: "web-2", master: "ops", ids })).toMatchObject({
    command: "http",
  });
  const { agents } = await readTree(rolesDir, NET);
  expect(agents.map(({ manifest: { name, pool } }) => [name, pool])).toEqual([
    ["ops", undefined],
    ["root", undefined],
    ["web", "pages"],
    ["web-2", "pages"],
    ["web-3", "pages"],
  ]);
  expect(await readFile(join(rolesDir, "web/agent.yml"), "utf8")).toBe(before);
});

test("a manifest on one line is written on one line", async () => {
  const oneLine = `{ id: ${ID.web}, name: web, master_id: ${ID.root}, vantage: here, roles: [] }\n`;
  await using folder = await createProjectFolder({
    "root/agent.yml": FILES["root/agent.yml"],
    "web/agent.yml": oneLine,
  });
  await newAgent({ rolesDir: folder.dir, name: "web-2", like: "web", pool: "web", ids });
  const { agents, problems } = await readTree(folder.dir, NET);
  expect(problems).toEqual([]);
  expect(agents.map(({ manifest: { name, pool, vantage } }) => [name, pool, vantage])).toEqual([
    ["root", undefined, undefined],
    ["web", "web", "here"],
    ["web-2", "web", undefined],
  ]);
});

test("a new agent may be in a pool without being like another", async () => {
  await using folder = await createProjectFolder(FILES);
  await newAgent({ rolesDir: folder.dir, name: "sky", master: "ops", pool: "heaven", ids });
  const { agents, problems } = await readTree(folder.dir, NET);
  expect(problems).toEqual([]);
  expect(agents.find(({ manifest }) => manifest.name === "sky")?.manifest.pool).toBe("heaven");
});

test("what cannot be a twin is told with what to do, and nothing is written", async () => {
  await using folder = await createProjectFolder({
    ...FILES,
    "disk/agent.yml": `id: 01900000-0000-7000-8000-000000000004\nname: disk\nmaster_id: ${ID.ops}\npool: disks\nroles: []\n`,
    "half/notes.txt": "a folder without a manifest\n",
  });
  const rolesDir = folder.dir;
  const here = relative(process.cwd(), rolesDir);
  const told = async (wanted: Partial<Parameters<typeof newAgent>[0]>): Promise<string> => {
    const value = await newAgent({ rolesDir, name: "web-2", like: "web", ids, ...wanted });
    return "failure" in value ? `${value.failure} ${value.text}` : "written";
  };
  expect(await told({ like: "wbe", pool: "web" })).toBe(
    "E_NOT_FOUND There is no agent wbe (did you mean web?). The agents are disk, ops, root, web.",
  );
  expect(await told({ pool: "web", master: "root" })).toBe(
    "E_USAGE web answers to ops, and so does who is like it: leave --master out.",
  );
  expect(await told({ like: "disk", pool: "web" })).toBe(
    "E_USAGE disk is in the pool disks already: use --pool disks, or leave it out.",
  );
  expect(await told({})).toBe(
    "E_USAGE Both would offer the same commands: add --pool web, so that they share what is asked.",
  );
  expect(await told({ like: "root", pool: "roots" })).toBe(
    "E_USAGE There is one root, root: name an agent below it by --like.",
  );
  expect(await told({ name: "web", pool: "web" })).toBe(
    `E_USAGE There is an agent web already, in ${here}/web.`,
  );
  expect(await told({ name: "half", pool: "web" })).toBe(
    `E_USAGE ${here}/half exists already: choose another name, or remove it.`,
  );
  expect(await told({ pool: "My Pool" })).toBe(
    'E_USAGE "My Pool" cannot be the name of a pool: try my-pool.',
  );
  expect(await readFile(join(rolesDir, "web/agent.yml"), "utf8")).toBe(WEB);
  await using empty = await createProjectFolder();
  expect(await newAgent({ rolesDir: empty.dir, name: "desk", pool: "desks", ids })).toMatchObject({
    failure: "E_USAGE",
    text: "The first agent is the root, which is in no pool: leave --pool out.",
  });
});
