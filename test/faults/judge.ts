import type { AgentProcess } from "./agent-process.ts";
import type { Away } from "./faults.ts";
import type { Command } from "./tree.ts";
import type { Question, Reply, Trace } from "./world.ts";

/** What a run left, all times by the harness's monotonic clock. */
export interface Evidence {
  readonly questions: readonly Question[];
  readonly trail: readonly Trace[];
  readonly agents: readonly Pick<AgentProcess, "name" | "absences">[];
  readonly redisAway: readonly Away[];
}

/** What it comes to. */
export interface Verdict {
  /** Whatever may not have happened; empty when all is well. */
  readonly violations: readonly string[];
  readonly counts: {
    readonly requests: number;
    readonly answers: number;
    /** Replies that are no answers, by code. */
    readonly codes: Readonly<Record<string, number>>;
    /** Replies that were shown again around an end of the root, and said so. */
    readonly repeats: number;
    readonly stepsFinished: number;
    /** Steps that an end interrupted and that ran again with the same key. */
    readonly stepsInterrupted: number;
  };
}

/** What a right answer says, before the subject. */
const SAYS: Readonly<Record<Command, string>> = {
  look: "looked at",
  change: "changed",
  find: "found",
  store: "stored",
  resolve: "resolved",
  hang: "hung",
  poison: "did no harm",
  blunder: "did no harm",
};

/** Who can do it; any one of them is enough. */
const ABLE: Readonly<Record<Command, readonly string[]>> = {
  look: ["web", "web-2"],
  change: ["web", "web-2"],
  find: ["db"],
  store: ["db"],
  resolve: ["dns"],
  hang: ["db"],
  poison: ["db"],
  blunder: ["db"],
};
const MAY_BE_ASKED_TWICE: ReadonlySet<Command> = new Set(["look", "find", "resolve"]);

/** What a command may take; who asks waits no longer, and each hop keeps a tenth of it back for the way. */
const TIMEOUT_MS: Partial<Record<Command, number>> = { hang: 3000 };
const DEFAULT_TIMEOUT_MS = 60_000;
const KEPT_BACK = 0.1;
/** The clocks of the lanes are measured by a round trip, which takes a while on a busy machine. */
const CLOCK_ERROR_MS = 300;

/** An agent is offline after 15 s of silence, and its last word may come 5 s before its end. */
const SILENT_MS = 15_000 - 5000;
/** Who is back for longer than this has been heard. */
const HEARD_WITHIN_MS = 4000;

/** Judges a run by what may and may not have happened. */
export function judge(evidence: Evidence): Verdict {
  const { questions, trail } = evidence;
  const violations: string[] = [];
  const codes: Record<string, number> = {};
  let answers = 0;
  let repeats = 0;

  for (const question of questions) {
    const { subject, text, replies } = question;
    const first = replies.filter(({ isRepeat }) => !isRepeat);
    const again = replies.filter(({ isRepeat }) => isRepeat);
    repeats += again.length;
    if (replies.length === 0) violations.push(`${text} got no reply`);
    if (first.length > 1)
      violations.push(`${text} got ${first.length} replies that do not say they are repeats`);
    const rootEnds = evidence.agents
      .find(({ name }) => name === "root")
      ?.absences.filter(({ from, why }) => why !== "held" && from >= question.askedAt).length;
    if (again.length > (rootEnds ?? 0)) violations.push(`${text} was repeated ${again.length} times`);
    if (new Set(replies.map((reply) => reply.text)).size > 1) {
      violations.push(`${text} got replies that differ: ${replies.map((reply) => reply.text).join(" / ")}`);
    }
    for (const { chat } of replies) {
      if (chat !== question.asker) violations.push(`${text} of ${question.asker} was answered in ${chat}`);
    }
    const [reply] = replies;
    if (!reply) continue;
    if (reply.code === undefined) {
      answers += 1;
      if (!isAnswerTo(question, reply)) violations.push(`${text} was answered "${reply.text}"`);
    } else {
      codes[reply.code] = (codes[reply.code] ?? 0) + 1;
      const why = whyUntrue(question, reply, evidence);
      if (why !== undefined) violations.push(`${text} (${subject}) was told "${reply.text}": ${why}`);
    }
  }
  const steps = judgeSteps(questions, trail);
  return {
    violations: [...violations, ...steps.violations],
    counts: { requests: questions.length, answers, codes, repeats, ...steps.counts },
  };
}

function isAnswerTo({ command, subject }: Question, { text }: Reply): boolean {
  const says = SAYS[command];
  return text === `${says} ${subject}` || text === `${subject} ${says}`;
}

/** Why a failure may not have been told; undefined when it is true. */
function whyUntrue(question: Question, reply: Reply, evidence: Evidence): string | undefined {
  const { command, askedAt } = question;
  switch (reply.code) {
    case "E_TIMEOUT": {
      const granted = (TIMEOUT_MS[command] ?? DEFAULT_TIMEOUT_MS) * (1 - KEPT_BACK);
      const took = reply.at - askedAt;
      return took >= granted - CLOCK_ERROR_MS
        ? undefined
        : `only ${Math.round(took)} ms had passed of ${granted}`;
    }
    case "E_OFFLINE": {
      const isSilent = (name: string): boolean => wasSilent(name, { question, reply, evidence });
      return isSilent("ops") || ABLE[command].every(isSilent) ? undefined : "whoever can do it was there";
    }
    case "E_DEAD_LETTER":
      return command === "poison" ? undefined : "it has never crashed anybody";
    case "E_INTERNAL":
      return command === "blunder" ? undefined : "no role has thrown";
    case undefined:
    default:
      return "nothing that was done leads to this";
  }
}

/** Whether an agent could not be heard for long enough, within the life of a question or up to its beginning. */
function wasSilent(
  name: string,
  { question, reply, evidence }: { question: Question; reply: Reply; evidence: Evidence },
): boolean {
  const own = evidence.agents.find((agent) => agent.name === name)?.absences ?? [];
  const gone = [...own, ...evidence.redisAway].sort((a, b) => a.from - b.from);
  let from = Number.NEGATIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  for (const absence of gone) {
    if (absence.from > reply.at) break;
    if (absence.from - until > HEARD_WITHIN_MS) ({ from } = absence);
    until = Math.max(until, absence.until);
    const isWithin = until + HEARD_WITHIN_MS >= question.askedAt;
    if (isWithin && Math.min(until, reply.at) - from >= SILENT_MS) return true;
  }
  return false;
}

/** No finished step begins again, and nothing that changes something is asked of two. */
function judgeSteps(questions: readonly Question[], trail: readonly Trace[]) {
  const violations: string[] = [];
  const begun = new Map<string, number>();
  const finished = new Set<string>();
  const requestsOf = new Map<string, Set<string>>();
  const finishedOf = new Map<string, number>();
  const subjectOf = new Map<string, string>();
  for (const trace of trail) {
    const { key, agent } = trace;
    if (trace.did === "begin") {
      if (finished.has(key))
        violations.push(`${agent} began ${key} (${trace.subject}) again after it was finished`);
      begun.set(key, (begun.get(key) ?? 0) + 1);
      subjectOf.set(key, trace.subject);
      const requests = requestsOf.get(trace.subject) ?? new Set<string>();
      requestsOf.set(trace.subject, requests.add(key.slice(0, key.indexOf("/"))));
    } else if (trace.did === "finished" && !finished.has(key)) {
      finished.add(key);
      const subject = subjectOf.get(key) ?? "";
      finishedOf.set(subject, (finishedOf.get(subject) ?? 0) + 1);
    }
  }
  for (const { subject, command, text, replies } of questions) {
    const requests = requestsOf.get(subject)?.size ?? 0;
    if (requests > 1 && !MAY_BE_ASKED_TWICE.has(command))
      violations.push(`${text} was done by ${requests} requests`);
    const steps = command === "change" || command === "store" ? 2 : 1;
    if (replies[0] && replies[0].code === undefined && (finishedOf.get(subject) ?? 0) < steps) {
      violations.push(`${text} was answered and its ${steps} steps were not all done`);
    }
  }
  const stepsInterrupted = [...begun.values()].filter((times) => times > 1).length;
  return { violations, counts: { stepsFinished: finished.size, stepsInterrupted } };
}
