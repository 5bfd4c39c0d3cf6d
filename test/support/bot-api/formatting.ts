import { isRecord, numberOf, structureOf, textOf } from "./arguments.ts";
import { parseHtml } from "./markup-html.ts";
import { parseMarkdown } from "./markup-markdown.ts";
import { type Arguments, badRequest, type Entity, type Failed, type Formatted } from "./shapes.ts";

const MOST_CODE_POINTS = 4096;
const MOST_BYTES = 32_768;

/** The first three checks of a text that the bot sends: that there is one, its bytes, and that its markup parses. */
export function readText(given: Arguments): Formatted | Failed {
  const text = textOf(given.text);
  if (text === "") return badRequest("message text is empty");
  // Half of a surrogate pair has no UTF-8.
  if (!text.isWellFormed()) return badRequest("strings must be encoded in UTF-8");
  if (Buffer.byteLength(text) > MOST_BYTES) return badRequest("text is too long");
  const mode = textOf(given.parse_mode).toLowerCase();
  switch (mode) {
    case "":
      return readEntities(text, given.entities);
    case "html":
    case "markdownv2": {
      const parsed = mode === "html" ? parseHtml(text) : parseMarkdown(text);
      return typeof parsed === "string" ? badRequest(`can't parse entities: ${parsed}`) : parsed;
    }
    default:
      return badRequest("unsupported parse_mode");
  }
}

/** The last check of a text: what is left of it can be read, and is not too long. */
export function checkLength({ text }: Formatted): Failed | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return badRequest("text must be non-empty");
  return Array.from(trimmed).length > MOST_CODE_POINTS ? badRequest("message is too long") : undefined;
}

function readEntities(text: string, given: unknown): Formatted | Failed {
  const structure = structureOf(given);
  if (structure.kind === "absent") return { text, entities: [] };
  if (structure.kind === "unreadable" || !Array.isArray(structure.value)) {
    return badRequest("can't parse entities: an array of entities was expected");
  }
  const entities: Entity[] = [];
  for (const entity of structure.value as unknown[]) {
    if (!isRecord(entity)) return badRequest("can't parse entities: an entity must be an object");
    const type = textOf(entity.type);
    const [offset, length] = [numberOf(entity.offset), numberOf(entity.length)];
    if (type === "" || offset === undefined || length === undefined) {
      return badRequest("can't parse entities: an entity has a type, an offset and a length");
    }
    const wrong = outOfPlace(text, { type, offset, length });
    if (wrong !== undefined) return badRequest(wrong);
    entities.push({ ...entity, type, offset, length });
  }
  return { text, entities: entities.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}

/** What is wrong with where an entity lies: offsets count UTF-16 units, and no end may lie within a surrogate pair. */
function outOfPlace(text: string, { offset, length }: Entity): string | undefined {
  const end = offset + length;
  if (offset < 0) return `receive an entity with incorrect offset ${offset}`;
  if (length <= 0) return `receive an entity with incorrect length ${length}`;
  if (offset >= text.length) return `entity begins after the end of the text at UTF-16 offset ${offset}`;
  if (end > text.length) {
    return `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${end}`;
  }
  if (isWithinPair(text, offset)) {
    return `entity begins in a middle of a UTF-16 symbol at byte offset ${bytesTo(text, offset)}`;
  }
  return isWithinPair(text, end)
    ? `entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol at byte offset ${bytesTo(text, end)}`
    : undefined;
}

function isWithinPair(text: string, at: number): boolean {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") && /[\uD800-\uDBFF]/.test(text[at - 1] ?? "");
}

/** Bytes up to the end of the character in which `at` lies. */
function bytesTo(text: string, at: number): number {
  return Buffer.byteLength(text.slice(0, at + 1));
}
