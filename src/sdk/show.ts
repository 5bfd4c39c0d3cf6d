import type { Verdict } from "./reply.ts";

/** Values as people read them, alike in all answers. */
export const show = {
  /** The sign of a verdict, for lines of an answer that sums up several; a whole answer gets its sign by itself. */
  verdict: (verdict: Verdict): string => SIGNS[verdict],
  /** A length of time: "0.4 ms", "46 ms", "1.2 s", "3 min", "5 h 20 min", "1 d 2 h". */
  duration: showDuration,
  /** A size in powers of 1024, as df -h and free -h show it: "512 B", "1.5 GiB". */
  bytes: showBytes,
  /** A moment in a zone (IANA): "Tue 3 Feb 2026, 05:05:06 Europe/Berlin". */
  moment: showMoment,
  /** The last line of a check's answer: when it was made, in the zone of who asked, and how long it took. */
  footer: ({ at, tookMs, zone }: { at: Moment; tookMs: number; zone: string }): string =>
    `${showMoment(at, zone)}, took ${showDuration(tookMs)}`,
} as const;

const SIGNS: Readonly<Record<Verdict, string>> = { ok: "✅", fail: "❌", inconclusive: "❔" };

/** Unix ms, ISO 8601, or a Date. */
type Moment = number | string | Date;

const MINUTE_MS = 60_000;
const SIZES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function showDuration(ms: number): string {
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS - 50) return `${Number((ms / 1000).toFixed(1))} s`;
  const minutes = Math.max(1, Math.floor(ms / MINUTE_MS));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours === 0) return `${minutes} min`;
  return minutes % 60 > 0 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}

function showBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), SIZES.length - 1);
  const amount = bytes / 1024 ** power;
  return `${amount >= 100 || power === 0 ? Math.round(amount) : Number(amount.toFixed(1))} ${SIZES[power]}`;
}

function showMoment(at: Moment, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).formatToParts(new Date(at));
  const of = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((part) => part.type === type)?.value ?? "";
  const [date, time] = [
    [of("weekday"), of("day"), of("month"), of("year")],
    [of("hour"), of("minute"), of("second")],
  ];
  return `${date.join(" ")}, ${time.join(":")} ${zone}`;
}
