import type { Database } from "../storage/index.ts";

/** Groups all writes of one turn of the event loop into one transaction. */
export interface Turn {
  /** Writes within the turn's transaction; opens it if none is open. */
  write<T>(work: () => T): T;
  /** Resolves when everything written so far is durable; rejects when the ledger could not be written. */
  committed(): Promise<void>;
  /** Commits at once; used at the end. */
  flush(): void;
}

/**
 * One commit costs as much as a dozen rows, so it is made once a turn. A ledger that fails to write has lost step
 * with its agent's memory: the turn is rolled back, `onFailure` is called, and whoever waits is rejected.
 */
export function createTurn(db: Database, onFailure: (error: Error) => void): Turn {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  let pending: PromiseWithResolvers<void> | undefined;

  const fail = (error: Error): void => {
    pending?.reject(error);
    pending = undefined;
    try {
      db.exec("ROLLBACK");
    } catch {
      // SQLite has already rolled back: a full disk ends the transaction by itself.
    }
    onFailure(error);
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
    write(work) {
      try {
        open();
        return work();
      } catch (error) {
        fail(error as Error);
        throw error;
      }
    },
    committed: () => pending?.promise ?? Promise.resolve(),
    flush,
  };
}
