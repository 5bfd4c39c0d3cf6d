import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { expect, test } from "vitest";
import {
  AgentManifest,
  agentManifestSchema,
  neighboursOf,
  readAgent,
  readTree,
  type Tree,
} from "../../src/catalog/index.ts";
import { createProjectFolder } from "../support/project-folder.ts";

const KNOWN = new Map([
  ["net", { rootOnly: false }],
  ["store", { rootOnly: false }],
]);
const ID = {
  root: "01900000-0000-7000-8000-000000000001",
  ops: "01900000-0000-7000-8000-000000000002",
  web: "01900000-0000-7000-8000-000000000003",
  disk: "01900000-0000-7000-8000-000000000004",
  web2: "01900000-0000-7000-8000-000000000005",
  web3: "01900000-0000-7000-8000-000000000006",
};

const manifest = (name: string, [id, master]: readonly [string, string], more = "roles: []"): string =>
  `id: ${id}\nname: ${name}\nmaster_id: "${master}"\n${more}\n`;
const roleWith = (...commands: string[]): string =>
  `import { defineRole } from "#sdk";\nexport default defineRole({ commands: {\n${commands
    .map((name) => `${name}: { description: "${name}", run: () => ({ text: "" }) },\n`)
    .join("")}} });\n`;

/** Reads a tree from files; paths in what is told are relative to the folder. */
async function treeOf(files: Record<string, string>): Promise<Tree & { told: string[]; disabled: string[] }> {
  await using folder = await createProjectFolder(files);
  const tree = await readTree(folder.dir, KNOWN);
  const here = `${relative(process.cwd(), folder.dir)}/`;
  return {
    ...tree,
    told: tree.problems.map(({ failure, text }) => `${failure} ${text.replaceAll(here, "")}`),
    disabled: tree.agents.flatMap(({ manifest: { name }, disabled }) =>
      disabled.map(({ role, reason }) => `${name}/${role} ${reason.replaceAll(here, "")}`),
    ),
  };
}

/** What is told of one manifest; "" when nothing is. */
async function toldOf(text: string): Promise<string> {
  await using folder = await createProjectFolder({ "agent.yml": text });
  const agent = await readAgent(folder.dir, KNOWN);
  const here = `${relative(process.cwd(), folder.dir)}/`;
  return "failure" in agent ? `${agent.failure} ${agent.text.replaceAll(here, "")}` : "";
}

test("a manifest with nothing but what is needed is filled in with the defaults", async () => {
  await using folder = await createProjectFolder({
    "agent.yml": manifest("root", [ID.root.toUpperCase(), ""]),
  });
  expect(await readAgent(folder.dir, KNOWN)).toEqual({
    dir: folder.dir,
    manifest: {
      id: ID.root,
      name: "root",
      master_id: "",
      autostart: true,
      roles: [],
      concurrency: 32,
      capabilities: {},
    },
    roles: [],
    disabled: [],
  });
});

test.each([
  [
    `name: a\nmaster_id: ""\nroles: []\n`,
    "E_MANIFEST agent.yml:1: id is missing: write a UUID of the agent's own",
  ],
  [
    `id: ${ID.root}\nname: a\nroles: []\n`,
    `E_MANIFEST agent.yml:1: master_id is missing: write the master's id, or "" for the root`,
  ],
  [
    manifest("a", [ID.root, ""], "rolls: []\nroles: []"),
    "E_MANIFEST agent.yml:4: there is no rolls (did you mean roles?)",
  ],
  [
    manifest("Ops Desk", [ID.root, ""]),
    "E_MANIFEST agent.yml:2: name does not fit: write a to z, 0 to 9 and -, beginning with a letter",
  ],
  [
    manifest("a", [ID.root, "ops"]),
    `E_MANIFEST agent.yml:3: master_id does not fit: write the master's id, or "" for the root`,
  ],
  [
    manifest("a", [ID.root, ""], "roles:\n  - web\n  - web.ts"),
    "E_MANIFEST agent.yml:6: roles.1 does not fit:",
  ],
  [
    manifest("a", [ID.root, ""], "roles: [web, web]"),
    "E_MANIFEST agent.yml:4: roles does not fit: names a role twice",
  ],
  [
    manifest("a", [ID.root, ""], "roles: []\nconcurrency: many"),
    "E_MANIFEST agent.yml:5: concurrency does not fit:",
  ],
  [
    manifest("a", [ID.root, ""], "roles: []\ncapabilities:\n  store: {}\n  nett: {}"),
    "E_MANIFEST agent.yml:7: capabilities has settings for nett, which is no capability (did you mean net?)",
  ],
  [manifest("a", [ID.root, ""], "roles: [web"), "E_MANIFEST agent.yml:5: is not valid YAML:"],
  [
    manifest("a", [ID.root, ""], "roles: []\nname: b"),
    "E_MANIFEST agent.yml:5: is not valid YAML: Map keys must be unique",
  ],
  ["just words\n", "E_MANIFEST agent.yml:1: must be a list of keys and values"],
  ["", "E_MANIFEST agent.yml:1: must be a list of keys and values"],
])("an unusable manifest is told with its line and its mend: %#", async (text, told) => {
  expect(await toldOf(text)).toContain(told);
});

test.each(["access: owner", "approval: operator", "personality: Kind.", "conversational: true"])(
  "a key that would have no effect is refused: %s",
  async (line) => {
    const key = line.split(":")[0];
    expect(await toldOf(manifest("a", [ID.root, ""], `roles: []\n${line}`))).toBe(
      `E_MANIFEST agent.yml:5: there is no ${key}`,
    );
  },
);

test.each(["people", "self"])("no agent is called %s: that is who else an agent hears", async (name) => {
  expect(await toldOf(manifest(name, [ID.root, ""]))).toBe(
    `E_MANIFEST agent.yml:2: name does not fit: Voxtree itself goes by ${name}; choose another, such as ${name}-desk`,
  );
});

test("everything that is wrong in a manifest is told at once, a line for each", async () => {
  const told = await toldOf(manifest("A", ["1", ""], "roles: []"));
  expect(told.split("\n")).toEqual([
    "E_MANIFEST agent.yml:1: id does not fit: write a UUID of the agent's own",
    "agent.yml:2: name does not fit: write a to z, 0 to 9 and -, beginning with a letter",
  ]);
});

test("aliases that unfold without end are refused rather than unfolded", async () => {
  const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
  for (const [below, here] of ["ab", "bc", "cd", "de"].map((pair) => pair.split(""))) {
    bomb.push(`${here}: &${here} [${Array.from({ length: 10 }, () => `*${below}`).join(", ")}]`);
  }
  expect(await toldOf(`${bomb.join("\n")}\n`)).toMatch(/^E_MANIFEST agent\.yml:1: .*alias/i);
});

test("a whole tree is read, agents by name", async () => {
  const tree = await treeOf({
    "root/agent.yml": manifest("root", [ID.root, ""]),
    "web/agent.yml": manifest("web", [ID.web, ID.ops], "roles: [http]"),
    "web/http.ts": roleWith("http", "port"),
    "ops/agent.yml": manifest("ops", [ID.ops, ID.root]),
    ".git/agent.yml": "hidden folders are no agents",
    "_shared/agent.yml": "nor are those that begin with _",
    "README.md": "nor files",
  });
  expect(tree.told).toEqual([]);
  expect(tree.agents.map(({ manifest: { name }, roles }) => [name, roles.map((role) => role.name)])).toEqual([
    ["ops", []],
    ["root", []],
    ["web", ["http"]],
  ]);
});

test("two roots are told", async () => {
  const { told } = await treeOf({
    "a/agent.yml": manifest("a", [ID.root, ""]),
    "b/agent.yml": manifest("b", [ID.ops, ""]),
  });
  expect(told).toEqual(["E_MANIFEST b/agent.yml:3: there are two roots, a and b"]);
});

test("a tree without a root is told, and its circle by name", async () => {
  const { told } = await treeOf({
    "a/agent.yml": manifest("a", [ID.root, ID.ops]),
    "b/agent.yml": manifest("b", [ID.ops, ID.root]),
    "c/agent.yml": manifest("c", [ID.web, ID.ops]),
  });
  expect(told).toEqual([
    expect.stringMatching(/^E_MANIFEST .*: no agent is the root; write `master_id: ""` in one agent\.yml\.$/),
    "E_MANIFEST a/agent.yml:3: the masters go in a circle: a → b → a; one of them needs another",
  ]);
});

test("an unknown master is told with the agents that could be meant", async () => {
  const { told } = await treeOf({
    "root/agent.yml": manifest("root", [ID.root, ""]),
    "web/agent.yml": manifest("web", [ID.web, ID.root.replace(/1$/, "9")]),
  });
  expect(told).toEqual([
    `E_MANIFEST web/agent.yml:3: web has a master that is not here; the agents are root (${ID.root})`,
  ]);
});

test("an id and a name that are taken are told with where", async () => {
  const { told } = await treeOf({
    "a/agent.yml": manifest("same", [ID.root, ""]),
    "b/agent.yml": manifest("same", [ID.web, ID.root]),
    "c/agent.yml": manifest("c", [ID.web, ID.root]),
  });
  expect(told).toEqual([
    `E_MANIFEST b/agent.yml:1: id ${ID.web} is taken by c/agent.yml:1; give one of the two another`,
    "E_MANIFEST b/agent.yml:2: name same is taken by a/agent.yml:2; give one of the two another",
  ]);
});

test("a folder without a manifest is told; the other agents are read", async () => {
  const { told, agents } = await treeOf({
    "root/agent.yml": manifest("root", [ID.root, ""]),
    "web/http.ts": roleWith("http"),
  });
  expect(told).toEqual(["E_MANIFEST web/agent.yml is missing: write it, or remove the folder."]);
  expect(agents).toHaveLength(1);
});

test("of two equal commands below one master the later role is disabled, whatever level it comes from", async () => {
  const { told, disabled } = await treeOf({
    "root/agent.yml": manifest("root", [ID.root, ""], "roles: [chat]"),
    "root/chat.ts": roleWith("say"),
    "ops/agent.yml": manifest("ops", [ID.ops, ID.root], "roles: [watch]"),
    "ops/watch.ts": roleWith("watch"),
    "disk/agent.yml": manifest("disk", [ID.disk, ID.ops], "roles: [usage, extra]"),
    "disk/usage.ts": roleWith("usage"),
    "disk/extra.ts": roleWith("grow", "watch"),
    "web/agent.yml": manifest("web", [ID.web, ID.ops], "roles: [http, talk]"),
    "web/http.ts": roleWith("http", "usage"),
    "web/talk.ts": roleWith("say"),
  });
  expect(told).toEqual([]);
  expect(disabled).toEqual([
    "disk/extra offers the command watch, which ops/watch.ts:3 offers already",
    "web/http offers the command usage, which disk/usage.ts:3 offers already",
    "web/talk offers the command say, which root/chat.ts:3 offers already",
  ]);
});

test("members of one pool below one master may offer the same; anybody else may not, and going up it counts once", async () => {
  const { told, disabled } = await treeOf({
    "root/agent.yml": manifest("root", [ID.root, ""]),
    "ops/agent.yml": manifest("ops", [ID.ops, ID.root]),
    "web/agent.yml": manifest("web", [ID.web, ID.ops], "pool: web\nroles: [http]"),
    "web/http.ts": roleWith("http"),
    "web-2/agent.yml": manifest("web-2", [ID.web2, ID.ops], "pool: web\nroles: [http]"),
    "web-2/http.ts": roleWith("http"),
    "web-3/agent.yml": manifest("web-3", [ID.web3, ID.ops], "pool: other\nroles: [http]"),
    "web-3/http.ts": roleWith("http"),
    "zed/agent.yml": manifest("zed", [ID.disk, ID.root], "pool: web\nroles: [http]"),
    "zed/http.ts": roleWith("http"),
  });
  expect(told).toEqual([]);
  expect(disabled).toEqual([
    "web-3/http offers the command http, which web/http.ts:3 offers already",
    "zed/http offers the command http, which web/http.ts:3 offers already",
  ]);
});

test("the root is in no pool", async () => {
  expect(await toldOf(manifest("root", [ID.root, ""], "pool: roots\nroles: []"))).toBe(
    "E_MANIFEST agent.yml:4: pool does not fit: the root has no master that could spread requests; take it out",
  );
});

test("a pool has a name as agents have, and its master alone is told of it", async () => {
  expect(await toldOf(manifest("web", [ID.web, ID.ops], 'pool: "My Pool"\nroles: []'))).toBe(
    "E_MANIFEST agent.yml:4: pool does not fit: write a to z, 0 to 9 and -, beginning with a letter",
  );
  const { agents } = await treeOf({
    "ops/agent.yml": manifest("ops", [ID.ops, ""]),
    "web/agent.yml": manifest("web", [ID.web, ID.ops], "pool: web\nroles: []"),
    "disk/agent.yml": manifest("disk", [ID.disk, ID.web]),
  });
  const [disk, ops, web] = agents.map((agent) => neighboursOf(agent, agents));
  expect(ops).toEqual({ master: null, children: [{ id: ID.web, name: "web", pool: "web" }] });
  expect(web).toEqual({ master: { id: ID.ops, name: "ops" }, children: [{ id: ID.disk, name: "disk" }] });
  expect(disk).toEqual({ master: { id: ID.web, name: "web" }, children: [] });
});

test("a roles folder that is not there is told", async () => {
  const { problems } = await readTree(".tmp/no-such-folder", KNOWN);
  expect(problems).toEqual([
    { failure: "E_MANIFEST", text: ".tmp/no-such-folder cannot be read: ENOENT.", retryable: false },
  ]);
});

test("a manifest's id is compared in lower case, whoever reads it", () => {
  const written = { id: ID.root.toUpperCase(), name: "a", master_id: ID.ops.toUpperCase(), roles: [] };
  expect(AgentManifest.parse(written)).toMatchObject({ id: ID.root, master_id: ID.ops });
});

test("the schema for editors is the one that manifests are read by", async () => {
  expect(JSON.parse(await readFile("schemas/agent.schema.json", "utf8"))).toEqual(agentManifestSchema());
});
