import type { Markup } from "../../../sdk/markup.ts";
import { show } from "../../../sdk/show.ts";
import { oneLine, type Piece, piecesOf, trimEnd } from "../pieces.ts";
import type { Delivery } from "../ports.ts";
import { FAILURE_MARK } from "../render-terminal.ts";

/** A stretch of a text in one look; `offset` and `length` in UTF-16 code units, as the Bot API counts. */
export type Entity =
  | { readonly type: "bold" | "italic" | "code" | "pre"; readonly offset: number; readonly length: number }
  | { readonly type: "text_link"; readonly offset: number; readonly length: number; readonly url: string };

/** Text as Telegram takes it: plain, with its looks beside it, so that there is nothing to escape. */
export interface Rendered {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** Code points that one message may have. */
const TEXT_LIMIT = 4096;

type Shown = Pick<Delivery, "failure" | "vantage"> & {
  readonly reply: Pick<Delivery["reply"], "text" | "verdict">;
};

/** A reply with its sign in front, and below it its failure's code and from where it was seen. Empty when it says nothing. */
export function renderDelivery({ reply, failure, vantage }: Shown): Rendered {
  const mark = failure ? FAILURE_MARK : reply.verdict ? `${show.verdict(reply.verdict)} ` : "";
  const footer = [failure, vantage && `from ${vantage}`].filter(Boolean).join(", ");
  const words = trimEnd(piecesOf(reply.text));
  return joined([
    { style: "plain", text: mark },
    ...words,
    ...(footer
      ? ([
          { style: "plain", text: "\n" },
          { style: "italic", text: oneLine(footer) },
        ] as const)
      : []),
  ]);
}

/** Markup by itself. */
export function renderMarkup(text: string | Markup): Rendered {
  return joined(trimEnd(piecesOf(text)));
}

/** Text of at most `limit` code points for each message, in the same looks, cut where it hurts least. None for a blank text. */
export function chunksOf(rendered: Rendered, limit = TEXT_LIMIT): Rendered[] {
  const { text } = rendered;
  const chunks: Rendered[] = [];
  let start = 0;
  while (start < text.length) {
    start += indentOf(rendered, start);
    const end = cutAfter(text, start, limit);
    const chunk = text.slice(start, end).trimEnd();
    if (!isBlank(chunk)) chunks.push(part(rendered, start, start + chunk.length));
    start = end;
  }
  return chunks;
}

/** Whether Telegram would see nothing in a text, and refuse it. */
export function isBlank(text: string): boolean {
  return /^[\s\p{C}\p{Zs}\u115f\u1160\u2800\u3164\uffa0]*$/u.test(text);
}

function joined(pieces: readonly Piece[]): Rendered {
  const entities: Entity[] = [];
  let text = "";
  for (const piece of pieces) {
    // A lone half of a pair is no text: it would be refused.
    const words = piece.text.toWellFormed();
    const entity = entityOf(piece, { offset: text.length, length: words.length });
    if (entity && !isBlank(words)) entities.push(entity);
    text += words;
    // An address that cannot be a link is shown all the same.
    if (piece.style === "link" && !entity && piece.url !== piece.text) {
      text += ` (${piece.url.toWellFormed()})`;
    }
  }
  return { text, entities };
}

function entityOf(piece: Piece, place: { offset: number; length: number }): Entity | undefined {
  switch (piece.style) {
    case "plain":
      return undefined;
    case "dim":
      return { type: "italic", ...place };
    case "link":
      return isLinkable(piece.url) ? { type: "text_link", ...place, url: piece.url } : undefined;
    case "bold":
    case "italic":
    case "code":
    case "pre":
      return { type: piece.style, ...place };
    default:
      return piece satisfies never;
  }
}

function isLinkable(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && ["http:", "https:", "tg:", "mailto:"].includes(url.protocol);
}

/** How much white space is passed over where a message begins; the first line of preformatted text keeps its indent. */
function indentOf({ text, entities }: Rendered, start: number): number {
  // White space that carries a mark is seen.
  const [space = ""] = /^(?:\s(?![\p{M}\u200d]))*/u.exec(text.slice(start)) ?? [];
  const isPre = entities.some(
    ({ type, offset, length }) =>
      type === "pre" && offset <= start + space.length && start + space.length < offset + length,
  );
  return isPre ? space.lastIndexOf("\n") + 1 : space.length;
}

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Where the message that begins at `start` ends: between lines, else words, else what is seen as one character. */
function cutAfter(text: string, start: number, limit: number): number {
  const end = indexAfter(text, start, limit);
  if (end === text.length) return end;
  const next = indexAfter(text, end, 1);
  const half = start + (end - start) / 2;
  let [lineEnd, wordEnd, last] = [0, 0, 0];
  for (const { segment, index } of GRAPHEMES.segment(text.slice(start, next))) {
    const at = start + index;
    if (at > end) break;
    if (at > start) last = at;
    if (at < half || segment.trim() !== "") continue;
    if (segment === "\n") lineEnd = at;
    else wordEnd = at;
  }
  // One character with thousands of marks on top is longer than a message: it is cut between them.
  return lineEnd || wordEnd || last || end;
}

/** The index after `count` more code points, or the text's length. */
function indexAfter(text: string, start: number, count: number): number {
  // Within so many code units there are no more code points than that.
  if (text.length - start <= count) return text.length;
  let index = start;
  for (let left = count; left > 0 && index < text.length; left--) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return index;
}

/** A stretch of a text, with the parts of its entities that lie in it. */
function part({ text, entities }: Rendered, start: number, end: number): Rendered {
  return {
    text: text.slice(start, end),
    entities: entities.flatMap((entity) => {
      const from = Math.max(entity.offset, start);
      const to = Math.min(entity.offset + entity.length, end);
      return from < to && !isBlank(text.slice(from, to))
        ? [{ ...entity, offset: from - start, length: to - from }]
        : [];
    }),
  };
}
