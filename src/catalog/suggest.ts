import { relative } from "node:path";
import { distance } from "fastest-levenshtein";

/** " (did you mean x?)" for the known name closest to a misspelt one, or nothing when none is close. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = [...known]
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)[0];
  if (nearest === undefined) return "";
  // Swapped letters count as two edits, too many for a short name, and are the commonest slip.
  const isSwap = sorted(nearest.candidate) === sorted(name);
  if (!isSwap && nearest.edits > Math.max(1, Math.floor(name.length / 3))) return "";
  return ` (did you mean ${nearest.candidate}?)`;
}

function sorted(text: string): string {
  return text.toLowerCase().split("").sort().join("");
}

/** A file as people should read it: relative to the working directory where it lies below it. */
export function shownPath(file: string): string {
  const path = relative(process.cwd(), file);
  return path === "" || path.startsWith("..") ? file : path;
}

/** A name in lower case made of what `[a-z][a-z0-9…]*` allows, words joined by `joint`; empty when nothing is left. */
export function asName(text: string, joint: "-" | "_"): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, `$1${joint}$2`)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, joint)
    .replaceAll(/^[^a-z]+|[-_]+$/g, "");
}
