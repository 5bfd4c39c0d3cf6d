import type { Database, Row } from "../storage/index.ts";
import type { Severity } from "./signal.ts";

/** What there is to know about the one message of an incident. */
export interface Message {
  readonly incident: number;
  readonly holdUntil: number;
  /** An incident that is over sooner is not posted. */
  readonly waitMs: number;
  readonly rev: number;
  /** What is shown is what `rev` was then. */
  readonly sentRev: number;
  readonly sentHash: string | null;
  /** Where it stands; null before it does. */
  readonly place: { readonly room: string; readonly ref: string } | null;
  /** Whether it may have been posted without anybody knowing. */
  readonly wasCut: boolean;
  readonly attempts: number;
  /** How much has been taken out of it because it was refused; 0 is nothing. */
  readonly plainness: number;
  readonly notBefore: number;
}

/** Something short that is said once, as a reply to the message: an edit makes no sound. */
export interface Note {
  readonly n: number;
  readonly incident: number;
  readonly kind: NoteKind;
  readonly wasCut: boolean;
  readonly attempts: number;
}
export type NoteKind = "repeat" | "again" | "worse" | "steady" | "silence over";

export type NoteEnd = "sent" | "useless" | "refused";
const NOTE_STATE = { ready: 0, sending: 1, sent: 2, useless: 3, refused: 4 } as const;

/** The messages and notes that are to be sent, as they are stored. */
export interface Messages {
  create(incident: number, hold: { until: number; waitMs: number }): void;
  find(incident: number): Message | undefined;
  /** There is something new to show. */
  touch(incident: number): void;
  /** Those that show something old, and may be sent by now. */
  due(now: number): readonly Message[];
  begin(incident: number): void;
  /** The call is over, and may be made again. */
  release(
    incident: number,
    next: Partial<Pick<Message, "wasCut" | "attempts" | "plainness" | "notBefore">>,
  ): void;
  /** What is shown is what `rev` was. */
  sent(incident: number, shown: { rev: number; hash: string; room: string; ref: string }): void;
  /** What is shown is right as it is. */
  settle(incident: number, rev: number): void;
  /** It stands nowhere any more. */
  forgetPlace(incident: number): void;
  /** When those who did not answer are reminded; null for never. */
  setRepeat(incident: number, at: number | null): void;
  repeatsDue(now: number): readonly number[];
  /** Says it once; where it waits to be said already, that is enough. */
  addNote(incident: number, kind: NoteKind): void;
  notesDue(now: number): readonly Note[];
  beginNote(n: number): void;
  releaseNote(n: number, next: { wasCut: boolean; attempts: number; notBefore: number }): void;
  endNote(n: number, end: NoteEnd): void;
  /** What was under way when the process ended: what is edited again does no harm, what is posted again says so. */
  recover(): void;
  /** Messages in rooms that there are no longer stand nowhere; those of what is still open are posted anew. */
  moveInto(rooms: readonly string[]): void;
}

/** How long who has not acknowledged is left alone. */
export const REPEAT_MS: Readonly<Record<Severity, number>> = {
  crit: 30 * 60_000,
  warn: 4 * 3_600_000,
  info: 4 * 3_600_000,
};

/** Nothing is put off for longer; what seems to be was so by a clock that has been set back since. */
const LONGEST_WAIT_MS = 15 * 60_000;

export function createMessages(db: Database): Messages {
  const create = db.prepare(
    `INSERT INTO message (incident, hold_until, wait_ms, rev, sent_rev, sending, was_cut, attempts, plainness, not_before)
     VALUES (?, ?, ?, 1, 0, 0, 0, 0, 0, 0)`,
  );
  const find = db.prepare("SELECT * FROM message WHERE incident = ?");
  const touch = db.prepare(
    "UPDATE message SET rev = rev + 1, plainness = 0, not_before = CASE WHEN sending = 1 THEN not_before ELSE 0 END WHERE incident = ?",
  );
  const due = db.prepare(
    `SELECT * FROM message WHERE rev > sent_rev AND sending = 0
       AND (hold_until <= ?1 OR hold_until > ?1 + ${LONGEST_WAIT_MS})
       AND (not_before <= ?1 OR not_before > ?1 + ${LONGEST_WAIT_MS})
     ORDER BY incident`,
  );
  const begin = db.prepare("UPDATE message SET sending = 1 WHERE incident = ?");
  const release = db.prepare(
    `UPDATE message SET sending = 0, was_cut = coalesce(?, was_cut), attempts = coalesce(?, attempts),
     plainness = coalesce(?, plainness), not_before = coalesce(?, not_before) WHERE incident = ?`,
  );
  const sent = db.prepare(
    `UPDATE message SET sending = 0, sent_rev = ?, sent_hash = ?, room = ?, ref = ?, was_cut = 0, attempts = 0, not_before = 0
     WHERE incident = ?`,
  );
  const settle = db.prepare("UPDATE message SET sending = 0, sent_rev = ? WHERE incident = ?");
  const forget = db.prepare(
    "UPDATE message SET sending = 0, room = NULL, ref = NULL, sent_hash = NULL, attempts = 0 WHERE incident = ?",
  );
  const setRepeat = db.prepare("UPDATE message SET repeat_at = ? WHERE incident = ?");
  const repeats = db.prepare("SELECT incident FROM message WHERE repeat_at <= ? ORDER BY incident");
  const waiting = db.prepare("SELECT 1 FROM note WHERE incident = ? AND state < 2 AND kind = ?");
  const addNote = db.prepare(
    "INSERT INTO note (incident, kind, state, was_cut, attempts, not_before) VALUES (?, ?, 0, 0, 0, 0)",
  );
  const notes = db.prepare("SELECT * FROM note WHERE state = 0 AND not_before <= ? ORDER BY n");
  const setNote = db.prepare("UPDATE note SET state = ? WHERE n = ?");
  const releaseNote = db.prepare(
    "UPDATE note SET state = 0, was_cut = ?, attempts = ?, not_before = ? WHERE n = ?",
  );

  const gone = "ref IS NOT NULL AND room NOT IN (SELECT value FROM json_each(?))";
  const stale = db.prepare(
    `UPDATE message SET rev = rev + 1 WHERE ${gone} AND incident IN (SELECT n FROM incident WHERE is_live = 1)`,
  );
  const homeless = db.prepare(`UPDATE message SET room = NULL, ref = NULL, sent_hash = NULL WHERE ${gone}`);

  return {
    create: (incident, { until, waitMs }) => void create.run(incident, until, waitMs),
    find(incident) {
      const row = find.get(incident);
      return row && toMessage(row);
    },
    touch: (incident) => void touch.run(incident),
    due: (now) => due.all(now).map(toMessage),
    begin: (incident) => void begin.run(incident),
    release(incident, { wasCut, attempts, plainness, notBefore }) {
      const cut = wasCut === undefined ? null : Number(wasCut);
      release.run(cut, attempts ?? null, plainness ?? null, notBefore ?? null, incident);
    },
    sent: (incident, { rev, hash, room, ref }) => void sent.run(rev, hash, room, ref, incident),
    settle: (incident, rev) => void settle.run(rev, incident),
    forgetPlace: (incident) => void forget.run(incident),
    setRepeat: (incident, at) => void setRepeat.run(at, incident),
    repeatsDue: (now) => repeats.all(now).map((row) => Number(row["incident"])),
    addNote(incident, kind) {
      if (!waiting.get(incident, kind)) addNote.run(incident, kind);
    },
    notesDue: (now) =>
      notes.all(now).map((row) => ({
        n: Number(row["n"]),
        incident: Number(row["incident"]),
        kind: String(row["kind"]) as NoteKind,
        wasCut: row["was_cut"] === 1,
        attempts: Number(row["attempts"]),
      })),
    beginNote: (n) => void setNote.run(NOTE_STATE.sending, n),
    releaseNote: (n, { wasCut, attempts, notBefore }) =>
      void releaseNote.run(Number(wasCut), attempts, notBefore, n),
    endNote: (n, end) => void setNote.run(NOTE_STATE[end], n),
    recover() {
      db.exec(
        `UPDATE message SET was_cut = 1 WHERE sending = 1 AND ref IS NULL;
         UPDATE message SET sending = 0 WHERE sending = 1;
         UPDATE note SET state = 0, was_cut = 1 WHERE state = 1`,
      );
    },
    moveInto(rooms) {
      const there = JSON.stringify(rooms);
      stale.run(there);
      homeless.run(there);
    },
  };
}

function toMessage(row: Row): Message {
  return {
    incident: Number(row["incident"]),
    holdUntil: Number(row["hold_until"]),
    waitMs: Number(row["wait_ms"]),
    rev: Number(row["rev"]),
    sentRev: Number(row["sent_rev"]),
    sentHash: row["sent_hash"] === null ? null : String(row["sent_hash"]),
    place: row["ref"] === null ? null : { room: String(row["room"]), ref: String(row["ref"]) },
    wasCut: row["was_cut"] === 1,
    attempts: Number(row["attempts"]),
    plainness: Number(row["plainness"]),
    notBefore: Number(row["not_before"]),
  };
}
