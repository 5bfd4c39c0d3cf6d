import type { Clock } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { Log } from "../sdk/context.ts";

/**
 * Deadlines as the ledger keeps them, for the next start: by the wall clock (Unix ms), since the monotonic one begins anew
 * with each process. While the process lives it is durations that count, and a wall clock that is set changes none.
 */
export interface Deadlines {
  /** How the ledger is to keep a moment of the monotonic clock. */
  kept(at: number): number;
  /** The moment of the monotonic clock that a kept deadline means. */
  live(kept: number): number;
  /** Looks whether the wall clock was set, and moves what is kept with it. Called each second. */
  follow(): void;
}

/** When the wall clock has moved by so much more or less than time has passed, somebody has set it. */
const LEAST_SET_MS = 500;

export function createDeadlines(parts: {
  readonly ledger: Pick<Ledger, "moveDeadlines">;
  readonly clock: Clock;
  readonly log: Log;
}): Deadlines {
  const { ledger, clock, log } = parts;
  // One for all that is kept: what is written between the setting and the next look is moved like the rest.
  let wallAhead = clock.now() - clock.monotonic();
  return {
    kept: (at) => Math.round(at + wallAhead),
    live: (kept) => kept - wallAhead,
    follow() {
      const setBy = Math.round(clock.now() - clock.monotonic() - wallAhead);
      if (Math.abs(setBy) < LEAST_SET_MS) return;
      wallAhead += setBy;
      ledger.moveDeadlines(setBy);
      log.info("the wall clock was set, and deadlines with it", { setByMs: setBy });
    },
  };
}
