import { canonicalJson } from "../envelope/index.ts";
import type { Database, Row } from "../storage/index.ts";
import type { Changed, Transition } from "./incident.ts";
import { Incident } from "./incident.ts";

/** Incidents and what happened to them. Whoever writes does it within `transaction`. */
export interface IncidentStore {
  /** All or nothing of what `work` writes becomes durable. */
  transaction<T>(work: () => T): T;
  /** Undoes what `work` wrote when it throws, and nothing else of the transaction. */
  attempt(work: () => void): void;
  nextNumber(): number;
  insert(changed: Changed, now: number): void;
  save(changed: Changed): void;
  find(n: number): Incident | undefined;
  /** The last one about the same thing. */
  newest(fingerprint: string): Incident | undefined;
  /** All that fire or flap, the oldest first. */
  live(): readonly Incident[];
  /** Those of one cause that came since a moment and have nowhere been shown. */
  unshownOf(cause: string, since: number): readonly Incident[];
  /** How many of one cause came since a moment. */
  countOf(cause: string, since: number): number;
  membersOf(storm: number): readonly Incident[];
  transitionsOf(n: number): readonly Transition[];
}

export function createIncidentStore(db: Database): IncidentStore {
  const last = db.prepare("SELECT max(n) AS n FROM incident");
  const insert = db.prepare(
    "INSERT INTO incident (n, fingerprint, cause, storm, is_live, created_at, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const update = db.prepare("UPDATE incident SET storm = ?, is_live = ?, body = ? WHERE n = ?");
  const byNumber = db.prepare("SELECT body FROM incident WHERE n = ?");
  const byFingerprint = db.prepare("SELECT body FROM incident WHERE fingerprint = ? ORDER BY n DESC LIMIT 1");
  const live = db.prepare("SELECT body FROM incident WHERE is_live = 1 ORDER BY n");
  const unshown = db.prepare(
    `SELECT body FROM incident JOIN message ON message.incident = incident.n
     WHERE cause = ? AND created_at > ? AND storm IS NULL AND ref IS NULL AND sending = 0 AND is_live = 1 ORDER BY n`,
  );
  const count = db.prepare("SELECT count(*) AS n FROM incident WHERE cause = ? AND created_at > ?");
  const members = db.prepare("SELECT body FROM incident WHERE storm = ? ORDER BY n");
  const note = db.prepare("INSERT INTO transition (incident, at, what, by, note) VALUES (?, ?, ?, ?, ?)");
  const history = db.prepare("SELECT at, what, by, note FROM transition WHERE incident = ? ORDER BY n");

  const record = ({ incident, transitions }: Changed): void => {
    for (const { at, what, by, note: words } of transitions) note.run(incident.n, at, what, by, words);
  };

  return {
    transaction: db.commit,
    attempt(work) {
      db.exec("SAVEPOINT one");
      try {
        work();
      } catch (error) {
        db.exec("ROLLBACK TO one");
        throw error;
      } finally {
        db.exec("RELEASE one");
      }
    },
    nextNumber: () => Number(last.get()?.["n"] ?? 0) + 1,
    insert(changed, now) {
      const { incident } = changed;
      const { n, fingerprint, cause, storm } = incident;
      insert.run(n, fingerprint, cause, storm, isLive(incident), now, canonicalJson(incident));
      record(changed);
    },
    save(changed) {
      const { incident } = changed;
      update.run(incident.storm, isLive(incident), canonicalJson(incident), incident.n);
      record(changed);
    },
    find: (n) => toIncident(byNumber.get(n)),
    newest: (fingerprint) => toIncident(byFingerprint.get(fingerprint)),
    live: () => toIncidents(live.all()),
    unshownOf: (cause, since) => toIncidents(unshown.all(cause, since)),
    countOf: (cause, since) => Number(count.get(cause, since)?.["n"] ?? 0),
    membersOf: (storm) => toIncidents(members.all(storm)),
    transitionsOf: (n) =>
      history.all(n).map((row) => ({
        at: Number(row["at"]),
        what: String(row["what"]) as Transition["what"],
        by: row["by"] === null ? null : String(row["by"]),
        note: String(row["note"]),
      })),
  };
}

function isLive({ resolvedAt, isFlapping }: Incident): 0 | 1 {
  return resolvedAt === null || isFlapping ? 1 : 0;
}

function toIncident(row: Row | undefined): Incident | undefined {
  return row && Incident.parse(JSON.parse(String(row["body"])));
}

function toIncidents(rows: readonly Row[]): Incident[] {
  return rows.flatMap((row) => toIncident(row) ?? []);
}
