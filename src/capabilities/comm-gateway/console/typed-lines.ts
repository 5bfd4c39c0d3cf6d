import { Transform } from "node:stream";
import type { Readable } from "node:stream";

/** The most bytes that one line at a prompt may take to type; what is longer is pasted, and belongs on a pipe. */
export const TYPED_LIMIT_BYTES = 4096;

const LF = 0x0a;
const CR = 0x0d;
/** To the end of the line, and all of it gone (Ctrl-E, Ctrl-U). */
const FORGET_LINE = Buffer.from("\u0005\u0015");

/**
 * A terminal's input without lines that are too long: the line editor draws a line anew for every character, so that
 * a long one would hold the process up. What goes beyond the limit is dropped up to the line's end; then `onTooLong` is
 * called and the line is taken back.
 */
export function limitTypedLines(input: Readable, onTooLong: () => void): Readable & { end(): void } {
  let length = 0;
  const limited = new Transform({
    transform(chunk: Buffer | string, _, done) {
      const kept: number[] = [];
      for (const byte of Buffer.from(chunk)) {
        const isEnd = byte === LF || byte === CR;
        if (!isEnd && ++length > TYPED_LIMIT_BYTES) continue;
        if (isEnd && length > TYPED_LIMIT_BYTES) {
          kept.push(...FORGET_LINE);
          onTooLong();
        } else {
          kept.push(byte);
        }
        if (isEnd) length = 0;
      }
      done(null, Buffer.from(kept));
    },
  });
  // What the editor asks of a terminal, it asks of the real one.
  const setRawMode = "setRawMode" in input ? input.setRawMode : undefined;
  if (typeof setRawMode === "function") {
    Object.assign(limited, { isTTY: true, setRawMode: (mode: boolean) => setRawMode.call(input, mode) });
  }
  input.pipe(limited);
  return limited;
}
