import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { isInteractive, type Shell } from "../shell.ts";
import { onStopSignals } from "../stop-signals.ts";
import { EXIT_CODES } from "../exit-codes.ts";

/** Whoever started the verb: what they type, and that they want to stop. */
export interface Dialogue extends Disposable {
  /** Aborted by Ctrl-C, Ctrl-D at a terminal, or a signal. */
  readonly stopped: AbortSignal;
  /** Undefined where nobody sits at a terminal. */
  readonly keyboard: Keyboard | undefined;
}

export interface Keyboard {
  /** A line that is typed and never shown; undefined once `signal` is aborted. */
  line(signal: AbortSignal): Promise<string | undefined>;
}

/** Begins it; at a terminal nothing that is typed is shown, since a token is a secret. */
export function openDialogue(shell: Shell, { isAsking }: { readonly isAsking: boolean }): Dialogue {
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  const signals = onStopSignals({ stop, force: () => process.exit(EXIT_CODES.interrupted.code) });
  const rl =
    isAsking && isInteractive(shell)
      ? createInterface({
          input: shell.stdin,
          output: new Writable({ write: (_chunk, _encoding, done) => done() }),
          terminal: true,
          historySize: 0,
        })
      : undefined;
  // In raw mode Ctrl-C is a key and no signal.
  rl?.on("SIGINT", stop).on("close", stop);
  return {
    stopped: stopped.signal,
    keyboard: rl && {
      async line(signal) {
        try {
          return await rl.question("", { signal: AbortSignal.any([signal, stopped.signal]) });
        } catch (error) {
          if (signal.aborted || stopped.signal.aborted) return undefined;
          throw error;
        }
      },
    },
    [Symbol.dispose]() {
      signals[Symbol.dispose]();
      rl?.close();
    },
  };
}
