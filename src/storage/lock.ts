import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { FailureValue } from "../envelope/index.ts";
import { failure } from "../envelope/index.ts";

/** Held for as long as its process lives; the kernel frees it at death. */
export interface Lock {
  release(): void;
  [Symbol.dispose](): void;
}

/**
 * Takes the one lock of a folder, or fails with E_ALREADY_RUNNING and the process that holds it.
 * The lock is SQLite's own on an open file, so that no stale file can be left behind.
 */
export function lockFolder(folder: string): Lock | FailureValue {
  const file = join(folder, "lock.db");
  const holder = join(folder, "lock.holder");
  let db: DatabaseSync | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    db = new DatabaseSync(file);
    db.exec("PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    db?.close();
    if (!isBusy(error)) return failure("E_LEDGER", `${file} cannot be locked: ${(error as Error).message}`);
    return failure("E_ALREADY_RUNNING", `${folder} is in use by ${readHolder(holder)}`);
  }
  const held = db;
  writeFileSync(holder, `process ${process.pid} since ${new Date().toISOString()}`);
  const release = (): void => {
    if (held.isOpen) held.close();
  };
  return { release, [Symbol.dispose]: release };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (error.errcode === 5 || error.errcode === 6);
}

function readHolder(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "another process";
  }
}
