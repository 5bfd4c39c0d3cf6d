import type { Catalogue } from "../i18n/index.ts";

/** A person's words, with what they are for comparing, which is worked out once. */
export interface Said {
  readonly text: string;
  readonly plain: string;
}

export function readSaid(text: string): Said {
  return { text, plain: plain(text) };
}

const MARKS = ' "“”„.,!?()';

/** A text without case, marks around it and double spaces, for comparing whole answers. */
export function plain(text: string): string {
  const spaced = text
    // Bringing a long run of marks into order takes quadratic time.
    .replaceAll(/(\p{M}{30})\p{M}+/gu, "$1")
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[’‘]/gu, "'")
    .replaceAll(/\s+/gu, " ");
  // Loops: a pattern for marks at the end is tried anew at each mark of a long row of them.
  let start = 0;
  let end = spaced.length;
  while (start < end && `${MARKS}#`.includes(spaced[start] ?? "")) start++;
  while (end > start && MARKS.includes(spaced[end - 1] ?? "")) end--;
  return spaced.slice(start, end);
}

/** Whether somebody said one of a catalogue's phrases, which are plain already. */
export function isOneOf(said: Said, phrases: readonly string[]): boolean {
  return phrases.includes(said.plain);
}

/** Whether nothing is left but words that change nothing. */
export function onlyFillers(text: string, fillers: readonly string[]): boolean {
  const words = plain(text).match(/[\p{L}\p{N}']+/gu) ?? [];
  return words.every((word) => fillers.includes(word));
}

/** The words of a text, as they were written, that are more than fillers. */
export function withoutFillers(text: string, fillers: readonly string[]): string[] {
  return text.split(/\s+/u).filter((word) => word !== "" && !fillers.includes(plain(word)));
}

/** A text without some stretches of it, which do not overlap and stand in its order. */
export function cutOut(
  text: string,
  stretches: readonly { readonly start: number; readonly end: number }[],
): string {
  const kept: string[] = [];
  let from = 0;
  for (const { start, end } of stretches) {
    kept.push(text.slice(from, start));
    from = Math.max(from, end);
  }
  return [...kept, text.slice(from)].join("");
}

/** Which option a text picks: by one of its labels, else by its number or ordinal; from 0. */
export function matchOption(
  said: Said,
  options: readonly (readonly string[])[],
  { ordinals }: Pick<Catalogue, "ordinals">,
): number | undefined {
  const labelled = options.findIndex((labels) => labels.some((label) => plain(label) === said.plain));
  if (labelled >= 0) return labelled;
  const number = said.plain.replace(/^(?:the |number |option |no\.? ?)+/u, "").replace(/ one$/u, "");
  const ordinal = ordinals.findIndex((word) => word === number);
  const index = ordinal >= 0 ? ordinal : /^\d{1,2}$/u.test(number) ? Number(number) - 1 : -1;
  return index >= 0 && index < options.length ? index : undefined;
}
