import { z } from "zod";
import { Severity, type Signal } from "./signal.ts";

const Moment = z.int();

/** One trouble from its first alert to its end, as it is stored. Times are Unix ms. */
export const Incident = z.strictObject({
  n: z.int().positive(),
  fingerprint: z.string(),
  cause: z.string(),
  kind: z.string(),
  agent: z.string(),
  target: z.string(),
  labels: z.record(z.string(), z.string()),
  severity: Severity,
  summary: z.string(),
  evidence: z.array(z.string()),
  next: z.string().nullable(),
  vantage: z.string().nullable(),
  /** When the trouble began, as the agent says. */
  since: Moment,
  /** When it last began to fire, by the alert's own time. */
  openedAt: Moment,
  /** When anything that is shown changed last: what is shown depends on nothing but what is stored. */
  changedAt: Moment,
  resolvedAt: Moment.nullable(),
  ack: z.strictObject({ by: z.string(), at: Moment }).nullable(),
  silence: z.strictObject({ by: z.string(), at: Moment, until: Moment }).nullable(),
  hasNoEnd: z.boolean(),
  /** The last time that an alert said it fires. */
  seenAt: Moment,
  /** How often it was said to fire. */
  count: z.int(),
  /** How often it came back within the time in which it counts as the same. */
  flaps: z.int(),
  isFlapping: z.boolean(),
  /** The last results, oldest first: f fires, r is resolved. */
  recent: z.string(),
  /** When the last of them differed from the one before. */
  turnedAt: Moment,
  /** The storm that it is part of: then it has no message of its own. */
  storm: z.int().nullable(),
});
export type Incident = z.output<typeof Incident>;

export type IncidentState = "firing" | "acked" | "silenced" | "resolved";

/** What happened to an incident, for whoever asks later. */
export interface Transition {
  readonly at: number;
  readonly what:
    | "fired"
    | "fired again"
    | "resolved"
    | "worse"
    | "better"
    | "flapping"
    | "steady"
    | "acked"
    | "silenced"
    | "unsilenced"
    | "silence over"
    | "gathered";
  /** Who did it; null where nobody did. */
  readonly by: string | null;
  readonly note: string;
}

/** An incident after something happened to it, and what that was. */
export interface Changed {
  readonly incident: Incident;
  readonly transitions: readonly Transition[];
}

/** What comes back within this is the same incident. */
export const SAME_WITHIN_MS = 5 * 60_000;
/** So long without a turn, and it flaps no more. */
export const CALM_MS = 10 * 60_000;
/** What has no end of its own is over when somebody has seen it and it has not come again for this long. */
export const SEEN_ENOUGH_MS = 60 * 60_000;
const NAMED = /(?<![\p{L}\p{N}./-])a-?(\d{1,12})(?![\p{L}\p{N}]|[.-][\p{L}\p{N}])/iu;
const BARE = /^\s*(?:\p{L}+\s+){0,2}#?(\d{1,12})(?:\s+(?:for|für))?[\s.!?]*$/iu;
const RECENT = 20;
const TURNS_OF_FLAPPING = 4;

export function stateOf({ resolvedAt, silence, ack }: Incident): IncidentState {
  if (resolvedAt !== null) return "resolved";
  if (silence !== null) return "silenced";
  return ack === null ? "firing" : "acked";
}

export function nameOf({ n }: Pick<Incident, "n">): string {
  return `A-${n}`;
}

/**
 * The number of the incident that words name: "A-142", "look at a142 please", "ack 142"; undefined where they name none. A number
 * within a sentence may be anything, so that what is acked by it would be, too.
 */
export function numberOf(words: string): number | undefined {
  const text = words.slice(0, 500);
  const digits = (NAMED.exec(text) ?? BARE.exec(text))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A new incident, of an alert that nothing known answers to. */
export function open(n: number, signal: Signal, now: number): Changed {
  const at = Math.min(signal.at, now);
  const { fingerprint, cause, kind, agent, target, labels, severity, summary, evidence } = signal;
  const incident: Incident = {
    n,
    fingerprint,
    cause,
    kind,
    agent,
    target,
    labels,
    severity,
    summary,
    evidence: [...evidence],
    next: signal.next,
    vantage: signal.vantage,
    hasNoEnd: signal.hasNoEnd,
    since: Math.min(signal.since, at),
    openedAt: at,
    changedAt: now,
    turnedAt: now,
    seenAt: now,
    resolvedAt: null,
    ack: null,
    silence: null,
    storm: null,
    count: signal.count,
    flaps: 0,
    isFlapping: false,
    recent: "f",
  };
  return { incident, transitions: [{ at: now, what: "fired", by: null, note: summary }] };
}

/** Whether an alert about the same thing belongs to this incident rather than to a new one. */
export function isSame(incident: Incident, at: number): boolean {
  return incident.resolvedAt === null || incident.isFlapping || at - incident.resolvedAt <= SAME_WITHIN_MS;
}

/** It fires, once more or still. */
export function fire(before: Incident, signal: Signal, now: number): Changed {
  const at = Math.min(signal.at, now);
  const { severity, summary, next, vantage } = signal;
  const said = { severity, summary, next, vantage, evidence: [...signal.evidence] };
  const again = before.resolvedAt !== null;
  const silence = before.silence !== null && before.silence.until > now ? before.silence : null;
  const incident = result(
    {
      ...before,
      ...said,
      changedAt: now,
      seenAt: now,
      count: before.count + signal.count,
      // Whoever had taken it on took it to be over: somebody has to take it on anew.
      ...(again && { resolvedAt: null, ack: null, openedAt: at, silence, flaps: before.flaps + 1 }),
    },
    "f",
    now,
  );
  const transitions: Transition[] = [];
  if (again) transitions.push({ at: now, what: "fired again", by: null, note: summary });
  if (severity !== before.severity) {
    const what = RANK[severity] < RANK[before.severity] ? "worse" : "better";
    transitions.push({ at: now, what, by: null, note: `${before.severity} → ${severity}` });
  }
  if (incident.isFlapping && !before.isFlapping) transitions.push(flapping(now));
  return { incident, transitions };
}

/** It is over, as an alert or the lack of any says. */
export function resolve(before: Incident, at: number, { now, note }: { now: number; note: string }): Changed {
  const resolvedAt = Math.max(before.openedAt, Math.min(at, now));
  const incident = result({ ...before, resolvedAt, changedAt: now }, "r", now);
  const transitions: Transition[] = [{ at: now, what: "resolved", by: null, note }];
  if (incident.isFlapping && !before.isFlapping) transitions.push(flapping(now));
  return { incident, transitions };
}

/** The worst first. */
export const RANK: Readonly<Record<Severity, number>> = { crit: 0, warn: 1, info: 2 };

function result(incident: Incident, latest: "f" | "r", now: number): Incident {
  const recent = (incident.recent + latest).slice(-RECENT);
  const turns = Array.from(recent).filter((each, i) => i > 0 && each !== recent[i - 1]).length;
  const turnedAt = incident.recent.at(-1) === latest ? incident.turnedAt : now;
  return { ...incident, recent, turnedAt, isFlapping: incident.isFlapping || turns >= TURNS_OF_FLAPPING };
}

function flapping(now: number): Transition {
  return { at: now, what: "flapping", by: null, note: "" };
}
