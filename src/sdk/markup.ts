import { z } from "zod";

/** One run of text with at most one emphasis. Channels render it as they can and escape what it holds. */
const Run = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ bold: z.string() }),
  z.strictObject({ italic: z.string() }),
  z.strictObject({ code: z.string() }),
  z.strictObject({ pre: z.string() }),
  z.strictObject({ link: z.string(), url: z.string() }),
]);

/** Text with emphasis, as JSON: built by md`…`, rendered by each channel. */
export const Markup = z.strictObject({ markup: z.array(Run) });
export type Markup = z.output<typeof Markup>;
type Run = z.output<typeof Run>;

const PATTERN = /\*\*(.+?)\*\*|`([^`]+)`|_([^_]+)_|\[([^\]]+)\]\(([^)]+)\)/gs;
// Values stand as one private-use character while the template is read, so that nothing in them is taken for markup.
const SLOT = /\ue000(\d+)\ue001/g;

/**
 * Builds markup from a template: **bold**, _italic_, `code` and [text](address) in the literal parts.
 * Values are put in as they are; markup inside a value is not read as markup. A value that is markup itself is kept.
 */
export function md(strings: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  const literals = strings.map((part) => part.replaceAll(/[\ue000\ue001]/g, ""));
  const source = literals.map((part, i) => (i < values.length ? `${part}\ue000${i}\ue001` : part)).join("");
  const runs: Run[] = [];
  let end = 0;
  for (const match of source.matchAll(PATTERN)) {
    pushText(runs, source.slice(end, match.index), values);
    const [, bold, code, italic, link, url] = match;
    if (bold !== undefined) runs.push({ bold: fill(bold, values) });
    else if (code !== undefined) runs.push({ code: fill(code, values) });
    else if (italic !== undefined) runs.push({ italic: fill(italic, values) });
    else runs.push({ link: fill(link ?? "", values), url: fill(url ?? "", values) });
    end = match.index + match[0].length;
  }
  pushText(runs, source.slice(end), values);
  return { markup: runs };
}

/** The words of a text or of markup, without emphasis. */
export function plainText(text: string | Markup): string {
  if (typeof text === "string") return text;
  return text.markup.map((run) => Object.values(run)[0]).join("");
}

function pushText(runs: Run[], source: string, values: readonly unknown[]): void {
  let end = 0;
  const push = (text: string): void => void (text === "" || runs.push({ text }));
  for (const match of source.matchAll(SLOT)) {
    const value = values[Number(match[1])];
    push(source.slice(end, match.index));
    if (isMarkup(value)) runs.push(...value.markup);
    else push(String(value));
    end = match.index + match[0].length;
  }
  push(source.slice(end));
}

function fill(text: string, values: readonly unknown[]): string {
  return text.replaceAll(SLOT, (_, index: string) => {
    const value = values[Number(index)];
    return isMarkup(value) ? plainText(value) : String(value);
  });
}

function isMarkup(value: unknown): value is Markup {
  return Markup.safeParse(value).success;
}
