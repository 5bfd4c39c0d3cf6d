import { show } from "../sdk/show.ts";

// Line breaks, control characters, and those that turn the direction of what follows.
const UNRULY = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A text of somebody else as one line of at most so many characters (code points). */
export function oneLine(text: string, most: number): string {
  // No more is looked at than could be shown, however long the text is.
  return clip(
    text
      .slice(0, most * 4)
      .replaceAll(UNRULY, " ")
      .replaceAll(/ {2,}/g, " ")
      .trim(),
    most,
  );
}

/** At most so many characters (code points); what was cut ends in "…". */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

/** A time of day, "14:04". */
export function timeOfDay(at: number, zone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" }).format(at);
}

/** A time of day, with its date where that is another one than at `now`: "14:04", "2 Mar 14:04". */
export function moment(at: number, now: number, zone: string): string {
  const day = dayOf(at, zone);
  return day === dayOf(now, zone) ? timeOfDay(at, zone) : `${day} ${timeOfDay(at, zone)}`;
}

/** To the second and with the zone: "14:02:11 CET". */
export function exactMoment(at: number, now: number, zone: string): string {
  const day = dayOf(at, zone);
  const seconds = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).format(at);
  return `${day === dayOf(now, zone) ? "" : `${day} `}${seconds} ${zoneName(at, zone)}`;
}

/** A length of time as answers show it; nothing for less than a second. */
export function span(ms: number): string | undefined {
  return ms < 1000 ? undefined : show.duration(ms);
}

/** The short name of a zone at a moment: "CET", "EST", or an offset where it has none. */
export function zoneName(at: number, zone: string): string {
  // Each English knows the short names of its own part of the world alone.
  const names = ["en-GB", "en-US"].map(
    (locale) =>
      new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: "short" })
        .formatToParts(at)
        .find(({ type }) => type === "timeZoneName")?.value ?? zone,
  );
  return names.find((name) => !/^(?:GMT|UTC)[+-]/.test(name)) ?? names[0] ?? zone;
}

function dayOf(at: number, zone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone: zone, day: "numeric", month: "short" }).format(at);
}
