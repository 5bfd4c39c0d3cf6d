import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test, vi } from "vitest";
import { createOwnTree } from "../support/own-tree.ts";
import { runVoxtree } from "../support/program.ts";

vi.setConfig({ testTimeout: 60_000 });

const pipe = (path: string): void => void execFileSync("mkfifo", [path]);

test("a data folder that cannot be made is told at once, with what to set", async () => {
  await using tree = await createOwnTree({});
  const ran = await runVoxtree(["ask", "/help"], { ...tree, dataDir: "/proc/nope" });
  expect(ran.code).toBe(6);
  expect(ran.err).toMatch(/^E_LEDGER: \/proc\/nope.*VOXTREE_DATA_DIR/s);
});

test("a named pipe in the place of a manifest is refused, and not waited for", async () => {
  await using tree = await createOwnTree({});
  rmSync(join(tree.rolesDir, "root", "agent.yml"));
  pipe(join(tree.rolesDir, "root", "agent.yml"));
  const ran = await runVoxtree(["ask", "/help"], tree);
  expect(ran.err).toMatch(/^E_MANIFEST: .*agent\.yml cannot be read: it is not a regular file\./);
});

test("a named pipe in the place of a role file disables that role, and nobody waits for it", async () => {
  await using tree = await createOwnTree({ web: { http: "" } });
  rmSync(join(tree.rolesDir, "web", "http.ts"));
  pipe(join(tree.rolesDir, "web", "http.ts"));
  const ran = await runVoxtree(["tree"], tree);
  expect(ran.out).toMatch(/! http is disabled: .*it is not a regular file/);
});

test("a named pipe in the place of docker-compose.yml is refused by provision, and not waited for", async () => {
  await using tree = await createOwnTree({});
  pipe(join(tree.dir, "docker-compose.yml"));
  const ran = await runVoxtree(["provision"], tree);
  expect(ran.code).toBe(5);
  expect(ran.err).toMatch(/^E_CONFIG: .*docker-compose\.yml cannot be read \(it is not a regular file\)/);
});

test.each(["root/ledger.db", "root/lock.db", "root/pseudonym.key"])(
  "a named pipe in the place of %s is refused, and not waited for",
  async (file) => {
    await using tree = await createOwnTree({});
    mkdirSync(join(tree.dataDir, "root"), { recursive: true });
    pipe(join(tree.dataDir, file));
    const ran = await runVoxtree(["ask", "/help"], tree);
    expect(ran.code).toBe(6);
    expect(ran.err).toContain(`${basename(file)} is not a regular file`);
  },
);
