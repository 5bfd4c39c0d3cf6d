import type { Clock } from "../../src/envelope/index.ts";

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /** Moves time on and fires what is due, in order. */
  advance(ms: number): void;
  /** Moves the wall clock alone, as when somebody sets it. */
  setWallClock(now: number): void;
}

/** 2026-03-01T12:00:00Z, unless told otherwise. */
export function createManualClock(start = 1_772_366_400_000): ManualClock {
  let wallOffset = start;
  let elapsed = 0;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  return {
    now: () => wallOffset + elapsed,
    monotonic: () => elapsed,
    after(ms, callback) {
      const timer = { at: elapsed + Math.max(0, ms), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const until = elapsed + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (!next) break;
        timers.delete(next);
        elapsed = Math.max(elapsed, next.at);
        next.callback();
      }
      elapsed = until;
    },
    setWallClock(now) {
      wallOffset = now - elapsed;
    },
  };
}
