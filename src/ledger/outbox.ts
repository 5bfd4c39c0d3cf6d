import type { VoxMessage } from "../envelope/index.ts";
import type { Database } from "../storage/index.ts";
import type { Archive, Letter, StoredLetter } from "./archive.ts";
import { DIRECTION, OUTBOX } from "./schema.ts";

/** An envelope that is to be sent, by its row. */
export interface Outgoing {
  readonly n: number;
  readonly peer: string;
  readonly message: VoxMessage;
  readonly text: string;
}

/** An envelope that has not been acknowledged. */
export interface DueRow {
  readonly n: number;
  readonly peer: string;
  readonly tries: number;
}

/** Envelopes on their way out, until each has arrived. */
export interface Outbox {
  /** Queues an envelope; `nextAt` is when it is sent again unless it has been acknowledged. */
  add(peer: string, letter: Letter, nextAt: number): Outgoing;
  /** Records an envelope that goes once. */
  record(peer: string, letter: Letter): Outgoing;
  /** Rows whose time has come; all that are open when `now` is left out. */
  due(now?: number): readonly DueRow[];
  isOpen(n: number): boolean;
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
  /** Takes up what an operator has given another try. */
  takeUp(): void;
  /** Puts an envelope aside that could not be delivered. */
  bury(n: number): void;
}

export function createOutbox(db: Database, archive: Archive): Outbox {
  const insert = db.prepare("INSERT INTO outbox (n, peer, state, tries, next_at) VALUES (?, ?, ?, 0, ?)");
  // What is due only in a minute or more was put off by a clock that has been set back since: it is due now.
  const byState = db.prepare(
    "SELECT n, peer, tries FROM outbox WHERE state = ?1 AND (next_at <= ?2 OR next_at > ?2 + 60000) ORDER BY n",
  );
  const retry = db.prepare("UPDATE outbox SET tries = ?, next_at = ? WHERE n = ? AND state = 0");
  const remove = db.prepare("DELETE FROM outbox WHERE n = ?");
  const setState = db.prepare("UPDATE outbox SET state = ? WHERE n = ?");
  const open = createOpenRows();
  const unburied = db.prepare("SELECT n, peer FROM outbox WHERE state <> 2");
  const takeUp = (): void => {
    for (const { n, peer } of unburied.all()) {
      if (!open.has(Number(n))) open.add(String(peer), archive.idOf(Number(n)), Number(n));
    }
  };
  takeUp();

  const rows = (state: number, until: number): DueRow[] =>
    byState.all(state, until).map((row) => ({
      n: Number(row["n"]),
      peer: String(row["peer"]),
      tries: Number(row["tries"]),
    }));
  const close = (n: number): void => {
    remove.run(n);
    open.delete(n);
  };

  const record = (peer: string, letter: Letter): Outgoing => {
    const { message, text } = letter;
    const n = archive.add(DIRECTION.out, peer, letter);
    if (n === undefined) throw new Error(`an envelope of id ${message.message_id} has already been sent`);
    return { n, peer, message, text };
  };

  return {
    add(peer, letter, nextAt) {
      const outgoing = record(peer, letter);
      insert.run(outgoing.n, peer, OUTBOX.open, nextAt);
      open.add(peer, letter.message.message_id, outgoing.n);
      return outgoing;
    },
    record,
    due: (now = Number.MAX_SAFE_INTEGER) => rows(OUTBOX.open, now),
    isOpen: (n) => open.has(n),
    count: (peer) => open.count(peer),
    read: (n) => archive.read(n),
    retryAt: (n, tries, nextAt) => void retry.run(tries, nextAt, n),
    acknowledge(peer, ids) {
      for (const id of ids) {
        const n = open.find(peer, id);
        if (n !== undefined) close(n);
      }
    },
    close,
    markSending: (n) => void setState.run(OUTBOX.sending, n),
    reopen: (n) => void setState.run(OUTBOX.open, n),
    interrupted: () => rows(OUTBOX.sending, Number.MAX_SAFE_INTEGER),
    takeUp,
    bury(n) {
      setState.run(OUTBOX.dead, n);
      open.delete(n);
    },
  };
}

/** The rows that are open, by peer and id, so that an acknowledgement finds its row without an index in the file. */
function createOpenRows() {
  const byPeer = new Map<string, Map<string, number>>();
  const byRow = new Map<number, { readonly peer: string; readonly id: string }>();
  return {
    add(peer: string, id: string, n: number): void {
      const ids = byPeer.get(peer) ?? new Map<string, number>();
      byPeer.set(peer, ids);
      ids.set(id, n);
      byRow.set(n, { peer, id });
    },
    delete(n: number): void {
      const row = byRow.get(n);
      if (!row) return;
      byPeer.get(row.peer)?.delete(row.id);
      byRow.delete(n);
    },
    has: (n: number): boolean => byRow.has(n),
    find: (peer: string, id: string): number | undefined => byPeer.get(peer)?.get(id),
    count: (peer: string): number => byPeer.get(peer)?.size ?? 0,
  };
}
