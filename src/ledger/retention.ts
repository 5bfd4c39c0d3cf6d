import type { Database } from "../storage/index.ts";

// Every pass looks at a bounded number of rows, so that it never holds the agent up for long.
const ROWS_A_PASS = 500;
/** Dead letters wait for an operator this many times as long as what is finished is kept. */
const DEAD_KEPT_TIMES = 3;

/** Forgets what is old, a batch at a time. */
export interface Retention {
  /**
   * Looks at the next batch of envelopes older than `keepMs`; says whether there are more.
   * A conversation with anything unfinished in it (a task, an unacknowledged envelope, a dead letter), or on which something will follow, is kept whole;
   * a dead letter that nobody has looked after for three times as long is given up.
   */
  forget(now: number, keepMs: number): boolean;
}

export function createRetention(db: Database): Retention {
  // Rows stand in the order of time, so that the first one that is young enough ends the search.
  const batch = db.prepare(`SELECT n, corr, at FROM message WHERE n > ? ORDER BY n LIMIT ${ROWS_A_PASS}`);
  const live = db.prepare(
    `SELECT 1 FROM message AS live WHERE live.corr = ?1 AND (
       live.at >= ?2
       OR EXISTS (SELECT 1 FROM task WHERE task.n = live.n)
       OR EXISTS (SELECT 1 FROM outbox WHERE outbox.n = live.n)
       OR EXISTS (SELECT 1 FROM followed WHERE followed.n = live.n)) LIMIT 1`,
  );
  const remove = db.prepare("DELETE FROM message WHERE n = ?");
  const tombs = db.prepare("DELETE FROM tomb WHERE at < ?");
  // Those before the one that recorded the oldest envelope have nothing left to say.
  const processes = db.prepare(
    "DELETE FROM process WHERE since < (SELECT max(since) FROM process WHERE since <= (SELECT min(n) FROM message))",
  );
  const dead = (table: string): string =>
    `SELECT n FROM message JOIN ${table} USING (n) WHERE state = 2 AND at < ?1`;
  const giveUp = [
    `DELETE FROM journal WHERE task IN (${dead("task")})`,
    `DELETE FROM wait WHERE task IN (${dead("task")})`,
    `DELETE FROM task WHERE n IN (${dead("task")})`,
    `DELETE FROM outbox WHERE n IN (${dead("outbox")})`,
  ].map((sql) => db.prepare(sql));
  let seen = 0;

  return {
    forget(now, keepMs) {
      const cutoff = now - keepMs;
      if (seen === 0) {
        tombs.run(cutoff);
        processes.run();
        for (const statement of giveUp) statement.run(now - DEAD_KEPT_TIMES * keepMs);
      }
      const rows = batch.all(seen);
      for (const { n, corr, at } of rows) {
        if (Number(at) >= cutoff) {
          seen = 0;
          return false;
        }
        seen = Number(n);
        if (!live.get(corr ?? null, cutoff)) remove.run(n ?? null);
      }
      if (rows.length === ROWS_A_PASS) return true;
      seen = 0;
      return false;
    },
  };
}
