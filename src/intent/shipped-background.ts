import { type Background, parseBackground } from "./background.ts";
import table from "./background.json" with { type: "json" };

/** How common words and pieces of words are in everyday English, as shipped (see NOTICE). */
export function shippedBackground(): Background {
  return parseBackground(table);
}
