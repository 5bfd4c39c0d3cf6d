import type { Clock } from "../../src/envelope/index.ts";

/** The machine's clock, so many times as fast: what waits by it is really waited for, and soon over. */
export function createQuickClock(times: number): Clock & { stop(): void } {
  const started = Date.now();
  const timers = new Set<NodeJS.Timeout>();
  let isStopped = false;
  const elapsed = (): number => performance.now() * times;
  const origin = elapsed();
  return {
    now: () => Math.floor(started + elapsed() - origin),
    monotonic: elapsed,
    after(ms, callback) {
      if (isStopped) return () => undefined;
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          callback();
        },
        Math.max(0, ms) / times,
      );
      timers.add(timer);
      return () => {
        clearTimeout(timer);
        timers.delete(timer);
      };
    },
    /** No timer fires any more, as after a kill. */
    stop() {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
