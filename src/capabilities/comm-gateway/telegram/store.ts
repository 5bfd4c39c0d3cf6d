import type { FailureValue } from "../../../envelope/failures.ts";
import { type Database, openDatabase } from "../../../storage/index.ts";
import { MIGRATIONS } from "./schema.ts";

/** The file of the Telegram channel. */
export interface TelegramDatabase extends Database {
  /** Runs `change` as one commit; what it throws undoes it and is thrown on. Not to be nested. */
  commit<T>(change: () => T): T;
}

/** Opens `telegram.db`, or fails with E_LEDGER. Both halves of the channel keep their tables in it. */
export function openTelegramDatabase(options: {
  readonly path: string;
  readonly durability?: "normal" | "full";
}): TelegramDatabase | FailureValue {
  const db = openDatabase({ ...options, migrations: MIGRATIONS });
  if ("failure" in db) return db;
  return {
    ...db,
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
  };
}
