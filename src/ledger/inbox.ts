import { idToBytes } from "../envelope/index.ts";
import type { Database, Row } from "../storage/index.ts";
import type { Archive, Letter, LetterKey, StoredLetter } from "./archive.ts";
import type { StoreWrite, StoreWriter } from "./key-values.ts";
import type { Outbox, Outgoing } from "./outbox.ts";
import { DIRECTION, TASK } from "./schema.ts";

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
  /** Whether the answer is sent until it is acknowledged, or once and whenever the task is handed over again. */
  readonly isAnswerOwed: boolean;
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
  /** Unix ms. */
  readonly deadline: number;
}

/** A task that was in work when the process ended. */
export interface InterruptedRow extends ReadyRow {
  readonly soloCrashes: number;
}

/** What an agent was asked to do. */
export interface Inbox {
  accept(task: IncomingTask): Acceptance;
  /** Notes that a request is cancelled; gives its row when it has already come. */
  cancel(key: LetterKey): number | undefined;
  claim(n: number): void;
  /** Gives a task back that a planned stop interrupted: it goes on as if it had never begun, with its journal. */
  release(n: number): void;
  /** Notes that a task runs alone from here on (or no longer), so that a crash can be laid at its door. */
  setSolo(n: number, isSolo: boolean): void;
  /** Ends a task once; `undefined` when it had already ended. Gives what is to be sent. */
  settle(settlement: Settlement): readonly Outgoing[] | undefined;
  read(n: number): StoredLetter;
  /** A person's words under this id. */
  findWords(id: string): StoredLetter | undefined;
  ready(): readonly ReadyRow[];
  /** Tasks found in work at start, with their crashes counted: only a crash while alone counts. */
  interrupted(): readonly InterruptedRow[];
}

/** What an inbox works with. */
export interface InboxParts {
  readonly archive: Archive;
  readonly outbox: Outbox;
  readonly store: StoreWriter;
  readonly forgetSteps: (task: number) => void;
  readonly now: () => number;
}

export function createInbox(db: Database, parts: InboxParts): Inbox {
  const { archive, outbox, store, forgetSteps, now } = parts;
  const insert = db.prepare("INSERT INTO task (n, priority, state, deadline) VALUES (?, ?, ?, ?)");
  const task = db.prepare("SELECT state FROM task WHERE n = ?");
  const entomb = db.prepare("INSERT INTO tomb (id, peer, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  const tomb = db.prepare("SELECT 1 FROM tomb WHERE id = ? AND peer = ?");
  const setState = db.prepare("UPDATE task SET state = ? WHERE n = ? AND state < 2");
  const setSolo = db.prepare("UPDATE task SET solo = ? WHERE n = ?");
  const finish = db.prepare("DELETE FROM task WHERE n = ? AND state < 2");
  const putAside = db.prepare("UPDATE task SET state = 2, failure = ?, solo = 0 WHERE n = ? AND state < 2");
  const unfinished = db.prepare(
    "SELECT n, priority, deadline, solo_crashes FROM task WHERE state = ? ORDER BY priority, n",
  );
  const countCrashes = db.prepare(
    "UPDATE task SET solo_crashes = solo_crashes + solo, solo = 0 WHERE state = 1",
  );
  let hasTombs = db.prepare("SELECT 1 FROM tomb LIMIT 1").get() !== undefined;

  return {
    accept(incoming) {
      const { peer, message } = incoming;
      const n = archive.add(DIRECTION.in, peer, incoming);
      if (n === undefined) {
        const corr = message.corr ?? message.message_id;
        // A person's words are known by their id alone; they get another conversation when they are handed over again.
        const seen =
          archive.find(DIRECTION.in, { peer, corr, id: message.message_id }) ??
          archive.findWords(message.message_id) ??
          0;
        const row = task.get(seen);
        const isFinished = row === undefined || row["state"] === TASK.dead;
        return { kind: "seen", n: seen, isFinished, answer: archive.outcomeOf(seen) };
      }
      const isCancelled = hasTombs && tomb.get(idToBytes(message.message_id), peer) !== undefined;
      const state = incoming.isClaimed || isCancelled ? TASK.running : TASK.ready;
      insert.run(n, incoming.priority, state, incoming.deadline);
      return { kind: isCancelled ? "cancelled" : "new", n };
    },
    cancel(key) {
      entomb.run(idToBytes(key.id), key.peer, now());
      hasTombs = true;
      return archive.find(DIRECTION.in, key);
    },
    claim: (n) => void setState.run(TASK.running, n),
    release: (n) => void setState.run(TASK.ready, n),
    setSolo: (n, isSolo) => void setSolo.run(isSolo ? 1 : 0, n),
    settle({ n, state, answer, isAnswerOwed, failure, also, writes, nextAt }) {
      const ended = state === "dead" ? putAside.run(failure ?? null, n) : finish.run(n);
      if (ended.changes === 0) return undefined;
      // A dead letter keeps its steps: they are not done twice when it is given another run.
      if (state === "done") forgetSteps(n);
      store(writes);
      const outgoing: Outgoing[] = [];
      if (answer) {
        const sent = isAnswerOwed
          ? outbox.add(answer.peer, answer, nextAt)
          : outbox.record(answer.peer, answer);
        archive.setOutcome(n, sent.n);
        outgoing.push(sent);
      }
      for (const letter of also) outgoing.push(outbox.add(letter.peer, letter, nextAt));
      return outgoing;
    },
    read: (n) => archive.read(n),
    findWords(id) {
      const n = archive.findWords(id);
      return n === undefined ? undefined : archive.read(n);
    },
    ready: () => unfinished.all(TASK.ready).map(toReady),
    interrupted() {
      countCrashes.run();
      return unfinished.all(TASK.running).map((row) => ({
        ...toReady(row),
        soloCrashes: Number(row["solo_crashes"]),
      }));
    },
  };
}

function toReady(row: Row): ReadyRow {
  return { n: Number(row["n"]), priority: Number(row["priority"]), deadline: Number(row["deadline"]) };
}
