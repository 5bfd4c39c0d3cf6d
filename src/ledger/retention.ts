import type { Database } from "../storage/index.ts";

// Every statement of a pass is bounded, so that a pass never holds the agent up for long.
const ROWS_A_PASS = 500;

/**
 * Deletes what is older than `cutoff` (Unix ms), at most a batch a call; says how many envelopes went.
 * A conversation with anything unfinished in it (a task, an unacknowledged envelope, a dead letter) is kept whole.
 */
export function createRetention(db: Database): (cutoff: number) => number {
  const old = db.prepare(
    `SELECT n FROM message AS m WHERE at < ?1 AND NOT EXISTS (
       SELECT 1 FROM message AS live WHERE live.corr = m.corr AND (
         live.at >= ?1
         OR EXISTS (SELECT 1 FROM task WHERE task.n = live.n)
         OR EXISTS (SELECT 1 FROM outbox WHERE outbox.n = live.n)))
     ORDER BY n LIMIT ${ROWS_A_PASS}`,
  );
  const remove = db.prepare("DELETE FROM message WHERE n = ?");
  const tombs = db.prepare("DELETE FROM tomb WHERE at < ?");
  return (cutoff) => {
    tombs.run(cutoff);
    const rows = old.all(cutoff);
    for (const row of rows) remove.run(row["n"] ?? null);
    return rows.length;
  };
}
