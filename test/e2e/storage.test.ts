import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, afterEach, expect, test } from "vitest";
import { readRows } from "../support/ledger-rows.ts";
import { runVoxtree, startVoxtree } from "../support/voxtree.ts";

let dataDir = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "voxtree-storage-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const ledgerOf = (agent: string): string => join(dataDir, agent, "ledger.db");

test("a disk that fills up ends the tree with the code for its data, and the next start answers what was taken in", async () => {
  const words = Array.from({ length: 300 }, (_, i) => `/help http ${i}\n`).join("");
  const full = await runVoxtree(["start"], { dataDir, input: words, fileKilobytes: 600 });
  expect(full).toMatchObject({ code: 6, signal: null });
  expect(full.stderr).toContain("root cannot use its ledger: ");
  expect(full.stderr).not.toContain("E_INTERNAL");
  expect(full.stderr).not.toContain("a handler threw");

  // What was left comes before what is new.
  const after = await runVoxtree(["start"], { dataDir, input: "/help\n" });
  expect(after.code).toBe(0);
  const taken = readRows(dataDir, "root", "SELECT n FROM message WHERE peer = 'people' AND direction = 0");
  const answered = readRows(
    dataDir,
    "root",
    "SELECT m.n, count(a.n) AS answers FROM message AS m LEFT JOIN message AS a ON a.reply_to = m.id AND a.peer = 'people' WHERE m.peer = 'people' AND m.direction = 0 GROUP BY m.n",
  );
  expect(taken.length).toBeGreaterThan(0);
  expect(answered).toEqual(taken.map(({ n }) => ({ n, answers: 1 })));
  expect(readRows(dataDir, "root", "SELECT n FROM task")).toEqual([]);
  expect(readRows(dataDir, "root", "SELECT n FROM outbox")).toEqual([]);
  process.stdout.write(
    `${JSON.stringify({ takenBeforeTheDiskWasFull: taken.length, answers: answered.length })}\n`,
  );
});

test("a disk that is full from the start is said, not taken for a defect", async () => {
  const ran = await runVoxtree(["start"], { dataDir, fileKilobytes: 4 });
  expect(ran.code).toBe(6);
  expect(ran.stderr).toContain("E_LEDGER");
});

test.runIf(process.getuid?.() === 0)("a data folder without rights is said, with its path", async () => {
  chmodSync(dataDir, 0o755);
  const ran = await runVoxtree(["start"], { dataDir, uid: 65_534 });
  expect(ran.code).toBe(6);
  expect(ran.stderr).toContain("E_LEDGER");
  expect(ran.stderr).toContain(dataDir);
});

test.runIf(process.getuid?.() === 0)(
  "a ledger that may be read and not written is said, with its path",
  async () => {
    expect((await runVoxtree(["start"], { dataDir, input: "/help\n" })).code).toBe(0);
    chmodSync(dataDir, 0o777);
    for (const agent of ["root", "ops", "web", "machine"]) chmodSync(join(dataDir, agent), 0o777);
    chmodSync(join(dataDir, "root", "pseudonym.key"), 0o644);
    for (const agent of ["root", "ops", "web", "machine"]) {
      chmodSync(join(dataDir, agent, "lock.db"), 0o666);
      chmodSync(join(dataDir, agent, "lock.holder"), 0o666);
    }
    chmodSync(ledgerOf("web"), 0o444);
    const ran = await runVoxtree(["start"], { dataDir, uid: 65_534 });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain("E_LEDGER");
  },
);

test.each([
  ["is no ledger", (path: string) => writeFileSync(path, "this is no ledger at all".repeat(400))],
  ["has lost its middle", (path: string) => spoil(path, 4096)],
  ["was cut off", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 5000))],
])("a ledger that %s is said, with its path, and the others are left as they were", async (_, damage) => {
  expect((await runVoxtree(["start"], { dataDir, input: "/help\n" })).code).toBe(0);
  damage(ledgerOf("ops"));
  const ran = await runVoxtree(["start"], { dataDir, input: "/help\n" });
  expect(ran.code).toBe(6);
  expect(ran.stderr).toContain("E_LEDGER");
  expect(ran.stderr).toContain(ledgerOf("ops"));
  expect(readRows(dataDir, "root", "SELECT n FROM task")).toEqual([]);
});

test("a ledger of a newer version is left alone", async () => {
  mkdirSync(join(dataDir, "ops"));
  const db = new DatabaseSync(ledgerOf("ops"));
  db.exec("CREATE TABLE something_new (n); PRAGMA user_version = 99");
  db.close();
  const before = readFileSync(ledgerOf("ops"));
  const ran = await runVoxtree(["start"], { dataDir });
  expect(ran.code).toBe(6);
  expect(ran.stderr).toContain("newer version (99)");
  const again = new DatabaseSync(ledgerOf("ops"), { readOnly: true });
  expect(again.prepare("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "something_new" }]);
  again.close();
  expect(readFileSync(ledgerOf("ops")).length).toBe(before.length);
});

test("a ledger without a version is brought up to date, and one that is half way is not taken for new", async () => {
  mkdirSync(join(dataDir, "ops"));
  writeFileSync(ledgerOf("ops"), "");
  const ran = await runVoxtree(["start"], { dataDir, input: "/help\n" });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const [version] = readRows(dataDir, "ops", "PRAGMA user_version");
  expect(version).toEqual({ user_version: 3 });

  const half = new DatabaseSync(ledgerOf("ops"));
  half.exec("PRAGMA user_version = 0");
  half.close();
  const again = await runVoxtree(["start"], { dataDir });
  expect(again.code).toBe(6);
  expect(again.stderr).toContain(ledgerOf("ops"));
});

test("a second instance on the same folder says so and who holds it, and the first one works on", async () => {
  const first = startVoxtree(["start"], { dataDir });
  first.say("/help\n");
  await first.wrote("/http");
  const second = await runVoxtree(["start"], { dataDir, input: "/help\n" });
  expect(second.code).toBe(4);
  expect(second.stderr).toMatch(/E_ALREADY_RUNNING: .* is in use by process \d+ since /);
  first.say("/help nonsense\n");
  await first.wrote("nonsense");
  first.close();
  expect((await first.ended).code).toBe(0);
  expect((await runVoxtree(["start"], { dataDir })).code).toBe(0);
});

/** Overwrites all that follows the first page, and what is to be written into it. */
function spoil(path: string, from: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0x5a, from);
  writeFileSync(path, bytes);
}
