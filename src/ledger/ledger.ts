import type { FailureCode, FailureValue } from "../envelope/index.ts";
import { failure, isFailure } from "../envelope/index.ts";
import type { Database } from "../storage/index.ts";
import { openDatabase } from "../storage/index.ts";
import type { Alerts } from "./alerts.ts";
import { createAlerts } from "./alerts.ts";
import type { StoredLetter } from "./archive.ts";
import { createArchive, toStoredLetter } from "./archive.ts";
import type { Followed } from "./followed.ts";
import { createFollowed } from "./followed.ts";
import type { Inbox } from "./inbox.ts";
import { createInbox } from "./inbox.ts";
import type { KeyValues } from "./key-values.ts";
import { createKeyValues } from "./key-values.ts";
import type { Outbox } from "./outbox.ts";
import { createOutbox } from "./outbox.ts";
import { createRetention } from "./retention.ts";
import { MIGRATIONS } from "./schema.ts";
import { createTurn } from "./turn.ts";
import type { Waits } from "./waits.ts";
import { createWaits } from "./waits.ts";

/**
 * An agent's memory: one SQLite file. Writes are made at once and become durable together at the end of the turn;
 * whoever must not go on before that awaits `committed()`.
 */
export interface Ledger {
  readonly inbox: Inbox;
  readonly waits: Waits;
  readonly outbox: Outbox;
  readonly values: KeyValues;
  readonly alerts: Alerts;
  readonly followed: Followed;
  /** Notes which process records from here on, for whoever reads a trace. */
  beginProcess(pid: number): void;
  committed(): Promise<void>;
  /** Whether the file can no longer be read or written; everything that touches it throws from then on. */
  hasFailed(): boolean;
  /** Resolves when that happens. */
  readonly failed: Promise<Error>;
  /** Notes a refused envelope: one row a peer and code, with a count, so that a flood costs nothing. */
  reject(peer: string, code: FailureCode, detail: string): void;
  /** The newest envelopes that went to a peer, newest first. */
  newestTo(peer: string, limit: number): readonly StoredLetter[];
  /** Looks at a batch of what is older than `keepMs` and forgets what is finished; says whether there is more. */
  forget(keepMs: number): boolean;
  /** Moves the deadlines of all that is unfinished by so many ms, as the wall clock was: none comes sooner or later by it. */
  moveDeadlines(ms: number): void;
  /** Changes whenever another process has written to this file. */
  outsideChanges(): number;
  close(): void;
}

export interface LedgerOptions {
  readonly path: string;
  readonly now: () => number;
  readonly durability: "normal" | "full";
  /** Called once when the file can no longer be written; the agent must stop. */
  readonly onFailure: (error: Error) => void;
}

/** Opens an agent's ledger, or fails with E_LEDGER. */
export function openLedger(options: LedgerOptions): Ledger | FailureValue {
  const { path, now, durability } = options;
  const db = openDatabase({ path, migrations: MIGRATIONS, durability });
  if (isFailure(db)) return db;
  try {
    return createLedger(db, { now, onFailure: options.onFailure });
  } catch (error) {
    db.close();
    return failure("E_LEDGER", `${path} is damaged: ${(error as Error).message}`);
  }
}

function createLedger(db: Database, { now, onFailure }: Pick<LedgerOptions, "now" | "onFailure">): Ledger {
  const turn = createTurn(db, onFailure);
  const archive = createArchive(db, now);
  const values = createKeyValues(db);
  const store = values.write;
  const outbox = createOutbox(db, archive);
  const waits = createWaits(db, { archive, outbox, store });
  const inbox = createInbox(db, { archive, outbox, store, forgetSteps: waits.forget, now });
  const alerts = createAlerts(db, now);
  const followed = createFollowed(db, archive);
  const retention = createRetention(db);
  const begin = db.prepare(
    "INSERT OR REPLACE INTO process (since, pid, at) SELECT coalesce(max(n), 0) + 1, ?, ? FROM message",
  );
  const rejected = db.prepare(
    `INSERT INTO rejection (peer, code, count, last_at, detail) VALUES (?, ?, 1, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + 1, last_at = excluded.last_at, detail = excluded.detail`,
  );
  const newest = db.prepare(
    "SELECT n, peer, body FROM message WHERE peer = ? AND direction = 1 ORDER BY n DESC LIMIT ?",
  );
  const version = db.prepare("PRAGMA data_version");
  const moveTasks = db.prepare("UPDATE task SET deadline = deadline + ? WHERE state < 2");
  const moveWaits = db.prepare("UPDATE wait SET deadline = deadline + ? WHERE state = 0");
  const { write, read } = turn;

  return {
    inbox: {
      read: (n) => read(() => inbox.read(n)),
      findWords: (id) => read(() => inbox.findWords(id)),
      ready: () => read(() => inbox.ready()),
      accept: (task) => write(() => inbox.accept(task)),
      cancel: (key) => write(() => inbox.cancel(key)),
      claim: (n) => write(() => inbox.claim(n)),
      release: (n) => write(() => inbox.release(n)),
      setSolo: (n, isSolo) => write(() => inbox.setSolo(n, isSolo)),
      settle: (settlement) => write(() => inbox.settle(settlement)),
      interrupted: () => write(() => inbox.interrupted()),
    },
    waits: {
      openOf: (task) => read(() => waits.openOf(task)),
      inFlight: waits.inFlight,
      askedOf: (task, key) => read(() => waits.askedOf(task, key)),
      answerOf: (n) => read(() => waits.answerOf(n)),
      journalOf: (task) => read(() => waits.journalOf(task)),
      open: (question) => write(() => waits.open(question)),
      applyAnswer: (peer, letter) => write(() => waits.applyAnswer(peer, letter)),
      close: (n, state) => write(() => waits.close(n, state)),
      forget: (task) => write(() => waits.forget(task)),
      completeStep: (step) => write(() => waits.completeStep(step)),
    },
    outbox: {
      isOpen: outbox.isOpen,
      count: outbox.count,
      due: (until) => read(() => outbox.due(until)),
      read: (n) => read(() => outbox.read(n)),
      interrupted: () => read(() => outbox.interrupted()),
      record: (peer, letter) => write(() => outbox.record(peer, letter)),
      add: (peer, letter, nextAt) => write(() => outbox.add(peer, letter, nextAt)),
      retryAt: (n, tries, nextAt) => write(() => outbox.retryAt(n, tries, nextAt)),
      acknowledge: (peer, ids) => write(() => outbox.acknowledge(peer, ids)),
      close: (n) => write(() => outbox.close(n)),
      markSending: (n) => write(() => outbox.markSending(n)),
      reopen: (n) => write(() => outbox.reopen(n)),
      takeUp: () => read(() => outbox.takeUp()),
      bury: (n) => write(() => outbox.bury(n)),
    },
    values: {
      get: (role, key) => read(() => values.get(role, key)),
      first: (role, prefix) => read(() => values.first(role, prefix)),
      list: (role, prefix) => read(() => values.list(role, prefix)),
      write: (writes) => write(() => values.write(writes)),
    },
    alerts: {
      add: (body) => write(() => alerts.add(body)),
      after: (seq, limit) => read(() => alerts.after(seq, limit)),
      confirm: (upTo) => write(() => alerts.confirm(upTo)),
    },
    followed: {
      keep: (n) => write(() => followed.keep(n)),
      letGo: (n) => write(() => followed.letGo(n)),
      has: followed.has,
      find: followed.find,
      keepCause: (peer, answer) => write(() => followed.keepCause(peer, answer)),
      takeNotice: (peer, letter) => write(() => followed.takeNotice(peer, letter)),
    },
    beginProcess: (pid) => write(() => void begin.run(pid, now())),
    committed: turn.committed,
    hasFailed: turn.hasFailed,
    failed: turn.failed,
    reject: (peer, code, detail) => write(() => void rejected.run(peer, code, now(), detail.slice(0, 500))),
    newestTo: (peer, limit) => read(() => newest.all(peer, limit).map(toStoredLetter)),
    forget: (keepMs) => write(() => retention.forget(now(), keepMs)),
    moveDeadlines: (ms) =>
      write(() => {
        moveTasks.run(ms);
        moveWaits.run(ms);
      }),
    outsideChanges: () => read(() => Number(version.get()?.["data_version"] ?? 0)),
    close() {
      turn.flush();
      db.close();
    },
  };
}
