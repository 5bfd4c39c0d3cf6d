import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Rows of an agent's ledger, read beside the agent that works on it. */
export function readRows(
  dir: string,
  agent: string,
  sql: string,
): readonly Readonly<Record<string, unknown>>[] {
  const db = new DatabaseSync(join(dir, agent, "ledger.db"), { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

/** What an agent has refused, by neighbour and code. */
export function refusalsOf(dir: string, agent: string): Readonly<Record<string, number>> {
  const rows = readRows(dir, agent, "SELECT peer, code, count FROM rejection");
  return Object.fromEntries(
    rows.map(({ peer, code, count }) => [`${String(peer)} ${String(code)}`, Number(count)]),
  );
}
