import type { Database } from "../storage/index.ts";

/** An alert on its way to the war room. */
export interface StoredAlert {
  /** Consecutive from 1 for as long as the ledger lives; who reads alerts tells repeats by it. */
  readonly seq: number;
  /** An envelope's canonical JSON. */
  readonly body: string;
}

/** Alerts that nobody has confirmed yet. */
export interface Alerts {
  add(body: string): void;
  /** Those after `seq`, oldest first. */
  after(seq: number, limit: number): readonly StoredAlert[];
  /**
   * Forgets what has been confirmed. Where more is confirmed than this ledger ever numbered, an older one was lost:
   * what stands is numbered anew, after that, or nobody would take it for news.
   */
  confirm(upTo: number): void;
}

/** The oldest go first when nobody fetches them: whoever reads the rest sees the gap in their numbers. */
const MOST_KEPT = 10_000;

export function createAlerts(db: Database, now: () => number): Alerts {
  const insert = db.prepare("INSERT INTO alert (at, body) VALUES (?, ?)");
  const trim = db.prepare("DELETE FROM alert WHERE seq <= ?");
  const after = db.prepare("SELECT seq, body FROM alert WHERE seq > ? ORDER BY seq LIMIT ?");
  const lastGiven = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'alert'");
  const forgetGiven = db.prepare("DELETE FROM sqlite_sequence WHERE name = 'alert'");
  const noteGiven = db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('alert', ?)");
  const shift = db.prepare("UPDATE alert SET seq = seq + ?");
  return {
    add(body) {
      const { lastInsertRowid } = insert.run(now(), body);
      trim.run(Number(lastInsertRowid) - MOST_KEPT);
    },
    after: (seq, limit) =>
      after.all(seq, limit).map((row) => ({ seq: Number(row["seq"]), body: String(row["body"]) })),
    confirm(upTo) {
      const last = Number(lastGiven.get()?.["seq"] ?? 0);
      if (upTo <= last) {
        trim.run(upTo);
        return;
      }
      shift.run(upTo);
      forgetGiven.run();
      noteGiven.run(upTo + last);
    },
  };
}
