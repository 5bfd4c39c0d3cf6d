import type { Catalogue } from "../i18n/index.ts";

/** A text without case, marks around it and double spaces, for comparing whole answers. */
export function plain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[’‘]/gu, "'")
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/^[\s"“”„.,!?#()]+|[\s"“”„.,!?()]+$/gu, "");
}

/** Whether a text is one of a catalogue's phrases, which are plain already. */
export function isOneOf(text: string, phrases: readonly string[]): boolean {
  return phrases.includes(plain(text));
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

/** Which option a text picks: by one of its labels, else by its number or ordinal; from 0. */
export function matchOption(
  text: string,
  options: readonly (readonly string[])[],
  { ordinals }: Pick<Catalogue, "ordinals">,
): number | undefined {
  const labelled = options.findIndex((labels) => labels.some((label) => plain(label) === plain(text)));
  if (labelled >= 0) return labelled;
  const said = plain(text)
    .replace(/^(?:the |number |option |no\.? ?)+/u, "")
    .replace(/ one$/u, "");
  const ordinal = ordinals.findIndex((word) => word === said);
  const index = ordinal >= 0 ? ordinal : /^\d{1,2}$/u.test(said) ? Number(said) - 1 : -1;
  return index >= 0 && index < options.length ? index : undefined;
}
