import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { findPlace } from "../../src/catalog/index.ts";
import { ANY_CAPABILITY } from "../../src/catalog/known.ts";
import { isFailure } from "../../src/envelope/index.ts";
import { createProjectFolder } from "../support/project-folder.ts";

const ID = {
  root: "019ad300-0000-7000-8000-000000000001",
  ops: "019ad300-0000-7000-8000-000000000002",
  web: "019ad300-0000-7000-8000-000000000003",
  "web-2": "019ad300-0000-7000-8000-000000000004",
  other: "019ad300-0000-7000-8000-000000000009",
};
const ROOT = { id: ID.root, name: "root" };
const OPS = { id: ID.ops, name: "ops" };
const WEB = { id: ID.web, name: "web", pool: "web" };
const WEB_2 = { id: ID["web-2"], name: "web-2", pool: "web" };

const MANIFESTS: Readonly<Record<string, string>> = {
  root: `id: ${ID.root}\nname: root\nmaster_id: ""\nroles: []\n`,
  ops: `id: ${ID.ops}\nname: ops\nmaster_id: ${ID.root}\nroles: []\n`,
  web: `id: ${ID.web}\nname: web\nmaster_id: ${ID.ops}\npool: web\nroles: []\n`,
  "web-2": `id: ${ID["web-2"]}\nname: web-2\nmaster_id: ${ID.ops}\npool: web\nroles: []\n`,
};

const folders: AsyncDisposable[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder[Symbol.asyncDispose]();
});

/** A folder of agents, and what is found in it of one: whom it knows, or why not. */
async function found(
  agents: readonly string[],
  name: string | undefined,
  files: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const texts = Object.entries(files).map(([path, value]) => [
    path,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const folder = await createProjectFolder({
    ...Object.fromEntries(agents.map((agent) => [`${agent}/agent.yml`, MANIFESTS[agent] ?? ""])),
    ...Object.fromEntries(texts),
  });
  folders.push(folder);
  const place = await findPlace(folder.dir, { name, known: ANY_CAPABILITY });
  if (!isFailure(place)) return place.neighbours;
  return `${place.failure} ${place.text.replaceAll(/(?:\S*\/)?\.tmp\/test-\w+\/?/g, "")}`;
}

const ALL = Object.keys(MANIFESTS);
const MEND = "run `voxtree provision` where the whole tree is, and bring the file along.";

describe("where all agents' folders are, the manifests say whom one knows", () => {
  test.each([
    ["root", { master: null, children: [OPS] }],
    ["ops", { master: ROOT, children: [WEB, WEB_2] }],
    ["web", { master: OPS, children: [] }],
  ])("%s", async (name, expected) => {
    expect(await found(ALL, name)).toEqual(expected);
  });

  test("the root is found without its name", async () => {
    expect(await found(ALL, undefined)).toEqual({ master: null, children: [OPS] });
  });

  test("whatever an older neighbours.json says", async () => {
    const files = {
      "ops/neighbours.json": { master: ROOT, children: [WEB] },
      "web/neighbours.json": { master: ROOT, children: [] },
    };
    expect(await found(ALL, "ops", files)).toEqual({ master: ROOT, children: [WEB, WEB_2] });
    expect(await found(ALL, "web", files)).toEqual({ master: OPS, children: [] });
  });

  test("a root that is all there is has no children", async () => {
    expect(await found(["root"], "root")).toEqual({ master: null, children: [] });
  });
});

describe("where an agent's folder stands alone, its neighbours.json says it", () => {
  test.each([
    ["root", { master: null, children: [OPS] }],
    ["ops", { master: ROOT, children: [WEB, WEB_2] }],
    ["web", { master: OPS, children: [] }],
  ])("%s", async (name, neighbours) => {
    expect(await found([name], name, { [`${name}/neighbours.json`]: neighbours })).toEqual(neighbours);
  });

  test("with some of the others beside it, or with one that cannot be read", async () => {
    const files = { "ops/neighbours.json": { master: ROOT, children: [WEB, WEB_2] } };
    const expected = { master: ROOT, children: [WEB, WEB_2] };
    expect(await found(["root", "ops"], "ops", files)).toEqual(expected);
    expect(
      await found(["root", "ops", "web", "web-2"], "ops", { ...files, "new/agent.yml": "id: 1\n" }),
    ).toEqual(expected);
  });

  test("and without it nothing can be started", async () => {
    expect(await found(["web"], "web")).toBe(
      `E_MANIFEST web/neighbours.json is missing, and so are the folders of the other agents: ${MEND}`,
    );
  });
});

describe("a neighbours.json that cannot be is refused", () => {
  test.each<[string, { of: string; says: unknown; why: string }]>([
    ["is no JSON", { of: "web", says: "{", why: "is not JSON" }],
    [
      "says more",
      {
        of: "web",
        says: { master: OPS, children: [], root: ROOT },
        why: 'does not fit (Unrecognized key: "root")',
      },
    ],
    [
      "names somebody without an id",
      {
        of: "web",
        says: { master: { name: "ops" }, children: [] },
        why: "does not fit at master.id (Invalid input: expected string, received undefined)",
      },
    ],
    [
      "names another master",
      {
        of: "web",
        says: { master: { id: ID.other, name: "ops" }, children: [] },
        why: `names the master ${ID.other}, and agent.yml ${ID.ops}`,
      },
    ],
    [
      "names no master",
      {
        of: "web",
        says: { master: null, children: [] },
        why: `names no master, and agent.yml has master_id ${ID.ops}`,
      },
    ],
    [
      "gives the root a master",
      {
        of: "root",
        says: { master: OPS, children: [] },
        why: "names a master, and agent.yml is the root's",
      },
    ],
    [
      "names itself as a child",
      { of: "ops", says: { master: ROOT, children: [OPS] }, why: "names ops itself" },
    ],
    [
      "names its own name as its master's",
      {
        of: "ops",
        says: { master: { ...ROOT, name: "ops" }, children: [] },
        why: "names ops itself",
      },
    ],
    [
      "names one child twice",
      {
        of: "ops",
        says: { master: ROOT, children: [WEB, { ...WEB_2, id: ID.web }] },
        why: "names web-2 and web, which have one id or one name",
      },
    ],
    [
      "names its master as a child",
      {
        of: "ops",
        says: { master: ROOT, children: [ROOT] },
        why: "names root and root, which have one id or one name",
      },
    ],
  ])("when it %s", async (_, { of, says, why }) => {
    expect(await found([of], of, { [`${of}/neighbours.json`]: says })).toBe(
      `E_MANIFEST ${of}/neighbours.json ${why}: ${MEND}`,
    );
  });
});

describe("who is not there", () => {
  test("is told by the names of those who are", async () => {
    expect(await found(ALL, "wbe")).toMatch(
      /^E_NOT_FOUND There is no agent wbe in .*\(did you mean web\?\); the agents are ops, root, web, web-2\.$/,
    );
  });

  test("is told by what is wrong with its own manifest", async () => {
    expect(await found(["root"], "web", { "web/agent.yml": `id: ${ID.web}\nname: web\n` })).toMatch(
      /^E_MANIFEST web\/agent\.yml:1: master_id is missing/,
    );
  });

  test("cannot be reached by a path", async () => {
    const folder = await createProjectFolder({ "agent.yml": MANIFESTS["web"] ?? "", "roles/x": "" });
    folders.push(folder);
    await rm(join(folder.dir, "roles/x"));
    await writeFile(join(folder.dir, "roles/README"), "none yet");
    const place = await findPlace(join(folder.dir, "roles"), { name: "..", known: ANY_CAPABILITY });
    expect(place).toMatchObject({ failure: "E_NOT_FOUND" });
  });
});
