import type { Markup } from "#sdk";
import { plainText } from "../../src/sdk/markup.ts";

/** The first line of a reply's text. */
export function firstLine({ text }: { readonly text: string | Markup }): string {
  return plainText(text).split("\n")[0] ?? "";
}
