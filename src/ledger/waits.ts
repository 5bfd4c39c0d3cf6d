import type { Database, Row } from "../storage/index.ts";
import type { StoreWrite, StoreWriter } from "./key-values.ts";
import type { Archive, Letter, StoredLetter } from "./archive.ts";
import { keyOfAnswered } from "./archive.ts";
import type { Outbox, Outgoing } from "./outbox.ts";
import { DIRECTION, WAIT } from "./schema.ts";

/** A question to a child, as it is put. */
export interface Question extends Letter {
  /** The row of the task that asks. */
  readonly task: number;
  readonly position: number;
  readonly key: string;
  readonly roleHash: string;
  readonly child: string;
  readonly deadline: number;
  readonly nextAt: number;
}

/** What a child's answer met. */
export type AnswerFate =
  | { readonly kind: "applied"; readonly wait: number }
  /** Recorded, not applied: the question was closed. */
  | { readonly kind: "late" }
  /** Not recorded again: there is an answer to this question already. */
  | { readonly kind: "duplicate" }
  /** Not recorded: nothing of the kind was asked of this peer. */
  | { readonly kind: "unasked" };

/** Why a question was closed without an answer; `offline`: its child went, and it is asked of nobody or of another. */
export type ClosedAs = "timeout" | "cancelled" | "offline";

/** One remembered step of a task. */
export type JournalEntry = { readonly position: number; readonly key: string; readonly roleHash: string } & (
  | { readonly kind: "step"; readonly value: string }
  | {
      readonly kind: "wait";
      readonly n: number;
      readonly child: string;
      readonly requestId: string;
      readonly deadline: number;
      readonly state: "open" | ClosedAs;
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
  readonly task: number;
  readonly position: number;
  readonly key: string;
  readonly roleHash: string;
  /** JSON text of what it gave. */
  readonly value: string;
  /** What was set in the role's store until then: durable with the step's value, or not at all. */
  readonly writes: readonly StoreWrite[];
}

/** What unfinished tasks have done so far, and what they wait for. */
export interface Waits {
  open(question: Question): Outgoing;
  applyAnswer(peer: string, letter: Letter): AnswerFate;
  /** Closes a question that is open; false when it is not. */
  close(n: number, state: ClosedAs): boolean;
  openOf(task: number): readonly OpenWait[];
  /** How many questions to a child are open. */
  inFlight(child: string): number;
  /** The children that a task has asked one thing, answered or not. */
  askedOf(task: number, key: string): readonly string[];
  completeStep(step: FinishedStep): void;
  /** The answer to a question, once there is one. */
  answerOf(n: number): StoredLetter | undefined;
  /** Everything a task has finished or begun, in the order in which it asked. */
  journalOf(task: number): readonly JournalEntry[];
  /** Forgets what a task did and asked: it has ended. */
  forget(task: number): void;
}

/** What waits work with. */
export interface WaitsParts {
  readonly archive: Archive;
  readonly outbox: Outbox;
  readonly store: StoreWriter;
}

export function createWaits(db: Database, { archive, outbox, store }: WaitsParts): Waits {
  const insertWait = db.prepare(
    `INSERT INTO wait (n, task, position, key, role_hash, child, state, deadline) VALUES (?, ?, ?, ?, ?, ?, 0, ?)`,
  );
  const apply = db.prepare("UPDATE wait SET state = 1, answer = ? WHERE n = ? AND state = 0");
  const closeWait = db.prepare("UPDATE wait SET state = ? WHERE n = ? AND state = 0");
  const wait = db.prepare("SELECT * FROM wait WHERE n = ?");
  const removeWait = db.prepare("DELETE FROM wait WHERE n = ?");
  const insertStep = db.prepare(
    "INSERT INTO journal (task, position, key, value, role_hash) VALUES (?, ?, ?, ?, ?)",
  );
  const steps = db.prepare("SELECT position, key, value, role_hash FROM journal WHERE task = ?");
  const removeSteps = db.prepare("DELETE FROM journal WHERE task = ?");
  const asked = createAsked();
  const open = createOpenQuestions();
  for (const row of db.prepare("SELECT n, task, child, state FROM wait").all()) {
    const n = Number(row["n"]);
    const child = String(row["child"]);
    asked.add({ n, task: Number(row["task"]), child, requestId: archive.idOf(n) });
    if (row["state"] === WAIT.open) open.add(n, child);
  }

  return {
    open(question) {
      const { child, task } = question;
      const outgoing = outbox.add(child, question, question.nextAt);
      const { n } = outgoing;
      insertWait.run(n, task, question.position, question.key, question.roleHash, child, question.deadline);
      asked.add({ n, task, child, requestId: question.message.message_id });
      open.add(n, child);
      return outgoing;
    },
    applyAnswer(peer, letter) {
      const key = keyOfAnswered(peer, letter.message);
      const asks = archive.find(DIRECTION.out, key);
      if (asks === undefined) return { kind: "unasked" };
      if (archive.outcomeOf(asks) !== undefined) return { kind: "duplicate" };
      const added = archive.add(DIRECTION.in, peer, letter);
      if (added === undefined) return { kind: "duplicate" };
      archive.setOutcome(asks, added);
      outbox.close(asks);
      const question = asked.find(key.id);
      if (question === undefined) return { kind: "late" };
      if (apply.run(added, question.n).changes === 0) return { kind: "late" };
      open.delete(question.n);
      return { kind: "applied", wait: question.n };
    },
    close(n, state) {
      if (closeWait.run(WAIT[state], n).changes === 0) return false;
      outbox.close(n);
      open.delete(n);
      return true;
    },
    openOf: (task) => asked.of(task).filter(({ n }) => wait.get(n)?.["state"] === WAIT.open),
    inFlight: (child) => open.count(child),
    askedOf: (task, key) =>
      asked
        .of(task)
        .filter(({ n }) => wait.get(n)?.["key"] === key)
        .map(({ child }) => child),
    completeStep({ task, position, key, value, roleHash, writes }) {
      insertStep.run(task, position, key, value, roleHash);
      store(writes);
    },
    answerOf(n) {
      const answer = wait.get(n)?.["answer"] ?? undefined;
      return answer === undefined ? undefined : archive.read(Number(answer));
    },
    journalOf(task) {
      const entries: JournalEntry[] = steps.all(task).map((row) => ({
        kind: "step",
        position: Number(row["position"]),
        key: String(row["key"]),
        roleHash: String(row["role_hash"]),
        value: String(row["value"]),
      }));
      for (const question of asked.of(task)) {
        const row = wait.get(question.n);
        if (row) entries.push(toEntry(row, question));
      }
      return entries.sort((a, b) => a.position - b.position);
    },
    forget(task) {
      removeSteps.run(task);
      for (const { n } of asked.forget(task)) {
        removeWait.run(n);
        outbox.close(n);
        open.delete(n);
      }
    },
  };

  function toEntry(row: Row, { n, child, requestId }: OpenWait): JournalEntry {
    const base = {
      position: Number(row["position"]),
      key: String(row["key"]),
      roleHash: String(row["role_hash"]),
    };
    if (row["answer"] !== null)
      return { ...base, kind: "answer", answer: archive.read(Number(row["answer"])) };
    const state = STATES.find((one) => row["state"] === WAIT[one]) ?? "cancelled";
    return { ...base, kind: "wait", n, child, requestId, deadline: Number(row["deadline"]), state };
  }
}

const STATES = ["open", "timeout", "cancelled", "offline"] as const;

interface AskedQuestion extends OpenWait {
  readonly task: number;
}

/** The questions of unfinished tasks, by task and by request, so that neither takes an index in the file. */
function createAsked() {
  const byTask = new Map<number, AskedQuestion[]>();
  const byRequest = new Map<string, AskedQuestion>();
  return {
    add(question: AskedQuestion): void {
      const others = byTask.get(question.task);
      if (others) others.push(question);
      else byTask.set(question.task, [question]);
      byRequest.set(question.requestId, question);
    },
    find: (requestId: string): AskedQuestion | undefined => byRequest.get(requestId),
    of: (task: number): readonly AskedQuestion[] => byTask.get(task) ?? [],
    forget(task: number): readonly AskedQuestion[] {
      const questions = byTask.get(task) ?? [];
      byTask.delete(task);
      for (const { requestId } of questions) byRequest.delete(requestId);
      return questions;
    },
  };
}

/** The questions that are open, by child. */
function createOpenQuestions() {
  const childOf = new Map<number, string>();
  const counts = new Map<string, number>();
  return {
    add(n: number, child: string): void {
      childOf.set(n, child);
      counts.set(child, (counts.get(child) ?? 0) + 1);
    },
    delete(n: number): void {
      const child = childOf.get(n);
      if (child === undefined) return;
      childOf.delete(n);
      counts.set(child, (counts.get(child) ?? 1) - 1);
    },
    count: (child: string): number => counts.get(child) ?? 0,
  };
}
