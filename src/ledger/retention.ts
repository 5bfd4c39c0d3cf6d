import type { Database } from "../storage/index.ts";

// Every statement of a pass is bounded, so that a pass never holds the agent up for long.
const ROWS_A_PASS = 500;

/**
 * Deletes what is older than `cutoff` (Unix ms), at most a batch a call; says how many envelopes went.
 * A conversation with anything unfinished in it (a task, an open question, an unacknowledged envelope,
 * a dead letter) is kept whole.
 */
export function createRetention(db: Database): (cutoff: number) => number {
  const old = db.prepare(
    `SELECT n FROM message AS m WHERE at < ? AND NOT EXISTS (
       SELECT 1 FROM message AS live WHERE live.corr = m.corr AND (
         live.at >= ?1
         OR EXISTS (SELECT 1 FROM inbox WHERE inbox.n = live.n AND inbox.state <> 2)
         OR EXISTS (SELECT 1 FROM wait WHERE wait.n = live.n AND wait.state = 0)
         OR EXISTS (SELECT 1 FROM outbox WHERE outbox.n = live.n)))
     ORDER BY n LIMIT ${ROWS_A_PASS}`,
  );
  const deletions = [
    db.prepare("DELETE FROM journal WHERE inbox = ?"),
    db.prepare("DELETE FROM wait WHERE n = ?"),
    db.prepare("DELETE FROM inbox WHERE n = ?"),
    db.prepare("DELETE FROM message WHERE n = ?"),
  ];
  const tombs = db.prepare("DELETE FROM tomb WHERE at < ?");
  return (cutoff) => {
    tombs.run(cutoff);
    const rows = old.all(cutoff);
    for (const row of rows) for (const deletion of deletions) deletion.run(row["n"] ?? null);
    return rows.length;
  };
}
