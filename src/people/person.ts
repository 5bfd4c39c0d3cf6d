import type { Access } from "../sdk/role.ts";

/** What a person may be, from the least to the most. */
export const ACCESSES: readonly Access[] = ["viewer", "operator", "owner"];

/** Somebody who may use the bot. */
export interface Person {
  /** UUIDv7; stays the same through every change. */
  readonly id: string;
  /** What they are called here; need not be theirs alone. */
  readonly name: string;
  readonly role: Access;
  /** BCP 47, such as `en`; where it is known. */
  readonly language?: string;
  /** IANA time zone, where it is known. */
  readonly zone?: string;
  /** Unix ms at which they were last let in. */
  readonly since: number;
}

/** What a person is in a channel. */
export interface Identity {
  readonly channel: string;
  /** The channel's own id of them. */
  readonly userId: string;
  /** What the channel called them when they were let in. */
  readonly name: string;
}

/** A person with every identity of theirs. */
export interface KnownPerson extends Person {
  readonly identities: readonly Identity[];
}

/** Whether a role includes all that another may. */
export function isAtLeast(role: Access, other: Access): boolean {
  return ACCESSES.indexOf(role) >= ACCESSES.indexOf(other);
}

const LONGEST_NAME = 64;

/** A name as it is kept: one line of at most 64 characters that can steer neither a terminal nor the direction of writing; may be empty. */
export function cleanName(name: string): string {
  const line = name
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .trim();
  return Array.from(line).slice(0, LONGEST_NAME).join("").trimEnd();
}
