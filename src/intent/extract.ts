import { findAddresses, isHost } from "./addresses.ts";
import { createClaims, type Entity } from "./entity.ts";
import { findDurations, findNumbers, findPorts, findQuoted } from "./quantities.ts";
import { type Clock, findTimes } from "./times.ts";

/** Longer than any channel's message; what stands behind it is not searched. */
const MAX_LENGTH = 8192;

/**
 * What in a person's words has a value of its own, in the order of the words. Entities do not overlap, except that
 * a moment may hold a number or a length of time ("in 5 min"). Without a clock no moments are looked for.
 */
export function extractEntities(text: string, clock?: Clock): Entity[] {
  const words = text.slice(0, MAX_LENGTH);
  const claims = createClaims(words.length);
  const entities = [
    ...findQuoted(words, claims, isAddress),
    ...findAddresses(words, claims),
    ...findPorts(words, claims),
  ];
  if (clock) {
    for (const time of findTimes(blankOut(words, entities), clock)) {
      entities.push({ ...time, text: words.slice(time.start, time.end) });
    }
  }
  if (/\d/u.test(words)) entities.push(...findDurations(words, claims), ...findNumbers(words, claims));
  return entities.sort((a, b) => a.start - b.start || b.end - a.end);
}

function isAddress(inner: string): boolean {
  return (
    !/\s/u.test(inner) && (inner.includes("://") || isHost(inner) || /^[^@]+@[^@]+\.[^@]+$/u.test(inner))
  );
}

/** The text with spaces where entities stand, so that no date is read in an address. */
function blankOut(text: string, entities: readonly Entity[]): string {
  let blanked = text;
  for (const { start, end } of entities) {
    blanked = blanked.slice(0, start) + " ".repeat(end - start) + blanked.slice(end);
  }
  return blanked;
}
