import { idToBytes } from "../envelope/index.ts";
import type { Database } from "../storage/index.ts";
import type { Archive, Letter, StoredLetter } from "./archive.ts";
import type { Outgoing } from "./inbox.ts";
import { DIRECTION, OUTBOX } from "./schema.ts";

/** An envelope that has not been acknowledged. */
export interface DueRow {
  readonly n: number;
  readonly peer: string;
  readonly tries: number;
}

/** Envelopes on their way out, until each has arrived. */
export interface Outbox {
  /** Queues an envelope that answers nothing (a notice). */
  add(peer: string, letter: Letter, nextAt: number): Outgoing;
  /** Rows whose time has come; all that are open when `now` is left out. */
  due(now?: number): readonly DueRow[];
  /** How many are open towards a peer. */
  count(peer: string): number;
  read(n: number): StoredLetter;
  retryAt(n: number, tries: number, nextAt: number): void;
  /** Closes what a peer acknowledged; ids that are not open are ignored. */
  acknowledge(peer: string, ids: readonly string[]): void;
  close(n: number): void;
  /** Notes that a send which cannot be repeated safely has begun. */
  markSending(n: number): void;
  /** Notes that a send has certainly not happened; it is due again. */
  reopen(n: number): void;
  /** Sends that had begun when the process ended: whether they arrived is unknown. */
  interrupted(): readonly DueRow[];
  /** Puts an envelope aside that could not be delivered. */
  bury(n: number): void;
}

export function createOutbox(db: Database, archive: Archive): Outbox {
  const insert = db.prepare("INSERT INTO outbox (n, peer, state, tries, next_at) VALUES (?, ?, ?, 0, ?)");
  const byState = db.prepare("SELECT n, peer, tries FROM outbox WHERE state = ? AND next_at <= ? ORDER BY n");
  const countOpen = db.prepare("SELECT count(*) AS n FROM outbox WHERE peer = ? AND state = 0");
  const retry = db.prepare("UPDATE outbox SET tries = ?, next_at = ? WHERE n = ? AND state = 0");
  const remove = db.prepare("DELETE FROM outbox WHERE n = ?");
  const byId = db.prepare("SELECT n FROM message WHERE id = ? AND peer = ? AND direction = 1");
  const setState = db.prepare("UPDATE outbox SET state = ? WHERE n = ?");
  const rows = (state: number, until: number): DueRow[] =>
    byState.all(state, until).map((row) => ({
      n: Number(row["n"]),
      peer: String(row["peer"]),
      tries: Number(row["tries"]),
    }));
  return {
    add(peer, letter, nextAt) {
      const n = archive.add(DIRECTION.out, peer, letter);
      if (n === undefined)
        throw new Error(`an envelope of id ${letter.message.message_id} has already been sent`);
      insert.run(n, peer, OUTBOX.open, nextAt);
      return { n, peer, id: letter.message.message_id, text: letter.text };
    },
    due: (now = Number.MAX_SAFE_INTEGER) => rows(OUTBOX.open, now),
    count: (peer) => Number(countOpen.get(peer)?.["n"] ?? 0),
    read: (n) => archive.read(n),
    retryAt: (n, tries, nextAt) => void retry.run(tries, nextAt, n),
    acknowledge(peer, ids) {
      for (const id of ids) {
        const row = byId.get(idToBytes(id), peer);
        if (row) remove.run(row["n"] ?? null);
      }
    },
    close: (n) => void remove.run(n),
    markSending: (n) => void setState.run(OUTBOX.sending, n),
    reopen: (n) => void setState.run(OUTBOX.open, n),
    interrupted: () => rows(OUTBOX.sending, Number.MAX_SAFE_INTEGER),
    bury: (n) => void setState.run(OUTBOX.dead, n),
  };
}
