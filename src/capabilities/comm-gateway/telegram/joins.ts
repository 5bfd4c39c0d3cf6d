import type { Words } from "./updates.ts";

/** How long what belongs together may be apart in coming. */
export const JOIN_MS = 1_000;
/** A client cuts a long paste just below 4096; a message as long as this may be such a piece. */
const LONG = 3_900;
const FULL = 4_096;
/** Pieces of one paste are written in one go; more than this apart they only come together after a break. */
const APART_MS = 5_000;

/** Whether more may follow that belongs to these words: they are long enough for a piece of a paste, or of an album. */
export function opensJoin(words: Words): boolean {
  return words.album !== undefined || words.length >= LONG;
}

/** Whether words belong to the ones just before them in the same chat: never to another person's. */
export function continues(before: Words, next: Words): boolean {
  if (before.sender.userId !== next.sender.userId || before.chat !== next.chat) return false;
  if (before.album !== undefined || next.album !== undefined) return before.album === next.album;
  const apartMs = Math.abs(next.writtenAt - before.writtenAt);
  return before.length >= LONG && apartMs <= APART_MS && !next.hasMedia && !next.isCommand;
}

/** The words of pieces in their order. Where a full piece ends, a word may go on in the next. */
export function joinWords(pieces: readonly Words[]): string {
  let text = "";
  let glue = "";
  for (const piece of pieces) {
    if (piece.text === "") continue;
    text += glue + piece.text;
    glue = piece.length >= FULL ? "" : "\n";
  }
  return text;
}
