/** Time as collaborators are given it, so that a test can move it. */
export interface Clock {
  /** Unix ms by the wall clock: for what people read and what crosses a restart. */
  now(): number;
  /** Ms since some fixed moment, never backwards: for durations and live timers. */
  monotonic(): number;
  /** Calls back once after `ms`; the function returned cancels it. A timer alone keeps no process alive. */
  after(ms: number, callback: () => void): () => void;
}

/** Whether something comes to its end within `ms`; it is not stopped when it does not. Rejects as it does. */
export async function endsWithin(
  clock: Pick<Clock, "after">,
  ms: number,
  something: Promise<unknown>,
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const stop = clock.after(ms, () => late.resolve(false));
  return Promise.race([something.then(() => true), late.promise]).finally(stop);
}

// setTimeout fires at once beyond 2^31 - 1 ms; whoever waits longer looks at the time again.
const LONGEST_MS = 2 ** 31 - 1;

/** The machine's own clocks. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, Math.min(Math.max(0, ms), LONGEST_MS));
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
