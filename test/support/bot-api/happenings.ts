/** Lets tests wait for what happens instead of looking at a clock. */
export interface Happenings {
  /** Something has happened: everybody who waits looks again. */
  tell(): void;
  /**
   * What `look` finds, as soon as it finds something. When it found nothing for `timeoutMs` it rejects, saying what was
   * waited for and what there is instead.
   */
  until<T>(
    look: () => T | undefined,
    options: { readonly what: string; readonly there: () => readonly string[]; readonly timeoutMs?: number },
  ): Promise<T>;
  /** Nothing more will happen: whoever waits is left waiting, and no timer runs on. */
  end(): void;
}

const PATIENCE_MS = 10_000;

export function createHappenings(): Happenings {
  const waiting = new Set<() => void>();
  const timers = new Set<NodeJS.Timeout>();
  return {
    tell() {
      for (const look of waiting) look();
    },
    until(look, { what, there, timeoutMs = PATIENCE_MS }) {
      const found = look();
      if (found !== undefined) return Promise.resolve(found);
      // The trace leads to the line of the test that waits, not to a timer.
      const late = new Error();
      return new Promise((resolve, reject) => {
        const again = (): void => {
          const found = look();
          if (found !== undefined) end(() => resolve(found));
        };
        const end = (settle: () => void): void => {
          waiting.delete(again);
          clearTimeout(timer);
          timers.delete(timer);
          settle();
        };
        const timer = setTimeout(() => {
          const lines = there();
          late.message = [
            `${what} did not come within ${timeoutMs} ms. There was${lines.length === 0 ? " nothing." : ":"}`,
            ...lines.map((line) => `  ${line}`),
          ].join("\n");
          end(() => reject(late));
        }, timeoutMs);
        timers.add(timer);
        waiting.add(again);
      });
    },
    end() {
      for (const timer of timers) clearTimeout(timer);
      waiting.clear();
    },
  };
}
