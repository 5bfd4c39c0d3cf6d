import type { Trouble } from "./contract.ts";

/** The time that a whole call may take: aborted at its deadline, or earlier by whoever asked. */
export interface Span {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Whether the deadline came late: this machine or process stood still, and what was awaited may have been there. */
  readonly isHeldUp?: () => boolean;
}

/** Gives what `work` gives, or undefined as soon as the signal aborts; a later outcome of `work` is dropped. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The trouble of a call whose time is over; a name that is not looked up in time is the resolver's fault, not the site's. */
export function overdue(
  during: "dns" | "connect" | "tls" | "response" | "body",
  span: Span,
  what: string,
): Trouble {
  const held = span.isHeldUp?.() === true;
  return {
    phase: "deadline",
    reason: `${what} within ${showDuration(span.timeoutMs)}${held ? ", but this machine stood still meanwhile" : ""}`,
    code: "E_TIMEOUT",
    fault: during === "dns" || held ? "prober" : "target",
  };
}

function showDuration(ms: number): string {
  return ms >= 1000 ? `${Number((ms / 1000).toFixed(1))} s` : `${ms} ms`;
}

/** Ms since `start` (of `performance.now()`), to a tenth. */
export function msSince(start: number): number {
  return Math.round((performance.now() - start) * 10) / 10;
}
