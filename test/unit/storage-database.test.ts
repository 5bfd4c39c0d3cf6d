import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { openLedgers } from "../../src/cli/ledgers.ts";
import { isFailure } from "../../src/envelope/index.ts";
import { openDatabase } from "../../src/storage/index.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "voxtree-database-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("of two that open a file at once one brings it up to date, and the other waits for that", async () => {
  const path = join(folder, "a.db");
  const migrations = ["CREATE TABLE one (n)", "CREATE TABLE two (n)"];
  // Begins to migrate as another opener would, and commits once this process waits for the write lock.
  const script = `const { DatabaseSync } = require("node:sqlite");
    const db = new DatabaseSync(${JSON.stringify(path)});
    db.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; CREATE TABLE one (n); PRAGMA user_version = 1");
    process.stdout.write("begun");
    setTimeout(() => { db.exec("COMMIT"); db.close(); }, 300);`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  await once(child.stdout, "data");
  const db = openDatabase({ path, migrations });
  if (isFailure(db)) throw new Error(db.text);
  expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: 2 });
  db.close();
  await ended;
});

test("a ledger of another version is refused for repair, and not brought up to date", () => {
  mkdirSync(join(folder, "ops"));
  const path = join(folder, "ops", "ledger.db");
  const older = new DatabaseSync(path);
  older.exec("CREATE TABLE of_old (n)");
  older.close();
  expect(openLedgers(folder, { forRepair: true })).toMatchObject({
    failure: "E_LEDGER",
    text: expect.stringContaining("is of an older version (0)"),
  });
  const again = new DatabaseSync(path, { readOnly: true });
  expect(again.prepare("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "of_old" }]);
  again.close();
});
