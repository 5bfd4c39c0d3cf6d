import { type Entity, type Formatted } from "./shapes.ts";

const TAGS: Readonly<Record<string, string>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  "tg-spoiler": "spoiler",
  span: "spoiler",
  a: "text_link",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
  "tg-emoji": "custom_emoji",
};

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

interface OpenTag {
  readonly name: string;
  readonly start: number;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Reads text with `parse_mode` HTML. A string says what is wrong with it, as behind "can't parse entities: ". */
export function parseHtml(source: string): Formatted | string {
  const open: OpenTag[] = [];
  const entities: Entity[] = [];
  let text = "";
  for (let at = 0; at < source.length;) {
    if (source[at] !== "<") {
      const { reads, length } = readCharacter(source, at);
      text += reads;
      at += length;
      continue;
    }
    const byteOffset = Buffer.byteLength(source.slice(0, at));
    const end = source.indexOf(">", at);
    if (source[at + 1] === "/") {
      if (end < 0) return `Unclosed end tag at byte offset ${byteOffset}`;
      const name = source
        .slice(at + 2, end)
        .trim()
        .toLowerCase();
      const opened = open.pop();
      if (!opened) return `Unexpected end tag at byte offset ${byteOffset}`;
      if (name !== opened.name && name !== "") {
        return `Unmatched end tag at byte offset ${byteOffset}, expected "</${opened.name}>", found "</${name}>"`;
      }
      const entity = closed(opened, text);
      if (entity) entities.push(entity);
    } else {
      const name = (/^[^\s>]*/.exec(source.slice(at + 1))?.[0] ?? "").toLowerCase();
      if (at + 1 + name.length === source.length) return `Unclosed start tag at byte offset ${byteOffset}`;
      if (!Object.hasOwn(TAGS, name)) return `Unsupported start tag "${name}" at byte offset ${byteOffset}`;
      if (end < 0) return `Unclosed start tag at byte offset ${byteOffset}`;
      open.push({
        name,
        start: text.length,
        attributes: readAttributes(source.slice(at + 1 + name.length, end)),
      });
    }
    at = end + 1;
  }
  const left = open.at(-1);
  if (left) return `Can't find end tag corresponding to start tag "${left.name}"`;
  return { text, entities: mergePre(entities).sort((a, b) => a.offset - b.offset || b.length - a.length) };
}

function closed({ name, start, attributes }: OpenTag, text: string): Entity | undefined {
  const length = text.length - start;
  const type = TAGS[name];
  if (length === 0 || type === undefined) return undefined;
  const entity = { type, offset: start, length };
  switch (name) {
    case "a": {
      const url = attributes.get("href") ?? text.slice(start);
      return { ...entity, url };
    }
    case "code": {
      const language = /^language-(.+)$/.exec(attributes.get("class") ?? "")?.[1];
      return language === undefined ? entity : { ...entity, language };
    }
    case "blockquote":
      return attributes.has("expandable") ? { ...entity, type: "expandable_blockquote" } : entity;
    case "tg-emoji":
      return { ...entity, custom_emoji_id: attributes.get("emoji-id") ?? "" };
    default:
      return entity;
  }
}

/** `<pre><code class="language-x">` is one block of code with a language; the language of any other code is dropped. */
function mergePre(entities: readonly Entity[]): Entity[] {
  const isSame = (a: Entity, b: Entity): boolean => a.offset === b.offset && a.length === b.length;
  return entities.flatMap((entity) => {
    if (entity.type === "pre") {
      const inner = entities.find((other) => other.type === "code" && isSame(entity, other));
      return [inner?.language === undefined ? entity : { ...entity, language: inner.language }];
    }
    if (entity.type !== "code") return [entity];
    if (entities.some((other) => other.type === "pre" && isSame(entity, other))) return [];
    return [{ type: entity.type, offset: entity.offset, length: entity.length }];
  });
}

function readAttributes(written: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single, bare] of written.matchAll(
    /([^\s=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+)))?/g,
  )) {
    attributes.set(name.toLowerCase(), decoded(double ?? single ?? bare ?? ""));
  }
  return attributes;
}

function decoded(text: string): string {
  let reads = "";
  for (let at = 0; at < text.length;) {
    const next = readCharacter(text, at);
    reads += next.reads;
    at += next.length;
  }
  return reads;
}

/** One UTF-16 unit, or what a character reference stands for; one that is none stands for itself. */
function readCharacter(source: string, at: number): { readonly reads: string; readonly length: number } {
  const [all, hex, decimal, name] =
    /^&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));?/i.exec(source.slice(at, at + 12)) ?? [];
  const code = hex === undefined ? Number(decimal ?? NaN) : Number.parseInt(hex, 16);
  const reads =
    name === undefined
      ? code > 0 && code <= 0x10_ff_ff
        ? String.fromCodePoint(code)
        : undefined
      : NAMED[name];
  return all === undefined || reads === undefined
    ? { reads: source[at] ?? "", length: 1 }
    : { reads, length: all.length };
}
