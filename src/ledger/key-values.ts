import type { Database } from "../storage/index.ts";

/** One change to a role's store. */
export interface StoreWrite {
  readonly role: string;
  readonly key: string;
  /** JSON text; `undefined` deletes. */
  readonly value: string | undefined;
}

/** Applies changes in the transaction at hand. */
export type StoreWriter = (writes: readonly StoreWrite[]) => void;

/** An agent's own small facts, by role and key. */
export interface KeyValues {
  get(role: string, key: string): unknown;
  /** The one whose key comes first among those that begin with `prefix`. */
  first(role: string, prefix: string): readonly [key: string, value: unknown] | undefined;
  list(role: string, prefix: string): readonly (readonly [key: string, value: unknown])[];
  write: StoreWriter;
}

export function createKeyValues(db: Database): KeyValues {
  const get = db.prepare("SELECT value FROM kv WHERE role = ? AND key = ?");
  const list = db.prepare("SELECT key, value FROM kv WHERE role = ? AND substr(key, 1, ?) = ? ORDER BY key");
  const first = db.prepare("SELECT key, value FROM kv WHERE role = ? AND key >= ? ORDER BY key LIMIT 1");
  const remove = db.prepare("DELETE FROM kv WHERE role = ? AND key = ?");
  const put = db.prepare(
    "INSERT INTO kv (role, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  return {
    get(role, key) {
      const row = get.get(role, key);
      return row ? JSON.parse(String(row["value"])) : undefined;
    },
    first(role, prefix) {
      const row = first.get(role, prefix);
      const key = String(row?.["key"] ?? "");
      return row && key.startsWith(prefix) ? [key, JSON.parse(String(row["value"]))] : undefined;
    },
    list: (role, prefix) =>
      list
        .all(role, prefix.length, prefix)
        .map((row) => [String(row["key"]), JSON.parse(String(row["value"]))] as const),
    write(writes) {
      for (const { role, key, value } of writes) {
        if (value === undefined) remove.run(role, key);
        else put.run(role, key, value);
      }
    },
  };
}
