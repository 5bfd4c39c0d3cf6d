import { existsSync } from "node:fs";
import type { FailureValue, VoxMessage } from "../envelope/index.ts";
import { failure, idToBytes, isFailure } from "../envelope/index.ts";
import type { Database, Row } from "../storage/index.ts";
import { openDatabase } from "../storage/index.ts";
import type { StoredLetter } from "./archive.ts";
import { toStoredLetter } from "./archive.ts";
import { MIGRATIONS, OUTBOX, TASK } from "./schema.ts";

/** An envelope of a conversation, as one agent's ledger tells it. */
export interface TracedEnvelope extends StoredLetter {
  readonly direction: "in" | "out";
  /** Unix ms at which this agent recorded it. */
  readonly at: number;
  /** The process that recorded it. */
  readonly pid?: number;
  /** Where a task stands. */
  readonly state?: "ready" | "running" | "done" | "dead";
  /** How it failed, where it did. */
  readonly failure?: { readonly failure: string; readonly text: string };
}

/** A task that was put aside, or an envelope that could not be delivered. */
export interface DeadLetter {
  readonly n: number;
  readonly peer: string;
  readonly at: number;
  readonly message: VoxMessage;
  readonly failure: { readonly failure: string; readonly text: string } | undefined;
}

/** A conversation by its first envelope. */
export interface Conversation {
  readonly corr: string;
  readonly at: number;
  readonly first: VoxMessage;
  readonly state: string;
}

/** A ledger as an operator reads it, beside the agent that may be running on it. */
export interface LedgerReading {
  /** Envelopes of a conversation in the order in which they were recorded. */
  trace(corr: string): readonly TracedEnvelope[];
  /** Conversations that began here, newest first. */
  conversations(limit: number): readonly Conversation[];
  /** The conversations of an envelope; takes a whole id, its beginning, or its end. */
  findConversation(idOrPart: string): readonly string[];
  dead(): readonly DeadLetter[];
  /** Gives a dead letter another run or another try; the agent takes it up within seconds, or when it starts. */
  retry(n: number, deadline: number): boolean;
  /** Ends a dead letter for good. */
  drop(n: number): boolean;
  close(): void;
  [Symbol.dispose](): void;
}

const STATES = ["ready", "running", "dead"] as const;

/** Opens a ledger for reading (`forRepair`: for `retry` and `drop` too). Fails with E_NOT_FOUND or E_LEDGER. */
export function readLedger(path: string, { forRepair = false } = {}): LedgerReading | FailureValue {
  if (!existsSync(path)) return failure("E_NOT_FOUND", `There is no ledger at ${path}.`);
  const db = openDatabase({ path, migrations: MIGRATIONS, readOnly: !forRepair });
  return isFailure(db) ? db : createReading(db);
}

function createReading(db: Database): LedgerReading {
  const isIn = (table: "task" | "outbox", n: number): boolean =>
    db.prepare(`SELECT 1 FROM ${table} WHERE n = ? AND state = 2`).get(n) !== undefined;
  return {
    trace: (corr) =>
      db
        .prepare(
          `SELECT m.n, m.peer, m.body, m.direction, m.at, task.state, task.failure,
             (SELECT pid FROM process WHERE since <= m.n ORDER BY since DESC LIMIT 1) AS pid
           FROM message AS m LEFT JOIN task ON task.n = m.n WHERE m.corr = ? ORDER BY m.n`,
        )
        .all(idToBytes(corr))
        .map(toTraced),
    conversations: (limit) =>
      db
        .prepare(
          `SELECT m.n, m.peer, m.body, m.at, m.direction, task.state
           FROM message AS m INDEXED BY message_of_people LEFT JOIN task ON task.n = m.n
           WHERE m.peer = 'people' AND m.direction = 0 ORDER BY m.n DESC LIMIT ?`,
        )
        .all(limit)
        .map((row) => {
          const { message } = toStoredLetter(row);
          return {
            corr: message.corr ?? message.message_id,
            at: Number(row["at"]),
            first: message,
            state: stateOf(row),
          };
        }),
    findConversation(idOrPart) {
      const part = idOrPart.toUpperCase().replaceAll("-", "");
      if (!/^[0-9A-F]{4,32}$/.test(part)) return [];
      const rows = db
        .prepare(
          `SELECT DISTINCT n, peer, body FROM message
           WHERE hex(corr) LIKE ?1 OR hex(corr) LIKE ?2 OR hex(id) LIKE ?1 OR hex(id) LIKE ?2 LIMIT 200`,
        )
        .all(`${part}%`, `%${part}`);
      return [...new Set(rows.map(toStoredLetter).map(({ message }) => message.corr ?? message.message_id))];
    },
    dead: () => [...deadTasks(db), ...undelivered(db)].sort((one, other) => one.n - other.n),
    retry(n, deadline) {
      const isTask = isIn("task", n);
      if (!isTask && !isIn("outbox", n)) return false;
      db.commit(() => {
        if (!isTask) {
          db.prepare("UPDATE outbox SET state = ?, tries = 0, next_at = 0 WHERE n = ?").run(OUTBOX.open, n);
          return;
        }
        // What was asked and not answered is asked anew; what was answered and finished stays so.
        db.prepare("DELETE FROM wait WHERE task = ? AND answer IS NULL").run(n);
        db.prepare("UPDATE task SET state = ?, solo_crashes = 0, deadline = ? WHERE n = ?").run(
          TASK.ready,
          deadline,
          n,
        );
      });
      return true;
    },
    drop(n) {
      if (!isIn("task", n) && !isIn("outbox", n)) return false;
      const rows = ["task WHERE n", "wait WHERE task", "journal WHERE task", "outbox WHERE n"];
      db.commit(() => db.exec(rows.map((which) => `DELETE FROM ${which} = ${n}`).join("; ")));
      return true;
    },
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  };
}

function deadTasks(db: Database): readonly DeadLetter[] {
  const rows = db.prepare(
    `SELECT m.n, m.peer, m.body, m.at, task.failure FROM task JOIN message AS m ON m.n = task.n WHERE task.state = 2`,
  );
  return rows.all().map((row) => ({
    ...toStoredLetter(row),
    at: Number(row["at"]),
    failure: toFailure(row["failure"]),
  }));
}

/** Envelopes that nobody acknowledged for three days. */
function undelivered(db: Database): readonly DeadLetter[] {
  const rows = db.prepare(
    `SELECT m.n, m.peer, m.body, m.at FROM outbox JOIN message AS m ON m.n = outbox.n WHERE outbox.state = 2`,
  );
  return rows.all().map((row) => ({
    ...toStoredLetter(row),
    at: Number(row["at"]),
    failure: failure("E_OFFLINE", `${String(row["peer"])} did not acknowledge this for three days.`),
  }));
}

function toTraced(row: Row): TracedEnvelope {
  const letter = toStoredLetter(row);
  const failed = toFailure(row["failure"]);
  const isTask = row["direction"] === 0 && letter.message.type === "command_request";
  const state = isTask ? stateOf(row) : undefined;
  return {
    ...letter,
    direction: row["direction"] === 0 ? "in" : "out",
    at: Number(row["at"]),
    ...(typeof row["pid"] === "number" ? { pid: row["pid"] } : {}),
    ...(state === undefined ? {} : { state }),
    ...(failed === undefined ? {} : { failure: failed }),
  };
}

/** A task without a row has ended. */
function stateOf({ state }: Row): NonNullable<TracedEnvelope["state"]> {
  return typeof state === "number" ? (STATES[state] ?? "done") : "done";
}

function toFailure(value: unknown): { readonly failure: string; readonly text: string } | undefined {
  return typeof value === "string" ? JSON.parse(value) : undefined;
}
