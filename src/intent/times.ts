import type { ParsedComponents } from "chrono-node";
import * as en from "chrono-node/en";
import { DateTime } from "luxon";
import type { Entity } from "./entity.ts";

/** By which clock, and in which IANA zone, words such as "tomorrow at 9" are meant. */
export interface Clock {
  readonly now: Date;
  readonly zone: string;
}

/**
 * Moments in a text, as ISO 8601 with the offset that the zone has at that moment. A time of day that has passed is
 * tomorrow's. Day and hour are read as the wall clock shows them; an hour that a change of clocks skips moves on by an hour.
 */
export function findTimes(text: string, clock: Clock): Entity[] {
  const reference = DateTime.fromJSDate(clock.now, { zone: clock.zone });
  const parsed = en.casual.parse(
    text,
    { instant: clock.now, timezone: reference.offset },
    { forwardDate: true },
  );
  const found: Entity[] = [];
  for (const { index, text: words, start } of parsed) {
    const value = instant(start, clock.zone).toISO({ suppressMilliseconds: true });
    if (value !== null)
      found.push({ kind: "when", value, start: index, end: index + words.length, text: words });
  }
  return found;
}

function instant(parsed: ParsedComponents, zone: string): DateTime {
  // An offset is certain when it was written down, or when the words count from now ("in 5 minutes").
  if (parsed.isCertain("timezoneOffset")) return DateTime.fromJSDate(parsed.date(), { zone });
  const field = (name: "year" | "month" | "day" | "hour" | "minute" | "second"): number =>
    parsed.get(name) ?? 0;
  return DateTime.fromObject(
    {
      year: field("year"),
      month: field("month"),
      day: field("day"),
      hour: field("hour"),
      minute: field("minute"),
      second: field("second"),
    },
    { zone },
  );
}
