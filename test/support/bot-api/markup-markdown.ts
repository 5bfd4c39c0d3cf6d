import { type Entity, type Formatted } from "./shapes.ts";

const RESERVED = new Set("_*[]()~`>#+-=|{}.!");
const NAMES: Readonly<Record<string, string>> = {
  "*": "Bold",
  _: "Italic",
  __: "Underline",
  "~": "Strikethrough",
  "||": "Spoiler",
  "[": "TextUrl",
  "`": "Code",
  "```": "Pre",
};
const TYPES: Readonly<Record<string, string>> = {
  "*": "bold",
  _: "italic",
  __: "underline",
  "~": "strikethrough",
  "||": "spoiler",
  "[": "text_link",
  "`": "code",
  "```": "pre",
};

interface Opened {
  readonly mark: string;
  readonly start: number;
  readonly byteOffset: number;
  readonly language?: string;
}

/**
 * Reads text with `parse_mode` MarkdownV2. A string says what is wrong with it, as behind "can't parse entities: ".
 * Quotations and custom emoji are not read: their marks count as reserved.
 */
export function parseMarkdown(source: string): Formatted | string {
  const open: Opened[] = [];
  const entities: Entity[] = [];
  let text = "";
  for (let at = 0; at < source.length;) {
    const character = source[at] ?? "";
    const next = source[at + 1] ?? "";
    const innermost = open.at(-1);
    if (character === "\\" && next > "\0" && next <= "~") {
      text += next;
      at += 2;
      continue;
    }
    const isInCode = innermost?.mark === "`" || innermost?.mark === "```";
    if (!RESERVED.has(character) || (isInCode && character !== "`")) {
      text += character;
      at += 1;
      continue;
    }
    const mark = markAt(source, at);
    if (innermost && (mark === innermost.mark || (innermost.mark === "[" && character === "]"))) {
      open.pop();
      at += innermost.mark.length;
      let url: string | undefined;
      if (innermost.mark === "[") {
        if (source[at] === "(") {
          const target = readTarget(source, at + 1);
          if (!target) return `Can't find end of a URL at byte offset ${bytesBefore(source, at)}`;
          url = target.url;
          at = target.end;
        } else {
          url = text.slice(innermost.start);
        }
      }
      const length = text.length - innermost.start;
      if (length > 0) {
        entities.push({
          type: TYPES[innermost.mark] ?? "",
          offset: innermost.start,
          length,
          ...(url !== undefined && { url }),
          ...(innermost.language !== undefined && { language: innermost.language }),
        });
      }
      continue;
    }
    if (mark === undefined || isInCode || open.some((outer) => outer.mark === mark)) {
      return `Character '${character}' is reserved and must be escaped with the preceding '\\'`;
    }
    const byteOffset = bytesBefore(source, at);
    at += mark.length;
    const language = mark === "```" ? /^([^\s`]+)\n/.exec(source.slice(at))?.[1] : undefined;
    if (mark === "```") at += language === undefined ? (source[at] === "\n" ? 1 : 0) : language.length + 1;
    open.push({ mark, start: text.length, byteOffset, ...(language !== undefined && { language }) });
  }
  const left = open.at(-1);
  if (left) return `Can't find end of ${NAMES[left.mark] ?? ""} entity at byte offset ${left.byteOffset}`;
  return { text, entities: entities.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}

/** The longest mark that begins here. */
function markAt(source: string, at: number): string | undefined {
  return ["```", "__", "||", "*", "_", "~", "[", "`"].find((mark) => source.startsWith(mark, at));
}

function readTarget(
  source: string,
  from: number,
): { readonly url: string; readonly end: number } | undefined {
  let url = "";
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === ")") return { url, end: at + 1 };
    if (source[at] === "\\") at += 1;
    url += source[at] ?? "";
  }
  return undefined;
}

function bytesBefore(source: string, at: number): number {
  return Buffer.byteLength(source.slice(0, at));
}
