import type { Clock } from "../envelope/index.ts";

/** What neighbours are told to have arrived. */
export interface Acknowledgements {
  /** Owes one now; they go in batches. */
  owe(peer: string, id: string): void;
  /** Owes one for a task, unless it has ended by the time its asker would begin to wonder. */
  oweLater(peer: string, id: string, n: number): void;
  /** A task has ended: its answer tells its asker more. */
  ended(n: number): void;
  stop(): void;
}

export interface AcknowledgementsParts {
  readonly clock: Clock;
  readonly isNeighbour: (peer: string) => boolean;
  readonly send: (peer: string, id: string) => void;
}

const SWEEP_MS = 250;
const WONDER_AFTER_MS = 1000;

export function createAcknowledgements(parts: AcknowledgementsParts): Acknowledgements {
  const { clock, isNeighbour, send } = parts;
  /** By row, in the order of arrival. */
  const tasks = new Map<number, { readonly peer: string; readonly id: string; readonly at: number }>();
  let stopSweep: (() => void) | undefined;

  const sweep = (): void => {
    const due = clock.monotonic() - WONDER_AFTER_MS;
    for (const [n, { peer, id, at }] of tasks) {
      if (at > due) break;
      tasks.delete(n);
      send(peer, id);
    }
    stopSweep = tasks.size > 0 ? clock.after(SWEEP_MS, sweep) : undefined;
  };

  return {
    owe(peer, id) {
      if (isNeighbour(peer)) send(peer, id);
    },
    oweLater(peer, id, n) {
      if (!isNeighbour(peer)) return;
      tasks.set(n, { peer, id, at: clock.monotonic() });
      stopSweep ??= clock.after(SWEEP_MS, sweep);
    },
    ended: (n) => void tasks.delete(n),
    stop() {
      stopSweep?.();
      tasks.clear();
    },
  };
}
