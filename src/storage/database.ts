import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SQLOutputValue, StatementSync } from "node:sqlite";
import type { FailureValue } from "../envelope/index.ts";
import { failure } from "../envelope/index.ts";
import { makeFolder, refuseIrregular } from "./folder.ts";

/** A prepared statement; every one lives as long as its database. */
export type Statement = StatementSync;
export type Row = Record<string, SQLOutputValue>;

/** One SQLite file, opened and at its newest schema. */
export interface Database {
  readonly path: string;
  prepare(sql: string): Statement;
  exec(sql: string): void;
  /** Runs `change` as one commit. What it throws undoes all of it, and is thrown on. */
  commit<T>(change: () => T): T;
  close(): void;
  [Symbol.dispose](): void;
}

/** How a file is brought up to date: entry n takes it from version n to n + 1. Entries are only ever added. */
export type Migrations = readonly string[];

export interface OpenOptions {
  readonly path: string;
  readonly migrations: Migrations;
  /** `normal` survives the death of the process, `full` a power cut too. */
  readonly durability?: "normal" | "full";
  /** Opens what is there, changes nothing, and may stand beside a running agent. */
  readonly readOnly?: boolean;
}

/**
 * Opens a SQLite file in WAL mode and migrates it. Fails with E_LEDGER when the file cannot be opened,
 * is damaged, or was written by a newer version.
 */
export function openDatabase(options: OpenOptions): Database | FailureValue {
  const { path, migrations, durability = "normal", readOnly = false } = options;
  let opened: DatabaseSync | undefined;
  try {
    if (!readOnly) makeFolder(dirname(path));
    refuseIrregular(path);
    const db = new DatabaseSync(path, { readOnly });
    opened = db;
    db.exec(`PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF`);
    if (!readOnly) {
      const synchronous = durability === "full" ? "FULL" : "NORMAL";
      // A checkpoint holds everybody up for as long as the disk takes: it comes once in 32 MB, and costs little more then.
      db.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA wal_autocheckpoint = 8000`,
      );
    }
    const version = versionOf(db);
    if (version > migrations.length || (readOnly && version < migrations.length)) {
      db.close();
      const age = version > migrations.length ? "a newer" : "an older";
      return failure(
        "E_LEDGER",
        `${path} is of ${age} version (${version}) than this Voxtree (${migrations.length})`,
      );
    }
    if (!readOnly) migrate(db, migrations);
    return wrap(db, path);
  } catch (error) {
    opened?.close();
    return failure("E_LEDGER", `${path} cannot be opened: ${(error as Error).message}`);
  }
}

function migrate(db: DatabaseSync, migrations: Migrations): void {
  while (versionOf(db) < migrations.length) {
    db.exec("BEGIN IMMEDIATE");
    // Read again: while this one waited its turn, another opener may have migrated.
    const version = versionOf(db);
    const sql = migrations[version];
    if (sql !== undefined) db.exec(`${sql}; PRAGMA user_version = ${version + 1}`);
    db.exec("COMMIT");
  }
}

function versionOf(db: DatabaseSync): number {
  return Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}

function wrap(db: DatabaseSync, path: string): Database {
  const close = (): void => {
    if (db.isOpen) db.close();
  };
  return {
    path,
    prepare: (sql) => db.prepare(sql),
    exec: (sql) => db.exec(sql),
    commit(change) {
      db.exec("BEGIN IMMEDIATE");
      try {
        const result = change();
        db.exec("COMMIT");
        return result;
      } catch (error) {
        db.exec("ROLLBACK");
        throw error;
      }
    },
    close,
    [Symbol.dispose]: close,
  };
}
