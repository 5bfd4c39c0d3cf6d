import { createHash } from "node:crypto";
import { z } from "zod";
import { AeeEnvelope, canonicalJson, type FailureCode } from "../envelope/index.ts";
import { oneLine } from "./words.ts";

export const Severity = z.enum(["crit", "warn", "info"]);
export type Severity = z.output<typeof Severity>;

/** What one alert says, as the war room reads it. */
export interface Signal {
  /** The same for the same trouble of the same agent: never the words, a process or a time. */
  readonly fingerprint: string;
  /** What several incidents at once may have in common. */
  readonly cause: string;
  readonly kind: string;
  readonly agent: string;
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: "firing" | "resolved";
  readonly severity: Severity;
  readonly summary: string;
  readonly evidence: readonly string[];
  readonly next: string | null;
  readonly vantage: string | null;
  /** Unix ms at which the trouble began. */
  readonly since: number;
  /** Unix ms at which the agent said so. */
  readonly at: number;
  /** How many times it was so since the last alert about it. */
  readonly count: number;
  /** Whether nobody will ever say that it is over: it is something that happened, not something that lasts. */
  readonly hasNoEnd: boolean;
}

/** How bad it is when the framework reports one of its own failures; what is not named is "warn" and has no end. */
const OF_FRAMEWORK: { readonly [Code in FailureCode]?: { severity: Severity; hasNoEnd: boolean } } = {
  // What an agent that is gone looked after, nobody looks after.
  E_OFFLINE: { severity: "crit", hasNoEnd: false },
  E_LEDGER: { severity: "crit", hasNoEnd: true },
  E_INTERNAL: { severity: "warn", hasNoEnd: true },
  E_LANE: { severity: "warn", hasNoEnd: true },
  E_DEAD_LETTER: { severity: "warn", hasNoEnd: true },
};
const OTHERWISE = { severity: "warn", hasNoEnd: true } as const;
/** Envelopes that nobody took are put aside under the same code as an agent that is gone, but never come back. */
const PUT_ASIDE = /^envelopes to /;

const MOST_CHARACTERS = 262_144;
const MOST_EVIDENCE = 50;

const line = (most: number) => z.string().transform((text) => oneLine(text, most));
const Labels = z
  .record(z.string().max(100), z.string().max(200))
  .refine((labels) => Object.keys(labels).length <= 30, "must be at most 30 labels");

const AlertDetails = z.looseObject({
  kind: z.string().min(1).max(64),
  target: z.string().min(1).max(500),
  state: z.enum(["firing", "resolved"]),
  severity: Severity,
  summary: line(300),
  evidence: z.array(line(300)).default([]),
  since: z.iso.datetime({ offset: true }).optional(),
  labels: Labels.default({}),
  next: line(300).optional(),
  vantage: line(64).optional(),
});

const SystemFailureDetails = z.looseObject({
  code: z.string().min(1).max(64),
  text: line(300),
  about: z.string().min(1).max(500),
  more: z.int().nonnegative().default(0),
  is_over: z.boolean().default(false),
});

const Heading = z.looseObject({
  message_type: z.enum(["alert", "system_failure"]),
  message_source: z.string(),
  ts: z.iso.datetime({ offset: true }),
});

/** Reads an alert from an agent's stream; a string says what is wrong with it. */
export function parseSignal(agent: string, text: string): Signal | string {
  if (text.length > MOST_CHARACTERS) return `has more than ${MOST_CHARACTERS} characters`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "is not JSON";
  }
  const envelope = AeeEnvelope.safeParse(value);
  if (!envelope.success) return explain(envelope.error);
  const heading = Heading.safeParse(envelope.data);
  if (!heading.success) return explain(heading.error);
  // Only this agent can add to its stream, so it can speak for itself alone.
  if (heading.data.message_source !== agent) return `message_source: says ${heading.data.message_source}`;
  const at = Date.parse(heading.data.ts);
  const { payload } = envelope.data;
  if (heading.data.message_type === "system_failure") {
    const details = SystemFailureDetails.safeParse(payload);
    return details.success ? ofFramework(agent, details.data, at) : explain(details.error);
  }
  const details = AlertDetails.safeParse(payload);
  return details.success ? ofRole(agent, details.data, at) : explain(details.error);
}

/** Something about an agent's alerts that the war room itself has noticed. */
export function ownSignal(
  kind: "alerts.lost" | "alerts.unreadable",
  agent: string,
  said: { readonly summary: string; readonly next: string; readonly at: number },
): Signal {
  return {
    ...identify({ kind, agent, target: agent, labels: {} }),
    state: "firing",
    severity: "warn",
    summary: said.summary,
    next: said.next,
    evidence: [],
    vantage: null,
    since: said.at,
    at: said.at,
    count: 1,
    hasNoEnd: true,
  };
}

/** The fingerprint of a cause that several incidents share. */
export function stormFingerprint(cause: string): string {
  return hash(["storm", cause]);
}

function ofFramework(agent: string, details: z.output<typeof SystemFailureDetails>, at: number): Signal {
  const { code, text, about, more, is_over: isOver } = details;
  const named = (OF_FRAMEWORK as Readonly<Record<string, typeof OTHERWISE | undefined>>)[code] ?? OTHERWISE;
  const { severity, hasNoEnd } = PUT_ASIDE.test(about) ? OTHERWISE : named;
  return {
    ...identify({ kind: code, agent, target: about, labels: {} }),
    state: isOver ? "resolved" : "firing",
    severity,
    summary: text,
    evidence: [],
    next: null,
    vantage: null,
    since: at,
    at,
    count: more + 1,
    hasNoEnd,
  };
}

function ofRole(agent: string, details: z.output<typeof AlertDetails>, at: number): Signal {
  const { kind, target, state, severity, summary, evidence, since, labels, next, vantage } = details;
  return {
    ...identify({ kind, agent, target, labels }),
    state,
    severity,
    summary,
    evidence: evidence.slice(0, MOST_EVIDENCE),
    next: next ?? null,
    vantage: vantage ?? null,
    since: since === undefined ? at : Math.min(Date.parse(since), at),
    at,
    count: 1,
    hasNoEnd: false,
  };
}

function identify(named: Pick<Signal, "kind" | "agent" | "target" | "labels">) {
  const { kind, agent, target, labels } = named;
  const group = labels["group"];
  return {
    ...named,
    fingerprint: hash([kind, agent, target, labels]),
    cause: group === undefined ? `${agent} ${kind}` : `group ${group}`,
  };
}

function hash(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

function explain(error: z.ZodError): string {
  const [issue] = error.issues;
  return oneLine(`${issue?.path.join(".") || "alert"}: ${issue?.message ?? "does not fit"}`, 300);
}
