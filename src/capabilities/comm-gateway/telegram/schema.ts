import type { Migrations } from "../../../storage/index.ts";
import { OUTPUT_TABLES } from "./output-tables.ts";

/** `telegram.db`: what came in and is not yet handed over, and (the second entry) what goes out. */
export const MIGRATIONS: Migrations = [
  // A row of `intake` goes when its words are with the core; `claimed` remembers it, since Telegram repeats what was
  // not confirmed. `opens`: what the same person sends next may belong to
  // it; `joins`: it belongs to the row before it in its chat.
  `
  CREATE TABLE intake (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, chat TEXT NOT NULL, at INTEGER NOT NULL,
    opens INTEGER NOT NULL DEFAULT 0, joins INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL);
  CREATE INDEX intake_by_chat ON intake (chat, n);
  CREATE TABLE claimed (id BLOB PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX claimed_by_age ON claimed (at);
  CREATE TABLE remembered (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `,
  OUTPUT_TABLES,
];
