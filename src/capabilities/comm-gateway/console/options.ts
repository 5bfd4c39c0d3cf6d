import type { Readable, Writable } from "node:stream";
import type { Ids } from "../../../envelope/ids.ts";

/** What the console channel is made of. */
export interface ConsoleOptions {
  readonly input: Readable;
  /** Where replies stand, and nothing else unless it is a terminal. */
  readonly output: Writable & { readonly columns?: number };
  /** Where asides go: lines of the log and the like. */
  readonly errorOutput: Writable;
  /** Whether somebody sits at it: prompt, history and progress are shown only then. */
  readonly isInteractive: boolean;
  readonly isColour: boolean;
  readonly ids: Ids;
  /** Who writes here, as replies and records name them. */
  readonly person: string;
  /** IANA time zone in which moments are shown. */
  readonly zone: string;
  /** Slash commands that Tab completes. */
  readonly completions: () => readonly string[];
  /** Where the lines typed are kept from one start to the next. */
  readonly historyFile?: string;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonicMs: () => number;
}

/** The chat of whoever sits at this console. */
export const CONSOLE_CHAT = "terminal";

export const TOO_LONG = {
  text: "That line is longer than 32 KiB and was not taken. Send less of it, or say where it can be found.",
};
export const TYPED_TOO_LONG = {
  text: "That line is longer than 4 KiB and was not taken. Send less of it, or put it on a pipe: `voxtree start < file`.",
};
export const NOT_TAKEN = {
  text: "That could not be recorded, so it will not be answered. Ask again; if it repeats, see `voxtree doctor`.",
};
