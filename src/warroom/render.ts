import { md, plainText, type Markup } from "../sdk/markup.ts";
import { type Incident, nameOf, stateOf } from "./incident.ts";
import type { NoteKind } from "./messages.ts";
import { clip, exactMoment, oneLine, moment, span, timeOfDay, zoneName } from "./words.ts";

/** A message is to have no more characters than this, if something of it can be left out. */
const AIM = 700;
const MOST_EVIDENCE = 10;
const HEADLINE = 160;
const MINUTE_MS = 60_000;

/** How a message is said again after it was refused: with less and less that could be refused. */
export const PLAINEST = 3;

/**
 * The message of an incident. It depends on what is stored alone, never on the time at which it is made: what is
 * unchanged reads the same after a restart.
 */
export function renderMessage(incident: Incident, zone: string, plainness = 0): Markup {
  const id = nameOf(incident);
  if (plainness >= PLAINEST) return md`incident ${id}, see /incident ${id}`;
  const head = md`${iconOf(incident)} **${wordOf(incident)}** ${headlineOf(incident)}  ${id}`;
  const top = [head, ...statusLines(incident, zone).map((line) => md`${line}`)];
  if (plainness === 2) return md`${plainText(joined(top))}`;
  if (plainness === 1) return joined(top);
  const next = incident.next === null ? [] : [md`Next: ${clip(incident.next, 200)}`];
  const fixed = lengthOf(joined([...top, ...next]));
  return joined([...top, ...shorten(incident.evidence, AIM - fixed).map((line) => md`${line}`), ...next]);
}

/** What is said besides, as a reply to the message: an edit makes no sound. */
export function renderNote(
  kind: NoteKind,
  incident: Incident,
  { zone, now }: { zone: string; now: number },
): Markup {
  const { since, ack } = incident;
  const acked = ack === null ? "" : ` (acked by ${ack.by})`;
  const lasts = `since ${moment(since, now, zone)}${inBrackets(now - since)}`;
  const words: Readonly<Record<NoteKind, string>> = {
    repeat: ` still fires, ${lasts}, and nobody has acked it`,
    again: " fires again",
    worse: " is critical now",
    steady: " flaps no more, and fires",
    "silence over": `: the silence is over, and it still fires${acked}`,
  };
  return md`${iconOf(incident)} ${nameOf(incident)}${words[kind]}: ${headlineOf(incident)}`;
}

/** A line of the list of what is open. */
export function renderLine(incident: Incident, { zone, now }: { zone: string; now: number }): Markup {
  const { ack, silence, since, isFlapping } = incident;
  const facts = [
    `since ${moment(since, now, zone)}${inBrackets(now - since)}`,
    ...(isFlapping ? ["flapping"] : []),
    ...(ack === null ? [] : [`acked by ${ack.by}`]),
    ...(silence === null ? [] : [`silenced until ${moment(silence.until, now, zone)} by ${silence.by}`]),
  ];
  return md`${iconOf(incident)} **${nameOf(incident)}** ${headlineOf(incident)} · ${facts.join(" · ")}`;
}

/** What is wrong with what, in one line. */
export function headlineOf({ target, summary }: Pick<Incident, "target" | "summary">): string {
  const bare = oneLine(target, 80)
    .replace(/^[a-z][a-z+.-]*:\/\//i, "")
    .replace(/\/$/, "");
  return clip(summary.includes(bare) ? summary : `${bare}: ${summary}`, HEADLINE);
}

export function iconOf(incident: Incident): string {
  const state = stateOf(incident);
  if (state === "silenced") return "⚪";
  if (incident.isFlapping) return "🟣";
  if (state === "resolved") return "🟢";
  if (state === "acked") return "🟠";
  return { crit: "🔴", warn: "🟡", info: "🔵" }[incident.severity];
}

/** Lines one below the other. */
export function joined(lines: readonly Markup[]): Markup {
  const [first, ...rest] = lines;
  return rest.reduce((text, line) => md`${text}\n${line}`, first ?? md``);
}

/** As many whole items as fit into so many characters, at least one; then how many more there are. */
export function shorten(items: readonly string[], room: number, most = MOST_EVIDENCE): string[] {
  const shown: string[] = [];
  let left = room;
  for (const item of items.slice(0, most)) {
    const line = clip(item, HEADLINE);
    left -= Array.from(line).length + 1;
    if (left < 10 && shown.length > 0) break;
    shown.push(line);
  }
  const hidden = items.length - shown.length;
  return hidden > 0 ? [...shown, `+${hidden} more`] : shown;
}

function wordOf(incident: Incident): string {
  if (incident.isFlapping) return "FLAPPING";
  return stateOf(incident) === "resolved" ? "RESOLVED" : incident.severity.toUpperCase();
}

function statusLines(incident: Incident, zone: string): string[] {
  const { ack, silence, since, resolvedAt, changedAt, flaps, count, agent, vantage, isFlapping } = incident;
  const from = vantage === null ? agent : `${agent} at ${vantage}`;
  const acked = ack === null ? [] : [`acked by ${ack.by} at ${moment(ack.at, changedAt, zone)}`];
  if (isFlapping) {
    // It says nothing that changes with each turn: it is not edited until it is steady.
    const began = `Comes and goes since ${exactMoment(since, changedAt, zone)} · ${from}`;
    const quiet = silence === null ? [] : [silenceLine(silence, changedAt, zone)];
    return [...quiet, [began, ...acked].join(" · ")];
  }
  if (resolvedAt !== null) {
    const begun = moment(since, resolvedAt, zone);
    const during = `${begun}-${timeOfDay(resolvedAt, zone)} ${zoneName(resolvedAt, zone)}${inBrackets(resolvedAt - since)}`;
    const who = ack === null ? [] : [`acked by ${ack.by}`];
    const back = flaps === 0 ? [] : [flaps === 1 ? "1 flap" : `${flaps} flaps`];
    return [[during, from, ...who, ...back].join(" · ")];
  }
  // A moment long, it would say how old the alert was when it came.
  const lasted = changedAt - since < MINUTE_MS ? "" : inBrackets(changedAt - since);
  const begun = `Since ${exactMoment(since, changedAt, zone)}${lasted}`;
  const often = count > 1 ? [`seen ${count}×`] : [];
  const back = flaps === 0 ? [] : [flaps === 1 ? "back once" : `back ${flaps}×`];
  return [
    ...(silence === null ? [] : [silenceLine(silence, changedAt, zone)]),
    ...acked.map((words) => `A${words.slice(1)}`),
    [begun, from, ...often, ...back].join(" · "),
  ];
}

function silenceLine({ until, by }: { until: number; by: string }, now: number, zone: string): string {
  return `Silenced until ${moment(until, now, zone)} by ${by}`;
}

function inBrackets(ms: number): string {
  const words = span(ms);
  return words === undefined ? "" : ` (${words})`;
}

function lengthOf(text: Markup): number {
  return Array.from(plainText(text)).length;
}
