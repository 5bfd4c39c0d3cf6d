import type { Clock } from "../envelope/index.ts";

/** What neighbours are told to have arrived. */
export interface Acknowledgements {
  /** Owes one now; they go in batches. */
  owe(peer: string, id: string): void;
  /** Owes one for a task that is still in work when its asker would begin to wonder. */
  oweLater(peer: string, id: string, n: number): void;
  stop(): void;
}

export interface AcknowledgementsParts {
  readonly clock: Clock;
  readonly isNeighbour: (peer: string) => boolean;
  readonly isUnfinished: (n: number) => boolean;
  readonly send: (peer: string, id: string) => void;
}

const SWEEP_MS = 250;
const WONDER_AFTER_MS = 1000;

export function createAcknowledgements({
  clock,
  isNeighbour,
  isUnfinished,
  send,
}: AcknowledgementsParts): Acknowledgements {
  let tasks: { readonly peer: string; readonly id: string; readonly n: number; readonly at: number }[] = [];
  let stopSweep: (() => void) | undefined;

  const sweep = (): void => {
    const due = clock.monotonic() - WONDER_AFTER_MS;
    const later = tasks.findIndex(({ at }) => at > due);
    const ripe = later < 0 ? tasks : tasks.slice(0, later);
    tasks = later < 0 ? [] : tasks.slice(later);
    for (const { peer, id, n } of ripe) if (isUnfinished(n)) send(peer, id);
    stopSweep = tasks.length > 0 ? clock.after(SWEEP_MS, sweep) : undefined;
  };

  return {
    owe(peer, id) {
      if (isNeighbour(peer)) send(peer, id);
    },
    oweLater(peer, id, n) {
      if (!isNeighbour(peer)) return;
      tasks.push({ peer, id, n, at: clock.monotonic() });
      stopSweep ??= clock.after(SWEEP_MS, sweep);
    },
    stop() {
      stopSweep?.();
      tasks = [];
    },
  };
}
