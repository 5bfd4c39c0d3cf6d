import { findAddresses, isHost } from "./addresses.ts";
import { createClaims, type Entity } from "./entity.ts";
import { findDurations, findEach, findNumbers, findPorts, findQuoted } from "./quantities.ts";
import { type Clock, findTimes } from "./times.ts";

const LONGEST_EMAIL = 254;
/** Longer than any channel's message; what stands behind it is not searched. */
export const MAX_LENGTH = 8192;
/** Where moments are looked for: what finds them takes the more time for a character the more there are. */
const MAX_LENGTH_OF_TIMES = 1000;

/**
 * What in a person's words has a value of its own, in the order of the words. Entities do not overlap, except that
 * a moment may hold a number or a length of time ("in 5 min"). Without a clock no moments are looked
 * for, and with one only in the first 1000 characters.
 */
export function extractEntities(text: string, clock?: Clock): Entity[] {
  const words = text.slice(0, MAX_LENGTH);
  const claims = createClaims(words.length);
  const hasDigits = /\d/u.test(words);
  const entities = [
    ...(/["“„«`'‘]/u.test(words) ? findQuoted(words, claims, isAddress) : []),
    ...(/[.:@]|localhost/iu.test(words) ? findAddresses(words, claims) : []),
    ...(hasDigits ? findPorts(words, claims) : []),
  ];
  if (clock) {
    for (const time of findTimes(blankOut(words, entities).slice(0, MAX_LENGTH_OF_TIMES), clock)) {
      entities.push({ ...time, text: words.slice(time.start, time.end) });
    }
  }
  entities.push(...findEach(words, claims));
  if (hasDigits) entities.push(...findDurations(words, claims), ...findNumbers(words, claims));
  return entities.sort((a, b) => a.start - b.start || b.end - a.end);
}

function isAddress(inner: string): boolean {
  if (/\s/u.test(inner)) return false;
  if (inner.includes("://")) return true;
  return inner.length <= LONGEST_EMAIL && (isHost(inner) || /^[^@]+@[^@]+\.[^@]+$/u.test(inner));
}

/** The text with spaces where entities stand, so that no date is read in an address. */
function blankOut(text: string, entities: readonly Entity[]): string {
  const characters = text.split("");
  for (const { start, end } of entities) characters.fill(" ", start, end);
  return characters.join("");
}
