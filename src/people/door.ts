import type { Person } from "./person.ts";

/** Somebody whose words came by a channel. */
export interface Stranger {
  /** The channel's own id of them. */
  readonly userId: string;
  /** What the channel calls them. */
  readonly name: string;
  readonly text: string;
}

/** What words at the door get. */
export type Knocked =
  | { readonly kind: "paired"; readonly person: Person; readonly text: string }
  | { readonly kind: "hint"; readonly text: string }
  | { readonly kind: "silent" };

/** Who may use the bot, as a channel asks it. Throws only when `people.db` cannot be read or written. */
export interface Door {
  /** The person behind an identity; undefined for strangers and for who was removed. Sees at once what other processes changed. */
  find(channel: string, userId: string): Person | undefined;
  /** Whether words are a pairing code's: they are for `knock`, whoever wrote them. */
  isPairing(text: string): boolean;
  /**
   * What a stranger's words get: a welcome with the right code, else a hint, or nothing when they were hinted lately.
   * The code of a higher role raises a person who is let in already. The same words once more get the same welcome.
   */
  knock(channel: string, stranger: Stranger): Knocked;
}

const PAIR = /^\s*\/pair(?:@\w+)?(?=[\s\d]|$)(?<rest>.*)$/isu;

/** The digits of `/pair 483-201`, however they are set apart; empty when it names none, undefined for other words. */
export function readPairing(text: string): string | undefined {
  return PAIR.exec(text)?.groups?.["rest"]?.normalize("NFKC").replaceAll(/\D/gu, "");
}
