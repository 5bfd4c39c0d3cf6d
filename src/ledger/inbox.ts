import { idToBytes } from "../envelope/index.ts";
import type { Database } from "../storage/index.ts";
import type { Archive, Letter, StoredLetter } from "./archive.ts";
import type { StoreWrite, StoreWriter } from "./key-values.ts";
import { DIRECTION, INBOX, OUTBOX } from "./schema.ts";

/** A task as it comes in. */
export interface IncomingTask extends Letter {
  readonly peer: string;
  /** 0 is the most urgent. */
  readonly priority: number;
  /** Unix ms by this machine's clock. */
  readonly deadline: number;
  /** Whether it is taken up at once, in the same commit. */
  readonly isClaimed: boolean;
}

/** What became of an incoming task. */
export type Acceptance =
  | { readonly kind: "new"; readonly n: number }
  /** Its cancel came first. */
  | { readonly kind: "cancelled"; readonly n: number }
  | {
      readonly kind: "seen";
      readonly n: number;
      readonly isFinished: boolean;
      readonly answer: number | undefined;
    };

/** How a task ended. */
export interface Settlement {
  readonly n: number;
  readonly state: "done" | "dead";
  /** The envelope that answers it, and whom it goes to. */
  readonly answer?: Letter & { readonly peer: string };
  readonly failure?: string;
  /** Further envelopes that leave with the outcome. */
  readonly also: readonly (Letter & { readonly peer: string })[];
  /** What the handler set in its role's store. */
  readonly writes: readonly StoreWrite[];
  /** Unix ms at which an unacknowledged envelope is sent again. */
  readonly nextAt: number;
}

/** A task that waits its turn. */
export interface ReadyRow {
  readonly n: number;
  readonly priority: number;
}

/** A task that was in work when the process ended. */
export interface InterruptedRow extends ReadyRow {
  readonly soloCrashes: number;
}

/** An envelope that is to be sent, by its row. */
export interface Outgoing {
  readonly n: number;
  readonly peer: string;
  readonly id: string;
  readonly text: string;
}

/** What an agent was asked to do. */
export interface Inbox {
  accept(task: IncomingTask): Acceptance;
  /** Notes that a request is cancelled; gives its row when it has already come. */
  cancel(peer: string, requestId: string): number | undefined;
  claim(n: number): void;
  /** Gives a task back that a planned stop interrupted: it goes on as if it had never begun, with its journal. */
  release(n: number): void;
  /** Notes that a task runs alone from here on (or no longer), so that a crash can be laid at its door. */
  setSolo(n: number, isSolo: boolean): void;
  /** Ends a task once; `undefined` when it had already ended. Gives what is to be sent. */
  settle(settlement: Settlement): readonly Outgoing[] | undefined;
  read(n: number): StoredLetter;
  /** What a peer sent under this id. */
  find(peer: string, id: string): StoredLetter | undefined;
  deadlineOf(n: number): number;
  isUnfinished(n: number): boolean;
  ready(): readonly ReadyRow[];
  /** Tasks found in work at start, with their crashes counted: only a crash while alone counts. */
  interrupted(): readonly InterruptedRow[];
}

/** What an inbox works with. */
export interface InboxParts {
  readonly archive: Archive;
  readonly store: StoreWriter;
  readonly now: () => number;
}

export function createInbox(db: Database, { archive, store, now }: InboxParts): Inbox {
  const insert = db.prepare("INSERT INTO inbox (n, priority, state, deadline) VALUES (?, ?, ?, ?)");
  const state = db.prepare("SELECT state, outcome FROM inbox WHERE n = ?");
  const deadline = db.prepare("SELECT deadline FROM inbox WHERE n = ?");
  const entomb = db.prepare("INSERT INTO tomb (id, peer, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  const tomb = db.prepare("SELECT 1 FROM tomb WHERE id = ? AND peer = ?");
  const setState = db.prepare("UPDATE inbox SET state = ? WHERE n = ? AND state < 2");
  const setSolo = db.prepare("UPDATE inbox SET solo = ? WHERE n = ?");
  const finish = db.prepare(
    "UPDATE inbox SET state = ?, outcome = ?, failure = ?, solo = 0 WHERE n = ? AND state < 2",
  );
  const setOutcome = db.prepare("UPDATE inbox SET outcome = ? WHERE n = ?");
  const queue = db.prepare("INSERT INTO outbox (n, peer, state, tries, next_at) VALUES (?, ?, ?, 0, ?)");
  const unfinished = db.prepare(
    "SELECT n, priority, solo_crashes FROM inbox WHERE state = ? ORDER BY priority, n",
  );
  const countCrashes = db.prepare(
    "UPDATE inbox SET solo_crashes = solo_crashes + solo, solo = 0 WHERE state = 1",
  );
  let hasTombs = db.prepare("SELECT 1 FROM tomb LIMIT 1").get() !== undefined;

  const send = (letter: Letter & { readonly peer: string }, nextAt: number): Outgoing => {
    const n = archive.add(DIRECTION.out, letter.peer, letter);
    if (n === undefined)
      throw new Error(`an envelope of id ${letter.message.message_id} has already been sent`);
    queue.run(n, letter.peer, OUTBOX.open, nextAt);
    return { n, peer: letter.peer, id: letter.message.message_id, text: letter.text };
  };

  return {
    accept(task) {
      const { peer, message } = task;
      const n = archive.add(DIRECTION.in, peer, task);
      if (n === undefined) {
        const seen = archive.find(DIRECTION.in, peer, message.message_id) ?? 0;
        const row = state.get(seen);
        const isFinished = row === undefined || Number(row["state"]) >= INBOX.done;
        return { kind: "seen", n: seen, isFinished, answer: toNumber(row?.["outcome"]) };
      }
      const isCancelled = hasTombs && tomb.get(idToBytes(message.message_id), peer) !== undefined;
      insert.run(
        n,
        task.priority,
        task.isClaimed || isCancelled ? INBOX.running : INBOX.ready,
        task.deadline,
      );
      return { kind: isCancelled ? "cancelled" : "new", n };
    },
    cancel(peer, requestId) {
      entomb.run(idToBytes(requestId), peer, now());
      hasTombs = true;
      return archive.find(DIRECTION.in, peer, requestId);
    },
    claim: (n) => void setState.run(INBOX.running, n),
    release: (n) => void setState.run(INBOX.ready, n),
    setSolo: (n, isSolo) => void setSolo.run(isSolo ? 1 : 0, n),
    settle({ n, state, answer, failure, also, writes, nextAt }) {
      const ended = finish.run(state === "dead" ? INBOX.dead : INBOX.done, null, failure ?? null, n);
      if (ended.changes === 0) return undefined;
      store(writes);
      const outgoing: Outgoing[] = [];
      if (answer) {
        const sent = send(answer, nextAt);
        setOutcome.run(sent.n, n);
        outgoing.push(sent);
      }
      for (const letter of also) outgoing.push(send(letter, nextAt));
      return outgoing;
    },
    read: (n) => archive.read(n),
    find(peer, id) {
      const n = archive.find(DIRECTION.in, peer, id);
      return n === undefined ? undefined : archive.read(n);
    },
    deadlineOf: (n) => toNumber(deadline.get(n)?.["deadline"]) ?? 0,
    isUnfinished: (n) => Number(state.get(n)?.["state"] ?? INBOX.done) < INBOX.done,
    ready: () =>
      unfinished.all(INBOX.ready).map((row) => ({ n: Number(row["n"]), priority: Number(row["priority"]) })),
    interrupted() {
      countCrashes.run();
      return unfinished.all(INBOX.running).map((row) => ({
        n: Number(row["n"]),
        priority: Number(row["priority"]),
        soloCrashes: Number(row["solo_crashes"]),
      }));
    },
  };
}

function toNumber(value: unknown): number | undefined {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}
