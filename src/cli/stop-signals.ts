/** What a long-running verb does when it is told to end. */
export interface StopHandlers {
  /** The first signal: end in order. */
  readonly stop: (signal: NodeJS.Signals) => void;
  /** A further one: whoever sent it does not want to wait. */
  readonly force: (signal: NodeJS.Signals) => void;
}

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Ctrl-C reaches this process from the terminal and once more through a launcher (npm, an older Node) that passes it on. */
const ONE_PRESS_MS = 250;

/** Listens for the signals that ask a process to end, until disposed. */
export function onStopSignals({ stop, force }: StopHandlers): Disposable {
  let stoppedAt: number | undefined;
  const listen = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (stoppedAt === undefined) {
      stoppedAt = now;
      stop(signal);
    } else if (now - stoppedAt > ONE_PRESS_MS) {
      force(signal);
    }
  };
  for (const signal of STOP_SIGNALS) process.on(signal, listen);
  return {
    [Symbol.dispose]() {
      for (const signal of STOP_SIGNALS) process.off(signal, listen);
    },
  };
}
