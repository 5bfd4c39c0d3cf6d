import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { FailureValue } from "../envelope/index.ts";
import { failure, readRegularFile } from "../envelope/index.ts";
import { makeFolder, refuseIrregular } from "./folder.ts";

/** Held for as long as its process lives; the kernel frees it at death. */
export interface Lock {
  release(): void;
  [Symbol.dispose](): void;
}

/** How long a lock that is being looked at may keep its taker waiting; the look itself takes far less. */
const PATIENCE_MS = 250;

/**
 * Takes the one lock of a folder, or fails with E_ALREADY_RUNNING and the process that holds it.
 * The lock is SQLite's own on an open file, so that no stale file can be left behind.
 */
export function lockFolder(folder: string): Lock | FailureValue {
  const file = fileOf(folder);
  const holder = join(folder, "lock.holder");
  let db: DatabaseSync | undefined;
  try {
    makeFolder(folder);
    refuseIrregular(file);
    refuseIrregular(holder);
    db = new DatabaseSync(file);
    db.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE`);
    writeFileSync(holder, `process ${process.pid} since ${new Date().toISOString()}`);
  } catch (error) {
    db?.close();
    if (!isBusy(error))
      return failure(
        "E_LEDGER",
        existsSync(folder)
          ? `${file} cannot be locked: ${(error as Error).message}. It holds nothing and may be deleted.`
          : `${folder} cannot be made: ${(error as Error).message}. Set VOXTREE_DATA_DIR to another folder.`,
      );
    return failure("E_ALREADY_RUNNING", `${folder} is in use by ${readHolder(holder)}`);
  }
  const held = db;
  const release = (): void => {
    if (held.isOpen) held.close();
  };
  return { release, [Symbol.dispose]: release };
}

/** Whether a process holds a folder's lock. Writes nothing, and who takes the lock meanwhile gets it. */
export function isLocked(folder: string): boolean {
  const file = fileOf(folder);
  if (!existsSync(file)) return false;
  let db: DatabaseSync | undefined;
  try {
    refuseIrregular(file);
    db = new DatabaseSync(file, { readOnly: true });
    db.exec("PRAGMA busy_timeout = 0; SELECT 1 FROM sqlite_schema");
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    db?.close();
  }
}

function fileOf(folder: string): string {
  return join(folder, "lock.db");
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (error.errcode === 5 || error.errcode === 6);
}

function readHolder(path: string): string {
  try {
    return readRegularFile(path);
  } catch {
    return "another process";
  }
}
