import { md, plainText, type Markup } from "../sdk/markup.ts";
import { type Incident, nameOf, RANK, stateOf, type IncidentState, type Transition } from "./incident.ts";
import { headlineOf, iconOf, joined, renderLine, shorten } from "./render.ts";
import type { Severity } from "./signal.ts";
import type { IncidentStore } from "./store.ts";
import { clip, exactMoment, moment, oneLine, span } from "./words.ts";

/** An incident as programs see it; times are ISO 8601. */
export interface IncidentView {
  readonly id: string;
  readonly state: IncidentState;
  readonly isFlapping: boolean;
  readonly severity: Severity;
  readonly kind: string;
  readonly agent: string;
  readonly target: string;
  readonly summary: string;
  readonly since: string;
  readonly resolvedAt: string | null;
  readonly ackedBy: string | null;
  readonly silencedUntil: string | null;
}

/** No answer is longer than this, in characters. */
const CAP = 3500;
const MOST_LISTED = 30;
const MOST_HISTORY = 20;
const HISTORY_CAP = 1200;
const MOST_LABELS = 10;

/** All that is open, the worst first. What is part of a storm is told by the storm. */
export function openIncidents(store: IncidentStore): readonly Incident[] {
  return store
    .live()
    .filter(({ storm }) => storm === null)
    .sort((a, b) => rankOf(a) - rankOf(b) || a.n - b.n);
}

export function viewOf(incident: Incident): IncidentView {
  const { isFlapping, severity, kind, agent, target, summary, since, resolvedAt, ack, silence } = incident;
  return {
    id: nameOf(incident),
    state: stateOf(incident),
    isFlapping,
    severity,
    kind,
    agent,
    target,
    summary,
    since: new Date(since).toISOString(),
    resolvedAt: resolvedAt === null ? null : new Date(resolvedAt).toISOString(),
    ackedBy: ack?.by ?? null,
    silencedUntil: silence === null ? null : new Date(silence.until).toISOString(),
  };
}

/** The list of what is open, for people. */
export function renderOverview(
  open: readonly Incident[],
  { last, ...when }: { readonly zone: string; readonly now: number; readonly last: Incident | undefined },
): Markup {
  if (open.length === 0) return nothingOpen(last, when);
  const unhandled = open.filter((incident) => stateOf(incident) === "firing").length;
  const title = `${open.length === 1 ? "1 incident is" : `${open.length} incidents are`} open, ${unhandled === 0 ? "all of them seen to" : `${unhandled} of them unhandled`}`;
  const lines = [md`${title}`];
  let left = CAP - title.length;
  for (const incident of open.slice(0, MOST_LISTED)) {
    const line = renderLine(incident, when);
    left -= plainText(line).length + 1;
    if (left < 100) break;
    lines.push(line);
  }
  const hidden = open.length - (lines.length - 1);
  return joined(hidden > 0 ? [...lines, md`+${hidden} more`] : lines);
}

/** All that is known of an incident, with what happened to it. */
export function renderDetails(
  incident: Incident,
  {
    history,
    zone,
    now,
  }: { readonly history: readonly Transition[]; readonly zone: string; readonly now: number },
): Markup {
  const { kind, agent, target, vantage, labels, since, resolvedAt, count, flaps, next, storm } = incident;
  const state = incident.isFlapping ? "flapping" : stateOf(incident);
  const named = Object.entries(labels).map(([key, value]) => oneLine(`${key} = ${value}`, 100));
  const lasted = span((resolvedAt ?? now) - since);
  const facts = [
    `${incident.severity}, ${state}, since ${exactMoment(since, now, zone)}${lasted === undefined ? "" : ` (${lasted})`}`,
    `${kind} of ${oneLine(target, 200)}, told by ${agent}${vantage === null ? "" : ` at ${vantage}`}`,
    ...(named.length > 0 ? shorten(named, 600, MOST_LABELS) : []),
    ...(count > 1 || flaps > 0 ? [`seen ${count} times, came back ${flaps} times`] : []),
    ...(storm === null ? [] : [`part of A-${storm}`]),
    ...(next === null ? [] : [`Next: ${next}`]),
  ];
  const latest = latestLines(history.map((each) => historyLine(each, { now, zone })));
  const earlier = history.length - latest.length;
  const fixed = [...facts, ...latest].reduce((sum, line) => sum + line.length + 1, 400);
  const evidence = shorten(incident.evidence, CAP - fixed, incident.evidence.length);
  return joined([
    md`${iconOf(incident)} **${nameOf(incident)}** ${headlineOf(incident)}`,
    ...[...facts, ...(incident.evidence.length > 0 ? evidence : [])].map((line) => md`${line}`),
    md`**What happened**`,
    ...(earlier > 0 ? [md`+${earlier} earlier`] : []),
    ...latest.map((line) => md`${line}`),
  ]);
}

function nothingOpen(last: Incident | undefined, { zone, now }: { zone: string; now: number }): Markup {
  const calm =
    "Nothing is firing. What fails a watch, and agents that fall silent, appear here by themselves.";
  if (last?.resolvedAt == null) return md`${calm}`;
  const id = nameOf(last);
  const when = moment(last.resolvedAt, now, zone);
  return md`${calm}\nThe last was ${id}, ${headlineOf(last)}, resolved ${when}; /incident ${id} tells about it.`;
}

/** The last lines that fit, oldest first. */
function latestLines(lines: readonly string[]): readonly string[] {
  let left = HISTORY_CAP;
  const first = lines.findLastIndex((line) => (left -= line.length + 1) < 0);
  return lines.slice(Math.max(first + 1, lines.length - MOST_HISTORY));
}

function historyLine(
  { at, what, by, note }: Transition,
  { now, zone }: { now: number; zone: string },
): string {
  return `${moment(at, now, zone)} ${what}${by === null ? "" : ` by ${by}`}${note === "" ? "" : `: ${clip(note, 70)}`}`;
}

/** What somebody should turn to comes before what somebody has seen to. */
function rankOf(incident: Incident): number {
  return RANK[incident.severity] * 2 + (stateOf(incident) === "firing" ? 0 : 1);
}
