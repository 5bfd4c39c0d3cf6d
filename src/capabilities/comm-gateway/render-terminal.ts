import { styleText } from "node:util";
import type { Markup } from "../../sdk/markup.ts";
import type { ReplyShape } from "../../sdk/reply.ts";
import { show } from "../../sdk/show.ts";
import { oneLine, type Piece, piecesOf, trimEnd } from "./pieces.ts";
import type { Delivery } from "./ports.ts";

export { oneLine, safeText } from "./pieces.ts";

/** What a terminal can show. */
export interface TerminalLook {
  readonly isColour: boolean;
  /** Columns at which lines break between words; `Infinity` leaves lines as they are. */
  readonly width: number;
}

/** What stands around a reply. */
interface Frame {
  /** Where the answer was seen from. */
  readonly vantage?: string | undefined;
  /** The code, when the reply tells of a failure. */
  readonly failure?: string | undefined;
}

/** Stands before a reply that tells of a failure, where a verdict's sign would stand. */
export const FAILURE_MARK = "⚠️ ";

/**
 * A reply as lines for a terminal or a pipe, without a line end behind the last.
 * What the reply says cannot steer the terminal: control characters and changes of direction are taken out.
 */
export function renderTerminal(reply: ReplyShape, look: TerminalLook & Frame): string {
  const mark = look.failure ? FAILURE_MARK : reply.verdict ? `${show.verdict(reply.verdict)} ` : "";
  const words = trimEnd(shownPieces(reply.text));
  const blocks: Piece[][] = [wrap([{ text: mark, style: "plain" }, ...words], look.width)];
  for (const [index, button] of (reply.buttons ?? []).entries()) {
    blocks.push([
      { text: `  ${index + 1}  `, style: "bold" },
      { text: oneLine(button.label), style: "plain" },
    ]);
  }
  for (const { name, contentType, base64 } of reply.attachments ?? []) {
    const kilobytes = Math.max(1, Math.round((base64.length * 3) / 4 / 1000));
    blocks.push([{ text: `  + ${oneLine(name)} (${oneLine(contentType)}, ${kilobytes} kB)`, style: "dim" }]);
  }
  const footer = [look.failure, look.vantage && `from ${look.vantage}`].filter(Boolean).join(", ");
  if (footer) blocks.push([{ text: oneLine(footer), style: "dim" }]);
  return blocks.map((block) => block.map((piece) => paint(piece, look.isColour)).join("")).join("\n");
}

/** A delivery the same way: with its failure's code and with where it was seen from. */
export function renderDelivery({ reply, failure, vantage }: Delivery, look: TerminalLook): string {
  return renderTerminal(reply, { ...look, failure, vantage });
}

/** A value as JSON that cannot steer a terminal either: what JSON lets stand as it is, is written as \u and digits. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Columns that a text takes up in a terminal: wide characters two, marks on top of others none. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) {
    if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) continue;
    columns += isWide(character) ? 2 : 1;
  }
  return columns;
}

/** As much of a text as fits into `columns`, with … where something is missing. */
export function fit(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = "";
  for (const character of text) {
    if (columnsOf(kept + character) >= columns) break;
    kept += character;
  }
  return `${kept}…`;
}

function isWide(character: string): boolean {
  return /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
    character,
  );
}

/** A terminal hides no address behind words: it stands after them. */
function shownPieces(text: string | Markup): Piece[] {
  return piecesOf(text).flatMap((piece): Piece[] =>
    piece.style === "link" && piece.text !== piece.url
      ? [piece, { text: ` (${piece.url})`, style: "plain" }]
      : [piece],
  );
}

/** Breaks lines between words; a word that is longer than a line, and preformatted text, stay whole. */
function wrap(pieces: readonly Piece[], width: number): Piece[] {
  if (width === Infinity) return [...pieces];
  const text = pieces.map((piece) => piece.text).join("");
  const fixed = pieces.flatMap((piece) =>
    Array.from({ length: piece.text.length }, () => piece.style === "pre"),
  );
  const wrapped = breakLines(text, width, (index) => fixed[index] === true);
  // Only white space was exchanged, one for one: the pieces still begin where they began.
  let start = 0;
  return pieces.map((piece) => {
    const end = start + piece.text.length;
    const lines = wrapped.slice(start, end).replaceAll(GONE, "");
    start = end;
    return { ...piece, text: lines };
  });
}

// Stands for white space that a line break swallowed; safeText leaves no such character in a text.
const GONE = "\u0000";

function breakLines(text: string, width: number, isFixed: (index: number) => boolean): string {
  let column = 0;
  let gap = "";
  let wrapped = "";
  for (const match of text.matchAll(/\n|[^\S\n]+|\S+/g)) {
    const [token] = match;
    if (token === "\n") {
      wrapped += gap + token;
      column = 0;
      gap = "";
    } else if (/^\s/.test(token)) {
      gap = token;
    } else {
      const isBroken =
        gap !== "" && !isFixed(match.index) && column + columnsOf(gap + token) > width && column > 0;
      wrapped += (isBroken ? `\n${GONE.repeat(gap.length - 1)}` : gap) + token;
      column = columnsOf(token) + (isBroken ? 0 : column + columnsOf(gap));
      gap = "";
    }
  }
  return wrapped + gap;
}

function paint({ text, style }: Piece, isColour: boolean): string {
  if (!isColour || style === "plain" || text === "") return text;
  const format = {
    bold: "bold",
    italic: "italic",
    code: "cyan",
    pre: "cyan",
    link: "underline",
    dim: "dim",
  } as const;
  return styleText(format[style], text, { validateStream: false });
}
