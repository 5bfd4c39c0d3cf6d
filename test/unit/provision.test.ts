import { cp, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readTree } from "../../src/catalog/index.ts";
import { ANY_CAPABILITY } from "../../src/catalog/known.ts";
import { isFailure } from "../../src/envelope/index.ts";
import { provisionFiles, writeProvisioned } from "../../src/provision/index.ts";
import { createOwnTree } from "../support/own-tree.ts";
import { runVoxtree } from "../support/program.ts";
import { createProjectFolder } from "../support/project-folder.ts";

const PROJECT = join(import.meta.dirname, "../..");
const ROLES = join(PROJECT, "roles");
const MEND = "run `npm run voxtree -- provision`";

const folders: AsyncDisposable[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder[Symbol.asyncDispose]();
});

async function filesOf(rolesDir: string) {
  const { agents, problems } = await readTree(rolesDir, ANY_CAPABILITY);
  expect(problems).toEqual([]);
  const files = provisionFiles({ agents, rolesDir, projectDir: PROJECT });
  if (isFailure(files)) throw new Error(files.text);
  return files;
}

/** A project of a test's own, with the agents that ship. */
async function createProject(): Promise<string> {
  const folder = await createProjectFolder();
  folders.push(folder);
  await cp(ROLES, join(folder.dir, "roles"), { recursive: true });
  return folder.dir;
}

describe("what ships", () => {
  test("is what provision writes", async () => {
    for (const { path, text } of await filesOf(ROLES)) {
      expect(await readFile(path, "utf8").catch(() => ""), `${path}: ${MEND}`).toBe(text);
    }
  });

  test("says to each agent who its neighbours are, and nothing of anybody else", async () => {
    const { agents } = await readTree(ROLES, ANY_CAPABILITY);
    const strangers: Readonly<Record<string, readonly string[]>> = {
      root: ["machine", "web", "reminders"],
      ops: ["office", "reminders", "warroom"],
      machine: ["root", "web", "office", "reminders", "warroom"],
      web: ["root", "machine", "office", "reminders", "warroom"],
      office: ["ops", "machine", "web", "warroom"],
      reminders: ["root", "ops", "machine", "web", "warroom"],
      warroom: ["ops", "machine", "web", "office", "reminders"],
    };
    const idOf = (name: string): string =>
      agents.find(({ manifest }) => manifest.name === name)?.manifest.id ?? "";
    for (const [agent, names] of Object.entries(strangers)) {
      const texts = await Promise.all(
        (await readdir(join(ROLES, agent))).map((file) => readFile(join(ROLES, agent, file), "utf8")),
      );
      const neighbours = await readFile(join(ROLES, agent, "neighbours.json"), "utf8");
      for (const name of names) {
        // Words such as "web" and "machine" are not theirs alone: an agent's name stands where names stand.
        expect(neighbours).not.toContain(`"${name}"`);
        for (const text of texts) expect(text).not.toContain(idOf(name));
      }
    }
  });

  test("shows a container nothing of the others: not their folders, their memory or their network", async () => {
    const text = await readFile(join(PROJECT, "docker-compose.yml"), "utf8");
    const { services } = parse(text, { merge: true }) as {
      services: Record<string, { command: string[]; networks: string[]; volumes: string[] }>;
    };
    expect(Object.keys(services)).toEqual([
      "redis",
      "machine",
      "office",
      "ops",
      "reminders",
      "root",
      "warroom",
      "web",
    ]);
    for (const [name, { command, networks, volumes }] of Object.entries(services)) {
      if (name === "redis") continue;
      expect({ command, networks, volumes }).toEqual({
        command: name === "root" ? ["start"] : ["agent", name],
        networks: [name],
        volumes: [`./roles/${name}:/voxtree/roles/${name}:ro`, `${name}:/var/lib/voxtree`],
      });
    }
  });
});

describe("voxtree provision", () => {
  test("writes what is missing, changes what is old, and leaves the rest as it is", async () => {
    const dir = await createProject();
    await writeFile(join(dir, "roles/web/neighbours.json"), '{"master":null,"children":[]}');
    await writeFile(
      join(dir, "roles/ops/neighbours.json"),
      await readFile(join(ROLES, "ops/neighbours.json")),
    );
    const run = () => runVoxtree(["provision", "--json"], { dataDir: dir, rolesDir: join(dir, "roles") });
    const states = async () => {
      const { code, out, err } = await run();
      expect({ code, err }).toEqual({ code: 0, err: "" });
      const list = JSON.parse(out) as { path: string; state: string }[];
      return list.map(
        ({ path, state }) => `${state} ${path.slice(path.indexOf("/test-")).replace(/^\/[^/]+\//, "")}`,
      );
    };
    expect(await states()).toEqual([
      "unchanged roles/machine/neighbours.json",
      "unchanged roles/office/neighbours.json",
      "unchanged roles/ops/neighbours.json",
      "unchanged roles/reminders/neighbours.json",
      "unchanged roles/root/neighbours.json",
      "unchanged roles/warroom/neighbours.json",
      "changed roles/web/neighbours.json",
      "written docker-compose.yml",
    ]);
    expect(new Set((await states()).map((state) => state.split(" ")[0]))).toEqual(new Set(["unchanged"]));
    const text = await readFile(join(dir, "docker-compose.yml"), "utf8");
    expect(text).toContain('build: "../.."');
  });

  test("overwrites no docker-compose.yml of somebody else, and then writes nothing", async () => {
    const dir = await createProject();
    await writeFile(join(dir, "docker-compose.yml"), "services: {}\n");
    await writeFile(join(dir, "roles/web/neighbours.json"), '{"master":null,"children":[]}');
    const outcome = await writeProvisioned(await filesOf(join(dir, "roles")));
    expect(outcome).toMatchObject({ failure: "E_USAGE" });
    expect(isFailure(outcome) && outcome.text).toMatch(
      /docker-compose\.yml was not written by `voxtree provision`: move it away; what is yours in a docker-compose\.yml belongs into docker-compose\.override\.yml\.$/,
    );
    expect(await readFile(join(dir, "roles/web/neighbours.json"), "utf8")).toBe(
      '{"master":null,"children":[]}',
    );
  });

  test("overwrites no neighbours.json that says something else", async () => {
    const dir = await createProject();
    await writeFile(join(dir, "roles/web/neighbours.json"), '{"friends":["ops"]}');
    expect(await writeProvisioned(await filesOf(join(dir, "roles")))).toMatchObject({
      failure: "E_USAGE",
      text: expect.stringContaining("web/neighbours.json was not written by `voxtree provision`"),
    });
  });

  test("writes through no link that somebody put in its way", async () => {
    const dir = await createProject();
    await writeFile(join(dir, "precious"), "precious");
    await symlink(join(dir, "precious"), join(dir, "docker-compose.yml.new"));
    expect(isFailure(await writeProvisioned(await filesOf(join(dir, "roles"))))).toBe(false);
    expect(await readFile(join(dir, "precious"), "utf8")).toBe("precious");
    expect((await readdir(dir)).filter((name) => name.endsWith(".new"))).toEqual(["docker-compose.yml.new"]);
  });

  test("refuses a tree with problems", async () => {
    const dir = await createProject();
    await writeFile(join(dir, "roles/web/agent.yml"), "name: web\n");
    const { code, err } = await runVoxtree(["provision"], { dataDir: dir, rolesDir: join(dir, "roles") });
    expect(code).toBe(5);
    expect(err).toContain("E_MANIFEST");
    expect(err).toContain("web/agent.yml:1: id is missing");
  });

  test("refuses a folder without agents", async () => {
    const folder = await createProjectFolder({ "roles/README": "" });
    folders.push(folder);
    const { code, err } = await runVoxtree(["provision"], {
      dataDir: folder.dir,
      rolesDir: join(folder.dir, "roles"),
    });
    expect(code).toBe(5);
    expect(err).toContain("make one by `voxtree new agent <name>`");
  });

  test("refuses an agent with the name of Redis, which would be two containers of one name", async () => {
    const tree = await createOwnTree({ redis: {} });
    folders.push(tree);
    const { agents } = await readTree(tree.rolesDir, ANY_CAPABILITY);
    expect(provisionFiles({ agents, rolesDir: tree.rolesDir, projectDir: PROJECT })).toMatchObject({
      failure: "E_MANIFEST",
    });
  });

  test("gives an agent that does not start by itself a profile of its own, and tells its master so, and of its pool", async () => {
    const tree = await createOwnTree({ web: {} });
    folders.push(tree);
    const manifest = join(tree.rolesDir, "web/agent.yml");
    await writeFile(manifest, `${await readFile(manifest, "utf8")}autostart: false\npool: web\n`);
    const files = await filesOf(tree.rolesDir);
    const textOf = (end: string): string => files.find(({ path }) => path.endsWith(end))?.text ?? "";
    const { services } = parse(textOf("docker-compose.yml"), { merge: true }) as {
      services: Record<string, { profiles?: string[] }>;
    };
    expect([services["web"]?.profiles, services["root"]?.profiles]).toEqual([["web"], undefined]);
    expect(JSON.parse(textOf("root/neighbours.json"))).toEqual({
      master: null,
      children: [{ id: "019ad000-0000-7000-8000-000000000100", name: "web", pool: "web", autostart: false }],
    });
  });
});

test("voxtree tree shows an agent whose folder stands alone between its neighbours", async () => {
  const dir = await createProject();
  const alone = join(dir, "alone");
  await cp(join(dir, "roles/ops"), join(alone, "ops"), { recursive: true });
  const { code, out } = await runVoxtree(["tree"], { dataDir: dir, rolesDir: alone });
  expect({ code, out }).toEqual({
    code: 0,
    out: [
      "root  elsewhere",
      "└─ ops  STOPPED  /overview  /watch_add  /watches  /watch_pause  /watch_resume  /watch_rm  /watch_run",
      "   ├─ machine  elsewhere",
      "   └─ web  elsewhere",
      "",
    ].join("\n"),
  });
});
