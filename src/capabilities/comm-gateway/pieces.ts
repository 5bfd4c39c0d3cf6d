import { stripVTControlCharacters } from "node:util";
import type { Markup } from "../../sdk/markup.ts";

/** A stretch of a reply in one look; a link keeps its address, for channels that can hide it behind words. */
export type Piece =
  | { readonly style: "plain" | "bold" | "italic" | "code" | "pre" | "dim"; readonly text: string }
  | { readonly style: "link"; readonly text: string; readonly url: string };

/** What a reply says, piece by piece, clean, with preformatted text on lines of its own. */
export function piecesOf(text: string | Markup): Piece[] {
  const runs = typeof text === "string" ? [{ text }] : text.markup;
  return onLinesOfItsOwn(
    runs.map((run): Piece => {
      if ("link" in run) return { text: safeText(run.link), style: "link", url: safeText(run.url) };
      if ("bold" in run) return { text: safeText(run.bold), style: "bold" };
      if ("italic" in run) return { text: safeText(run.italic), style: "italic" };
      if ("code" in run) return { text: safeText(run.code), style: "code" };
      if ("pre" in run) return { text: safeText(run.pre).replaceAll(/^\n+|\n+$/g, ""), style: "pre" };
      return { text: safeText(run.text), style: "plain" };
    }),
  );
}

/** Text that cannot steer a terminal; line ends and tabs stay. All that was written elsewhere passes here, or `oneLine`. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "");
}

/** The same on one line. */
export function oneLine(text: string): string {
  return safeText(text).replaceAll(/\s+/g, " ").trim();
}

/** Without white space at the end. */
export function trimEnd(pieces: readonly Piece[]): Piece[] {
  const [last, ...before] = pieces.toReversed();
  if (!last) return [];
  const text = last.text.trimEnd();
  return text === "" ? trimEnd(before.toReversed()) : [...before.toReversed(), { ...last, text }];
}

/** Puts line ends around preformatted text where there are none yet. */
function onLinesOfItsOwn(pieces: readonly Piece[]): Piece[] {
  const lineEnd: Piece = { text: "\n", style: "plain" };
  return pieces.flatMap((piece, index) => {
    const before = pieces[index - 1];
    const isBetween = before && (before.style === "pre" || piece.style === "pre");
    const hasLineEnd = before?.text.endsWith("\n") || piece.text.startsWith("\n");
    return isBetween && !hasLineEnd ? [lineEnd, piece] : [piece];
  });
}
