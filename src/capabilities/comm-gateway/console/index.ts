import type { Channel } from "../ports.ts";
import { createInteractiveConsole } from "./interactive.ts";
import type { ConsoleOptions } from "./options.ts";
import { createPlainConsole } from "./plain.ts";

/** The console, and the way by which log lines reach the terminal without spoiling the prompt. */
export interface ConsoleChannel extends Channel {
  /** Writes whole lines to the error output, above the prompt if there is one. */
  aside(text: string): void;
}

/** The channel of whoever started Voxtree: a prompt in a terminal, one message a line elsewhere. */
export function createConsoleChannel(options: ConsoleOptions): ConsoleChannel {
  if (options.isInteractive) return createInteractiveConsole(options);
  return { ...createPlainConsole(options), aside: (text) => void options.errorOutput.write(text) };
}
