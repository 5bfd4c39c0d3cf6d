import { distance } from "fastest-levenshtein";

/** What a text that begins with a slash asks for. */
export type Slash =
  | { readonly kind: "command"; readonly name: string; readonly args: string }
  /** The beginning of several commands' names: `/note` where there are `note_add` and `note_list`. */
  | { readonly kind: "group"; readonly prefix: string; readonly names: readonly string[] }
  | { readonly kind: "unknown"; readonly word: string; readonly suggestion: string | undefined };

const SLASH = /^\s*\/([\p{L}\p{N}_-]+)(?:@\w+)?(?=\s|$)/u;
const NEXT_WORD = /^\s+([\p{L}\p{N}_-]+)(?=\s|$)/u;
/** How many letters in ten may be wrong in a name that is taken for a misspelling. */
const TOLERANCE = 0.4;

/**
 * Reads a slash command: the longest of the names whose words the text begins with. `/note add x` and `/note_add x` are
 * both `note_add`, and `@name` behind the first word is a chat's way to say which bot is meant.
 * Undefined when the text is no slash command ("/etc/hosts is full").
 */
export function parseSlash(text: string, names: readonly string[]): Slash | undefined {
  const match = text.match(SLASH);
  if (!match) return undefined;
  const first = commandWord(match[1] ?? "");
  let best: { name: string; end: number } | undefined;
  let name = first;
  let end = match[0].length;
  for (;;) {
    if (names.includes(name)) best = { name, end };
    if (!names.some((other) => other.startsWith(`${name}_`))) break;
    const next = text.slice(end).match(NEXT_WORD);
    if (!next) break;
    name += `_${commandWord(next[1] ?? "")}`;
    end += next[0].length;
  }
  if (best) return { kind: "command", name: best.name, args: text.slice(best.end).trim() };
  const group = names.filter((other) => other.startsWith(`${first}_`));
  if (group.length > 0) return { kind: "group", prefix: first, names: group };
  return { kind: "unknown", word: first, suggestion: nearest(first, names) };
}

/** The name that a misspelt one most likely means. */
function nearest(word: string, names: readonly string[]): string | undefined {
  let best: { name: string; far: number } | undefined;
  for (const name of names) {
    const most = Math.ceil(name.length * TOLERANCE);
    if (Math.abs(word.length - name.length) > most) continue;
    const far = distance(word, name);
    if (far <= most && far < (best?.far ?? Infinity)) best = { name, far };
  }
  return best?.name;
}

function commandWord(word: string): string {
  return word.toLowerCase().replaceAll("-", "_");
}
