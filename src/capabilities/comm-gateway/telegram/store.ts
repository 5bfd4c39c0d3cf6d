import type { FailureValue } from "../../../envelope/failures.ts";
import { type Database, openDatabase } from "../../../storage/index.ts";
import { MIGRATIONS } from "./schema.ts";

/** The file of the Telegram channel. */
export interface TelegramDatabase extends Omit<Database, "commit"> {
  /** Runs `change` as one commit, or as part of the one that is under way. What it throws undoes it and is thrown on. */
  commit<T>(change: () => T): T;
}

/** Opens `telegram.db`, or fails with E_LEDGER. Both halves of the channel keep their tables in it. */
export function openTelegramDatabase(options: {
  readonly path: string;
  readonly durability?: "normal" | "full";
}): TelegramDatabase | FailureValue {
  const db = openDatabase({ ...options, migrations: MIGRATIONS });
  if ("failure" in db) return db;
  let isUnderWay = false;
  return {
    ...db,
    commit(change) {
      if (isUnderWay) return change();
      isUnderWay = true;
      try {
        return db.commit(change);
      } finally {
        isUnderWay = false;
      }
    },
  };
}
