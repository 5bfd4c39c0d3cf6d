import type { Database } from "../storage/index.ts";

/** Groups all writes of one turn of the event loop into one transaction. */
export interface Turn {
  /** Writes within the turn's transaction; opens it if none is open. */
  write<T>(work: () => T): T;
  /** Reads; a file that cannot be read is as good as one that cannot be written. */
  read<T>(work: () => T): T;
  /** Resolves when everything written so far is durable; rejects when the ledger could not be written. */
  committed(): Promise<void>;
  /** Commits at once; used at the end. */
  flush(): void;
  hasFailed(): boolean;
  /** Resolves when the ledger fails. */
  readonly failed: Promise<Error>;
}

/**
 * One commit costs as much as a dozen rows, so it is made once a turn. A ledger that fails has lost step with its
 * agent's memory: the turn is rolled back, `onFailure` is called, whoever waits is rejected, and nothing is written
 * any more.
 */
export function createTurn(db: Database, onFailure: (error: Error) => void): Turn {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const failed = Promise.withResolvers<Error>();
  let pending: PromiseWithResolvers<void> | undefined;
  let broken: Error | undefined;

  const fail = (error: Error): void => {
    if (broken) return;
    broken = error;
    pending?.reject(error);
    pending = undefined;
    try {
      db.exec("ROLLBACK");
    } catch {
      // SQLite has already rolled back: a full disk ends the transaction by itself.
    }
    failed.resolve(error);
    onFailure(error);
  };

  const attempt = <T>(work: () => T): T => {
    if (broken) throw broken;
    try {
      return work();
    } catch (error) {
      fail(error as Error);
      throw error;
    }
  };

  const flush = (): void => {
    if (!pending) return;
    try {
      commit.run();
    } catch (error) {
      fail(error as Error);
      return;
    }
    const { resolve } = pending;
    pending = undefined;
    resolve();
  };

  const open = (): void => {
    if (pending) return;
    begin.run();
    pending = Promise.withResolvers<void>();
    // Without a listener of its own a rejected turn that nobody waits for would end the process.
    pending.promise.catch(() => undefined);
    setImmediate(flush);
  };

  return {
    write: (work) =>
      attempt(() => {
        open();
        return work();
      }),
    read: attempt,
    committed: () => (broken ? Promise.reject(broken) : (pending?.promise ?? Promise.resolve())),
    flush,
    hasFailed: () => broken !== undefined,
    failed: failed.promise,
  };
}
