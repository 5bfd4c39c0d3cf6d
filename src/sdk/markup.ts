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

// Values stand as a number between two private-use characters while the template is read, so nothing in them is taken
// for markup. No stretch has more than 2000 characters, so that what is opened is not looked after to the end of the
// template each time. Emphasis hugs its words, and `_` within a word is a letter of it: a_name_like_this is plain text.
const SLOT = /\ue000(\d+)\ue001/g;
const BOLD = String.raw`\*\*(?=\S)(.{1,2000}?)(?<=\S)\*\*`;
const CODE = "`([^`]{1,2000})`";
const ITALIC = String.raw`(?<![\p{L}\p{N}_\ue001])_(?=\S)([^_]{1,2000})(?<=\S)_(?![\p{L}\p{N}_\ue000])`;
const LINK = String.raw`\[([^\]]{1,2000})\]\(([^)\s]{1,2000})\)`;
const PATTERN = new RegExp([BOLD, CODE, ITALIC, LINK].join("|"), "gsu");

/**
 * Builds markup from a template: **bold**, _italic_, `code` and [text](address) in the literal parts; emphasis is not nested.
 * Values are put in as they are; markup inside a value is not read as markup, so `${"**"}` writes two asterisks.
 * A value that is markup itself is kept, and within emphasis gives its words.
 */
export function md(strings: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  const literals = strings.map((part) => part.replaceAll(/[\ue000\ue001]/g, ""));
  const source = literals.map((part, i) => (i < values.length ? `${part}\ue000${i}\ue001` : part)).join("");
  const runs: Run[] = [];
  let end = 0;
  for (const match of source.matchAll(PATTERN)) {
    pushText(runs, source.slice(end, match.index), values);
    const [bold, code, italic, link, url] = match.slice(1).map((part) => part && fill(part, values));
    if (bold) runs.push({ bold });
    else if (code) runs.push({ code });
    else if (italic) runs.push({ italic });
    else if (link) push(runs, url ? { link, url } : { text: link });
    end = match.index + match[0].length;
  }
  pushText(runs, source.slice(end), values);
  return { markup: runs };
}

/** The words of a text or of markup, without emphasis; of a link its words, not its address. */
export function plainText(text: string | Markup): string {
  return typeof text === "string" ? text : text.markup.map(wordsOf).join("");
}

function wordsOf(run: Run): string {
  if ("text" in run) return run.text;
  if ("bold" in run) return run.bold;
  if ("italic" in run) return run.italic;
  if ("code" in run) return run.code;
  return "pre" in run ? run.pre : run.link;
}

function pushText(runs: Run[], source: string, values: readonly unknown[]): void {
  let end = 0;
  for (const match of source.matchAll(SLOT)) {
    const value = values[Number(match[1])];
    push(runs, { text: source.slice(end, match.index) });
    for (const run of isMarkup(value) ? value.markup : [{ text: textOf(value) }]) push(runs, run);
    end = match.index + match[0].length;
  }
  push(runs, { text: source.slice(end) });
}

/** Adds a run; plain text joins the plain text before it. */
function push(runs: Run[], run: Run): void {
  if (!("text" in run)) return void runs.push(run);
  const last = runs.at(-1);
  if (run.text === "") return;
  if (last && "text" in last) runs[runs.length - 1] = { text: last.text + run.text };
  else runs.push(run);
}

function fill(text: string, values: readonly unknown[]): string {
  return text.replaceAll(SLOT, (_, index: string) => {
    const value = values[Number(index)];
    return isMarkup(value) ? plainText(value) : textOf(value);
  });
}

/** A value's text. What was read from outside may bear a `toString` of its own that is no function, and may not stop a reply. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

function isMarkup(value: unknown): value is Markup {
  return typeof value === "object" && value !== null && "markup" in value && Markup.safeParse(value).success;
}
