import type { JournalEntry } from "../ledger/index.ts";

/** Raised inside a handler whose journal does not fit its code; the runner turns it into E_JOURNAL_MISMATCH. */
export class JournalMismatch extends Error {
  override readonly name = "JournalMismatch";
}

/** A task's journal as its handler goes through it again. */
export interface Replay {
  /** A key that is the same each time the handler asks for the same thing in the same place. */
  keyOf(kind: "step" | "delegate", name: string): { readonly key: string; readonly ordinal: number };
  /**
   * What the journal holds for a key. A key that it does not hold is new work.
   * `code` tells the code that asks, as `<role>@<hash>`: an event may have handlers in several roles.
   * @throws {JournalMismatch} when that role has changed since and does not ask for what is there.
   */
  find(key: string, code: string): JournalEntry | undefined;
  /** The place of the next new entry. */
  nextPosition(): number;
}

export function createReplay(entries: readonly JournalEntry[]): Replay {
  const left = new Map(entries.map((entry) => [entry.key, entry]));
  const counts = new Map<string, number>();
  let position = entries.reduce((max, entry) => Math.max(max, entry.position + 1), 0);
  return {
    keyOf(kind, name) {
      const base = `${kind}:${name}`;
      const ordinal = counts.get(base) ?? 0;
      counts.set(base, ordinal + 1);
      return { key: `${base}#${ordinal}`, ordinal };
    },
    find(key, code) {
      const entry = left.get(key);
      if (entry) {
        left.delete(key);
        return entry;
      }
      for (const { key: forgotten, roleHash: before } of left.values()) {
        if (before === code || roleOf(before) !== roleOf(code)) continue;
        throw new JournalMismatch(`the role now asks for ${key}, and its journal still holds ${forgotten}`);
      }
      return undefined;
    },
    nextPosition: () => position++,
  };
}

function roleOf(code: string): string {
  return code.slice(0, code.lastIndexOf("@"));
}
