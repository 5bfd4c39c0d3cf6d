import type { Readable } from "node:stream";

/** The longest line that is taken as a message. */
export const LINE_LIMIT_BYTES = 32 * 1024;

/** A line without its end, or the fact that one was longer than the limit. */
export type InputLine = { readonly text: string } | { readonly isTooLong: true };

/**
 * The lines of a stream of UTF-8 bytes, ended by LF or CRLF; the last needs no end. A line over `limitBytes` is not kept
 * in memory. Ends when the stream ends or is destroyed.
 */
export async function* readLines(input: Readable, limitBytes = LINE_LIMIT_BYTES): AsyncGenerator<InputLine> {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length <= limitBytes + 1) parts.push(part);
  };
  const take = (): InputLine => {
    const bytes = Buffer.concat(parts);
    const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
    const isTooLong = length - (bytes.length - end) > limitBytes;
    parts = [];
    length = 0;
    return isTooLong ? { isTooLong } : { text: new TextDecoder().decode(bytes.subarray(0, end)) };
  };
  try {
    for await (const chunk of input as AsyncIterable<Buffer | string>) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      let start = 0;
      for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
        keep(bytes.subarray(start, end));
        yield take();
        start = end + 1;
      }
      if (start < bytes.length) keep(bytes.subarray(start));
    }
  } catch (error) {
    // Destroyed: whoever did that wants no more words.
    if (!input.destroyed) throw error;
    return;
  }
  if (length > 0) yield take();
}
