import { md, show, type Markup } from "#sdk";
import type { Result, Watch } from "./_watch.ts";

/** How long missed runs are spoken of. */
const MISSED_TOLD_MS = 24 * 60 * 60 * 1000;
const LONGEST_NAME = 80;

/** At most so many characters, none of them halved. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A text without the names and passwords that stand in its addresses. */
export function withoutPasswords(text: string): string {
  return text.replaceAll(/(?<=\b[a-z][a-z\d+.-]{0,20}:\/\/)[^\s/?#"]*@/giu, "");
}

/** What is watched: the address or the host, or else the words that ask for it. */
export function targetOf({ params, words }: Watch["check"]): string {
  const { url, host } = params;
  const named = [url, host].find((value) => typeof value === "string" && value !== "");
  return withoutPasswords(typeof named === "string" ? named : words);
}

/** What people call it. */
export function nameOf({ name, check }: Pick<Watch, "name" | "check">): string {
  return cut(name ?? targetOf(check), LONGEST_NAME);
}

/** A watch that has just been added: what it found, how it goes on, and whom it tells. */
export function added(watch: Watch, first: Result, { next, zone }: { next: number; zone: string }): Markup {
  const { everyMs, severity, fails, recoveries, id } = watch;
  const runs = [next, next + everyMs, next + 2 * everyMs].map((at) => show.moment(at, zone));
  return lines(
    md`Watching **${nameOf(watch)}** every ${show.duration(everyMs)} (watch ${id})`,
    md`now: ${show.verdict(first.verdict)} ${withoutPasswords(first.line)}`,
    md`${severity} after ${count(fails, "fail", "fails in a row")}, over after ${count(recoveries, "good result", "good results in a row")}`,
    md`next runs: ${runs.join("; ")}`,
    md`Alerts go to the war room.`,
    ...(watch.by === undefined ? [] : [md`added by ${watch.by}`]),
  );
}

/** What is known of a watch, in a few lines. `nextAt` is left out for one that is paused. */
export function describeWatch(
  watch: Watch,
  { nextAt, now, zone }: { nextAt?: number | undefined; now: number; zone: string },
): Markup {
  const { id, check, everyMs, severity, by, last, firing, missed, history } = watch;
  const bad = (verdict: Watch["history"][number]): number => history.filter((one) => one === verdict).length;
  const tally =
    bad("ok") === history.length
      ? []
      : [`last ${history.length}: ${bad("ok")} ok, ${bad("fail")} failed, ${bad("inconclusive")} not clear`];
  const facts = [
    `every ${show.duration(everyMs)}`,
    severity,
    ...(nextAt === undefined ? [] : [`next in ${show.duration(Math.max(1000, nextAt - now))}`]),
    ...tally,
    ...(missed && now - missed.at < MISSED_TOLD_MS
      ? [`${count(missed.count, "run", "runs")} missed while away`]
      : []),
    ...(by === undefined ? [] : [`by ${by}`]),
  ];
  return lines(
    md`${signOf(watch)} **${id}** ${nameOf(watch)}: ${stateOf(watch)}`,
    ...(firing ? [md`    alerting since ${show.moment(firing.since, zone)}`] : []),
    ...(last ? [md`    ${withoutPasswords(last.line)} (${show.moment(last.at, zone)})`] : []),
    md`    ${facts.join(", ")}`,
    md`    \`${withoutPasswords(check.words)}\``,
  );
}

function signOf({ isPaused, firing, last }: Watch): string {
  if (isPaused) return "⏸";
  return show.verdict(firing ? "fail" : (last?.verdict ?? "inconclusive"));
}

function stateOf({ isPaused, firing, failsInARow, fails, last }: Watch): string {
  if (isPaused) return "paused";
  if (firing) return "alerting";
  if (last?.verdict === "inconclusive") return "could not be checked";
  return failsInARow > 0 ? `failing, ${failsInARow} of ${fails}` : "ok";
}

/** How many there are, and how many of them are in trouble. */
export function headline(watches: readonly Watch[]): string {
  const firing = watches.filter((watch) => watch.firing).length;
  const paused = watches.filter(({ isPaused }) => isPaused).length;
  return [
    count(watches.length, "watch", "watches"),
    ...(firing > 0 ? [`${firing} alerting`] : []),
    ...(paused > 0 ? [`${paused} paused`] : []),
  ].join(", ");
}

function count(n: number, one: string, more: string): string {
  return `${n} ${n === 1 ? one : more}`;
}

export function lines(...parts: readonly Markup[]): Markup {
  return { markup: parts.flatMap((part, i) => (i === 0 ? part : md`\n${part}`).markup) };
}
