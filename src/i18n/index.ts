import { type Catalogue, en } from "./en.ts";

export type { Catalogue } from "./en.ts";

/** Catalogues by the first part of the language's tag. */
const CATALOGUES: Readonly<Record<string, Catalogue>> = { en };

/** The bot's own words in a language (BCP 47 tag), or in English where there are none. */
export function catalogueOf(language: string): Catalogue {
  const [primary = ""] = language.toLowerCase().split("-");
  return Object.hasOwn(CATALOGUES, primary) ? (CATALOGUES[primary] ?? en) : en;
}
