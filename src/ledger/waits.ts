import { idFromBytes, idToBytes } from "../envelope/index.ts";
import type { Database } from "../storage/index.ts";
import type { Outgoing } from "./inbox.ts";
import type { StoreWrite, StoreWriter } from "./key-values.ts";
import type { Archive, Letter, StoredLetter } from "./archive.ts";
import { DIRECTION, OUTBOX, WAIT } from "./schema.ts";

/** A question to a child, as it is put. */
export interface Question extends Letter {
  /** The row of the task that asks. */
  readonly inbox: number;
  readonly position: number;
  readonly key: string;
  readonly roleHash: string;
  readonly child: string;
  readonly deadline: number;
  readonly nextAt: number;
}

/** What a child's answer met. */
export type AnswerFate =
  | { readonly kind: "applied"; readonly wait: number; readonly inbox: number }
  /** Recorded, not applied: the question was closed, or never asked. */
  | { readonly kind: "late" }
  | { readonly kind: "duplicate" };

/** One remembered step of a task. */
export type JournalEntry = { readonly position: number; readonly key: string; readonly roleHash: string } & (
  | { readonly kind: "step"; readonly value: string }
  | {
      readonly kind: "wait";
      readonly n: number;
      readonly child: string;
      readonly requestId: string;
      readonly deadline: number;
      readonly state: "open" | "timeout" | "cancelled";
    }
  | { readonly kind: "answer"; readonly answer: StoredLetter }
);

/** An open question. */
export interface OpenWait {
  readonly n: number;
  readonly child: string;
  readonly requestId: string;
}

/** A step that has run to its end. */
export interface FinishedStep {
  readonly inbox: number;
  readonly position: number;
  readonly key: string;
  readonly roleHash: string;
  /** JSON text of what it gave. */
  readonly value: string;
  /** What was set in the role's store until then: durable with the step's value, or not at all. */
  readonly writes: readonly StoreWrite[];
}

/** What a task has done so far, and what it waits for. */
export interface Waits {
  open(question: Question): Outgoing;
  applyAnswer(peer: string, letter: Letter): AnswerFate;
  /** Closes an open question and, in the same commit, queues the cancel to the child; `undefined` when it was closed. */
  close(
    n: number,
    state: "timeout" | "cancelled",
    cancel: Letter & { readonly nextAt: number },
  ): Outgoing | undefined;
  openOf(inbox: number): readonly OpenWait[];
  completeStep(step: FinishedStep): void;
  /** The answer to a question, once there is one. */
  answerOf(n: number): StoredLetter | undefined;
  /** Everything a task has finished or begun, in the order in which it asked. */
  journalOf(inbox: number): readonly JournalEntry[];
}

export function createWaits(db: Database, archive: Archive, store: StoreWriter): Waits {
  const insertWait = db.prepare(
    `INSERT INTO wait (n, inbox, position, key, role_hash, child, state, deadline) VALUES (?, ?, ?, ?, ?, ?, 0, ?)`,
  );
  const queue = db.prepare("INSERT INTO outbox (n, peer, state, tries, next_at) VALUES (?, ?, ?, 0, ?)");
  const unqueue = db.prepare("DELETE FROM outbox WHERE n = ?");
  const apply = db.prepare("UPDATE wait SET state = 1, answer = ? WHERE n = ? AND state = 0 RETURNING inbox");
  const closeWait = db.prepare("UPDATE wait SET state = ? WHERE n = ? AND state = 0 RETURNING child");
  const open = db.prepare(
    "SELECT wait.n, wait.child, message.id FROM wait JOIN message USING (n) WHERE wait.inbox = ? AND wait.state = 0",
  );
  const answer = db.prepare("SELECT answer FROM wait WHERE n = ?");
  const insertStep = db.prepare(
    "INSERT INTO journal (inbox, position, key, value, role_hash) VALUES (?, ?, ?, ?, ?)",
  );
  const steps = db.prepare("SELECT position, key, value, role_hash FROM journal WHERE inbox = ?");
  const waits = db.prepare(
    `SELECT wait.n, position, key, role_hash, child, state, deadline, answer, message.id
     FROM wait JOIN message USING (n) WHERE inbox = ?`,
  );
  const requestN = db.prepare("SELECT n FROM message WHERE id = ? AND peer = ? AND direction = 1");

  return {
    open(question) {
      const { child, message, text } = question;
      const n = archive.add(DIRECTION.out, child, question);
      if (n === undefined) throw new Error(`an envelope of id ${message.message_id} has already been sent`);
      insertWait.run(
        n,
        question.inbox,
        question.position,
        question.key,
        question.roleHash,
        child,
        question.deadline,
      );
      queue.run(n, child, OUTBOX.open, question.nextAt);
      return { n, peer: child, id: message.message_id, text };
    },
    applyAnswer(peer, letter) {
      const added = archive.add(DIRECTION.in, peer, letter);
      if (added === undefined) return { kind: "duplicate" };
      const asked = requestN.get(idToBytes(letter.message.reply_to ?? ""), peer);
      if (!asked) return { kind: "late" };
      const wait = Number(asked["n"]);
      unqueue.run(wait);
      const applied = apply.get(added, wait);
      return applied ? { kind: "applied", wait, inbox: Number(applied["inbox"]) } : { kind: "late" };
    },
    close(n, state, cancel) {
      const closed = closeWait.get(WAIT[state], n);
      if (!closed) return undefined;
      unqueue.run(n);
      const peer = String(closed["child"]);
      const row = archive.add(DIRECTION.out, peer, cancel);
      if (row === undefined)
        throw new Error(`an envelope of id ${cancel.message.message_id} has already been sent`);
      queue.run(row, peer, OUTBOX.open, cancel.nextAt);
      return { n: row, peer, id: cancel.message.message_id, text: cancel.text };
    },
    openOf: (inbox) =>
      open.all(inbox).map((row) => ({
        n: Number(row["n"]),
        child: String(row["child"]),
        requestId: idFromBytes(row["id"] as Uint8Array),
      })),
    completeStep({ inbox, position, key, value, roleHash, writes }) {
      insertStep.run(inbox, position, key, value, roleHash);
      store(writes);
    },
    answerOf(n) {
      const row = answer.get(n);
      return row && row["answer"] !== null ? archive.read(Number(row["answer"])) : undefined;
    },
    journalOf(inbox) {
      const entries: JournalEntry[] = steps.all(inbox).map((row) => ({
        kind: "step",
        position: Number(row["position"]),
        key: String(row["key"]),
        roleHash: String(row["role_hash"]),
        value: String(row["value"]),
      }));
      for (const row of waits.all(inbox)) {
        const base = {
          position: Number(row["position"]),
          key: String(row["key"]),
          roleHash: String(row["role_hash"]),
        };
        if (row["answer"] !== null) {
          entries.push({ ...base, kind: "answer", answer: archive.read(Number(row["answer"])) });
          continue;
        }
        const state = Number(row["state"]);
        entries.push({
          ...base,
          kind: "wait",
          n: Number(row["n"]),
          child: String(row["child"]),
          requestId: idFromBytes(row["id"] as Uint8Array),
          deadline: Number(row["deadline"]),
          state: state === WAIT.open ? "open" : state === WAIT.timeout ? "timeout" : "cancelled",
        });
      }
      return entries.sort((a, b) => a.position - b.position);
    },
  };
}
