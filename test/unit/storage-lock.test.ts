import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { isFailure } from "../../src/envelope/index.ts";
import { isLocked, lockFolder } from "../../src/storage/index.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "voxtree-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function lockOrThrow(dir = folder) {
  const lock = lockFolder(dir);
  if (isFailure(lock)) throw new Error(lock.text);
  return lock;
}

test("whether a folder is locked is seen without writing into it", () => {
  expect(isLocked(folder)).toBe(false);
  expect(isLocked(join(folder, "nowhere"))).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
  const lock = lockOrThrow();
  writeFileSync(join(folder, "lock.holder"), "process 1 since long ago");
  expect(isLocked(folder)).toBe(true);
  lock.release();
  expect(isLocked(folder)).toBe(false);
  expect(readFileSync(join(folder, "lock.holder"), "utf8")).toBe("process 1 since long ago");
  expect(readdirSync(folder)).toEqual(["lock.db", "lock.holder"]);
});

test("another process sees the lock, and that it goes with the process that held it", async () => {
  const storage = new URL("../../src/storage/index.ts", import.meta.url).href;
  const script = `const { lockFolder } = await import(${JSON.stringify(storage)});
    globalThis.lock = lockFolder(${JSON.stringify(folder)}); process.stdout.write("locked"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  expect(isLocked(folder)).toBe(true);
  expect(lockFolder(folder)).toMatchObject({
    failure: "E_ALREADY_RUNNING",
    text: expect.stringContaining(`in use by process ${child.pid} since `),
  });
  child.kill("SIGKILL");
  await once(child, "close");
  expect(isLocked(folder)).toBe(false);
  lockOrThrow().release();
});

test("who takes the lock while somebody looks at it gets it", async () => {
  lockOrThrow().release();
  // Holds the shared lock of a look for longer than any look takes.
  const script = `const { DatabaseSync } = require("node:sqlite");
    const db = new DatabaseSync(${JSON.stringify(join(folder, "lock.db"))}, { readOnly: true });
    db.exec("BEGIN; SELECT 1 FROM sqlite_schema"); process.stdout.write("looking");
    setTimeout(() => db.close(), 100);`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  lockOrThrow().release();
  await once(child, "close");
});

test("a lock whose holder cannot be noted is not kept", () => {
  mkdirSync(join(folder, "lock.holder"));
  expect(lockFolder(folder)).toMatchObject({
    failure: "E_LEDGER",
    text: expect.stringContaining("lock.holder is not a regular file"),
  });
  expect(isLocked(folder)).toBe(false);
  rmSync(join(folder, "lock.holder"), { recursive: true });
  lockOrThrow().release();
});
