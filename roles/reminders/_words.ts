import { md, show, type Button, type Failure, type Markup } from "#sdk";
import type { Reminder } from "./_reminder.ts";

const MINUTE_MS = 60_000;
const FARTHEST_MS = 5 * 365.25 * 24 * 60 * MINUTE_MS;

/** What stands before and behind the thing itself where people write whole sentences. */
const LEAD_INS: readonly RegExp[] = [
  /^(?:hey|hi|hallo|please|pls|bitte)[\s,]+/iu,
  /^(?:(?:can|could|would|will) you|kannst du|könntest du|würdest du)\s+(?:please\s+|bitte\s+)?/iu,
  /^(?:set|create|add|make|stelle?|setze?)\s+(?:me\s+|mir\s+)?(?:a|an|the|eine?)\s+(?:reminder|erinnerung)\b\s*/iu,
  /^(?:reminder|erinnerung)\b[\s:,]*/iu,
  /^(?:remind|erinner[en]?)\s+(?:me|us|mich|uns)\b[\s:,]*/iu,
  /^(?:to|that|about|of|for|daran|an|dass|für|zu)\b[\s,:]+/iu,
];
const TRAILERS = /(?:[\s,]+(?:to|at|on|um|am|an|please|bitte|erinnern|remind me|erinnere mich))+[\s.!?]*$/iu;

/** What to be reminded of, out of the sentence that asks for it; empty where it says nothing but that. */
export function thingOf(sentence: string): string {
  const trimmed = sentence.replace(TRAILERS, "").trim();
  return LEAD_INS.reduce((text, leadIn) => text.replace(leadIn, ""), trimmed).trim();
}

/** A moment to the minute: "Tue 1 Dec 2026, 09:00 Europe/Berlin". */
export function atMinute(at: number, zone: string): string {
  return show.moment(at, zone).replace(/(?<=, \d\d:\d\d):\d\d/u, "");
}

/** A moment and how far off it is: "Tue 1 Dec 2026, 09:00 Europe/Berlin (in 14 h)". */
export function atAndIn(at: number, now: number, zone: string): string {
  return `${atMinute(at, zone)} (in ${roughly(at - now)})`;
}

/** A length of time to the minute, from a minute on. */
export function roughly(ms: number): string {
  const rounded =
    ms < MINUTE_MS - 500 ? Math.round(ms / 1000) * 1000 : Math.round(ms / MINUTE_MS) * MINUTE_MS;
  return rounded < 1000 ? "a moment" : show.duration(rounded);
}

/** Why nobody can be reminded at a moment; undefined when they can. */
export function refuseMoment(at: number, now: number, zone: string): Failure | undefined {
  if (at < now - MINUTE_MS) {
    const text = `${atMinute(at, zone)} has passed. Say a time that is still to come, such as “tomorrow at 9” or “in 10 min”.`;
    return { failure: "E_BAD_PARAMS", text };
  }
  if (at <= now + FARTHEST_MS) return undefined;
  const text = `${atMinute(at, zone)} is more than 5 years away. Say a time within 5 years.`;
  return { failure: "E_BAD_PARAMS", text };
}

/** Where a reminder stands, in words. */
export function stateOf({ dueAt, toldAt }: Reminder, now: number, zone: string): string {
  if (toldAt === undefined && dueAt >= now) return atAndIn(dueAt, now, zone);
  if (toldAt === undefined) return `due since ${atMinute(dueAt, zone)}`;
  return `told ${atMinute(toldAt, zone)} (${roughly(now - toldAt)} ago)`;
}

/** The buttons under a reminder that is due. */
export function answersTo(reminderId: number): Button[] {
  return [
    { label: "Done", say: `/remind_done ${reminderId}` },
    { label: "Snooze 10 min", say: `/remind_snooze ${reminderId} 10min` },
    { label: "1 h", say: `/remind_snooze ${reminderId} 1h` },
  ];
}

export function toIso(at: number): string {
  return new Date(at).toISOString();
}

export function lines(...parts: readonly Markup[]): Markup {
  return { markup: parts.flatMap((part, i) => (i === 0 ? part : md`\n${part}`).markup) };
}
