import type { Database } from "../storage/index.ts";

/** How many calls a room is spared: the count outlives a restart. */
export interface Pace {
  /** Whether one more may be made now. */
  allows(now: number, isCritical: boolean): boolean;
  /** Counts one. */
  count(now: number): void;
}

/** A group takes 20 a minute; others may write there, too. */
const MOST_IN_A_MINUTE = 12;
/** So many of them are kept for what is critical. */
const KEPT_FOR_CRITICAL = 4;
const MINUTE_MS = 60_000;

export function createPace(db: Database): Pace {
  const made = db.prepare("SELECT count(*) AS n FROM call WHERE at > ? AND at <= ?");
  const add = db.prepare("INSERT INTO call (at) VALUES (?)");
  // Those of a clock that was ahead are forgotten, too.
  const forget = db.prepare("DELETE FROM call WHERE at <= ? OR at > ?");
  return {
    allows(now, isCritical) {
      const calls = Number(made.get(now - MINUTE_MS, now)?.["n"] ?? 0);
      return calls < (isCritical ? MOST_IN_A_MINUTE : MOST_IN_A_MINUTE - KEPT_FOR_CRITICAL);
    },
    count(now) {
      forget.run(now - MINUTE_MS, now);
      add.run(now);
    },
  };
}
