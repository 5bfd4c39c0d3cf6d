import { AgentGoneError } from "../../sdk/gone.ts";
import type { Span } from "./span.ts";

/** How long a call may take, and the signals of which any ends it by throwing its reason. */
export interface CallTerms {
  readonly timeoutMs: number;
  readonly signals: readonly AbortSignal[];
}

/** The calls of one agent that are under way: each ends at its deadline, all end when the agent stops. */
export interface Calls {
  /** Runs `work` with the time that it has. Rejects with the reason of whichever of the terms' signals aborted. */
  run<T>(terms: CallTerms, work: (span: Span) => Promise<T>): Promise<T>;
  /** Ends what is under way and waits until its sockets are closed. */
  close(): Promise<void>;
}

export function createCalls(): Calls {
  const running = new Map<Promise<void>, AbortController>();
  const gone = new AgentGoneError("net was used after its agent had stopped");
  let isClosed = false;
  return {
    run(terms, work) {
      const stop = new AbortController();
      if (isClosed) stop.abort(gone);
      const outcome = perform({ ...terms, signals: [...terms.signals, stop.signal] }, work);
      const settled: Promise<void> = outcome.then(
        () => void running.delete(settled),
        () => void running.delete(settled),
      );
      running.set(settled, stop);
      return outcome;
    },
    async close() {
      isClosed = true;
      for (const stop of running.values()) stop.abort(gone);
      await Promise.all(running.keys());
    },
  };
}

/** A deadline that comes this much too late tells of a process that was stopped, a lid that was shut, a loop that was held. */
const HELD_UP_MS = 1000;

async function perform<T>(terms: CallTerms, work: (span: Span) => Promise<T>): Promise<T> {
  const asked = AbortSignal.any([...terms.signals]);
  asked.throwIfAborted();
  const deadline = new AbortController();
  const dueAt = performance.now() + terms.timeoutMs;
  let isHeldUp = false;
  const timer = setTimeout(() => {
    isHeldUp = performance.now() - dueAt > HELD_UP_MS;
    deadline.abort();
  }, terms.timeoutMs);
  try {
    const outcome = await work({
      signal: AbortSignal.any([asked, deadline.signal]),
      timeoutMs: terms.timeoutMs,
      isHeldUp: () => isHeldUp,
    });
    // What cancelled work still came to would read as the other side's fault.
    asked.throwIfAborted();
    return outcome;
  } finally {
    clearTimeout(timer);
  }
}
