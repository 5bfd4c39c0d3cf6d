import type { Claims, Entity } from "./entity.ts";

const QUOTED =
  /"([^"]{1,1000})"|“([^“”]{1,1000})”|„([^„“”]{1,1000})[“”]|«([^«»]{1,1000})»|`([^`]{1,1000})`|(?<![\p{L}\p{N}])['‘]([^'‘’]{1,1000})['’](?![\p{L}\p{N}])/gu;

const PORT =
  /(?<![\p{L}\p{N}])ports?\s{0,8}(?:(?:number|no\.|nr\.|#|:|=)\s{0,8})?(\d{1,5})(?![\p{L}\p{N}]|[.:]\d)|(?<=^|[\s([=]):(\d{1,5})(?![\p{L}\p{N}]|[.:]\d)|(?<![\p{L}\p{N}.:])(\d{1,5})\/(?:tcp|udp)(?![\p{L}\p{N}])/giu;

const NEXT_PORT =
  /^\s*(?:,\s*(?:and|or|und|oder)?|and|or|und|oder|&|\+)\s*(\d{1,5})(?![\p{L}\p{N}%]|[.:]\d|\s*(?:%|m?s|sec|min|h|hours?)(?!\p{L}))/iu;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS: readonly (readonly [pattern: string, ms: number])[] = [
  ["milliseconds?|millis|msecs?|ms|millisekunden?", 1],
  ["seconds?|secs?|s|sekunden?|sek", SECOND],
  ["minutes?|mins?|m|minuten?", MINUTE],
  ["hours?|hrs?|h|stunden?|std", HOUR],
  ["days?|d|tagen?|tage?", DAY],
  ["weeks?|wks?|w|wochen?", 7 * DAY],
];
const DURATION = new RegExp(
  String.raw`(?<![\p{L}\p{N}/-]|\d[.,:])(\d{1,12}(?:[.,]\d{1,6})?)\s?(?:${UNITS.map(([unit]) => `(${unit})`).join("|")})(?![\p{L}/])`,
  "giu",
);
// The second part of "1h30m" stands right behind a letter.
const NEXT_DURATION = new RegExp(
  String.raw`^(?:\s*,)?\s*(?:and|und)?\s*(\d{1,12}(?:[.,]\d{1,6})?)\s?(?:${UNITS.map(([unit]) => `(${unit})`).join("|")})(?![\p{L}/])`,
  "iu",
);

/** "every minute", "jede Stunde", "hourly": a length of time without a number. */
const EACH = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(?:every|each|once an?|jeden?)\s+(?:${UNITS.map(([unit]) => `(${unit})`).join("|")})|(minütlich)|(hourly|stündlich)|(daily|täglich))(?![\p{L}\p{N}])`,
  "giu",
);
const EACH_AHEAD = /(?<![\p{L}\p{N}])(?:every|each|alle|jeden?)\s+$/iu;
const ADVERBS = [MINUTE, HOUR, DAY];

const NUMBER =
  /(?<=^|[\s([=,<>~≈+#]|\D:)[-−]?(\d{1,3}(?:,\d{3}){1,8}(?:\.\d{1,9})?|\d{1,15}(?:[.,]\d{1,9})?)(?:\s?(%|percent|prozent|[kmgtp]i?b|bytes?|°[cf]|[kmg]?hz)(?![\p{L}\p{N}]))?(?![\p{L}\p{N}_]|[.:,/-]\d)/giu;

/** What stands between quotation marks, unless `isAddress` says that it is an address put in quotes. */
export function findQuoted(text: string, claims: Claims, isAddress: (inner: string) => boolean): Entity[] {
  const found: Entity[] = [];
  for (const match of text.matchAll(QUOTED)) {
    const value = (match.slice(1).find((group) => group !== undefined) ?? "").trim();
    const end = match.index + match[0].length;
    if (value === "" || isAddress(value)) continue;
    claims.claim(match.index, end);
    found.push({ kind: "quoted", value, start: match.index, end, text: match[0] });
  }
  return found;
}

/** Ports that are called so: "port 443", ":443", "443/tcp"; of "ports 80, 443 and 8080" all three. */
export function findPorts(text: string, claims: Claims): Entity[] {
  const found: Entity[] = [];
  const add = (value: number, start: number, end: number): boolean => {
    if (value < 1 || value > 65_535 || !claims.isFree(start, end)) return false;
    claims.claim(start, end);
    found.push({ kind: "port", value, attached: false, start, end, text: text.slice(start, end) });
    return true;
  };
  for (const match of text.matchAll(PORT)) {
    let end = match.index + match[0].length;
    if (!add(Number(match[1] ?? match[2] ?? match[3]), match.index, end) || match[1] === undefined) continue;
    for (;;) {
      const next = text.slice(end, end + 20).match(NEXT_PORT);
      if (!next || !add(Number(next[1]), end, end + next[0].length)) break;
      end += next[0].length;
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Lengths of time with a unit, in ms; parts that follow one another from large to small are one: "1 h 30 min". */
export function findDurations(text: string, claims: Claims): Entity[] {
  const found: Entity[] = [];
  let done = 0;
  for (const match of text.matchAll(DURATION)) {
    if (match.index < done) continue;
    let { ms, unitMs } = readDuration(match);
    let end = match.index + match[0].length;
    for (;;) {
      const next = text.slice(end, end + 40).match(NEXT_DURATION);
      if (next === null) break;
      const part = readDuration(next);
      if (part.unitMs >= unitMs) break;
      ms += part.ms;
      unitMs = part.unitMs;
      end += next[0].length;
    }
    done = end;
    const value = Math.round(ms);
    if (!Number.isSafeInteger(value) || !claims.isFree(match.index, end)) continue;
    claims.claim(match.index, end);
    const isEach = EACH_AHEAD.test(text.slice(Math.max(0, match.index - 10), match.index));
    found.push({
      kind: "duration",
      value,
      isEach,
      start: match.index,
      end,
      text: text.slice(match.index, end),
    });
  }
  return found;
}

/** Lengths of time that are said without a number. */
export function findEach(text: string, claims: Claims): Entity[] {
  const found: Entity[] = [];
  for (const match of text.matchAll(EACH)) {
    const end = match.index + match[0].length;
    if (!claims.isFree(match.index, end)) continue;
    const which = match.slice(1).findIndex((group) => group !== undefined);
    const value = UNITS[which]?.[1] ?? ADVERBS[which - UNITS.length] ?? MINUTE;
    claims.claim(match.index, end);
    found.push({ kind: "duration", value, isEach: true, start: match.index, end, text: match[0] });
  }
  return found;
}

function readDuration(match: RegExpMatchArray): { ms: number; unitMs: number } {
  const unit = match.slice(2).findIndex((group) => group !== undefined);
  const unitMs = UNITS[unit]?.[1] ?? 1;
  return { ms: Number((match[1] ?? "").replace(",", ".")) * unitMs, unitMs };
}

/** Numbers that nothing else has claimed, with the unit behind them. "1,000" is a thousand, "1,5" one and a half. */
export function findNumbers(text: string, claims: Claims): Entity[] {
  const found: Entity[] = [];
  for (const match of text.matchAll(NUMBER)) {
    const end = match.index + match[0].length;
    if (!claims.isFree(match.index, end)) continue;
    const digits = match[1] ?? "";
    const plain = /^\d{1,3}(?:,\d{3})+/u.test(digits) ? digits.replaceAll(",", "") : digits.replace(",", ".");
    const value = /^[-−]/u.test(match[0]) ? -Number(plain) : Number(plain);
    claims.claim(match.index, end);
    found.push({
      kind: "number",
      value,
      unit: match[2]?.toLowerCase(),
      start: match.index,
      end,
      text: match[0],
    });
  }
  return found;
}
