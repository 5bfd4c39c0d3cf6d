import { oneLine } from "../capabilities/comm-gateway/render-terminal.ts";
import type { FailureValue } from "../envelope/index.ts";
import { failure, isFailure } from "../envelope/index.ts";
import { openLedgers, type OpenLedgers } from "./ledgers.ts";
import { renderConversations, renderTrace } from "./render-trace.ts";
import { printJson, shellConfig, type Shell } from "./shell.ts";
import { JSON_OPTION, type Verb, type VerbOptions } from "./verb.ts";

/** One envelope of a conversation, as sender and receiver recorded it. */
export interface TraceStep {
  readonly id: string;
  readonly replyTo: string | null;
  readonly type: string;
  readonly intent: string;
  /** Agents by name; `people` for a person, `self` for what an agent told itself. */
  readonly from: string;
  readonly to: string;
  /** Unix ms by the sender's ledger and by the receiver's. */
  readonly sentAt: number | null;
  readonly receivedAt: number | null;
  /** Where a task stands with who was asked. */
  readonly state: string | null;
  readonly failure: string | null;
  /** The words asked or answered, on one line. */
  readonly words: string;
}

const LISTED = 20;

/** `voxtree trace [id]`: who caused what in a conversation; without an id, the newest conversations. */
export const trace: Verb = ({ program, shell, action }) => {
  program
    .command("trace")
    .description("show what a conversation caused, with times and outcomes; without an id, the newest ones")
    .argument("[id]", "the conversation's id, or that of any envelope in it; its beginning is enough")
    .option(...JSON_OPTION)
    .action(action((options, id?: string) => runTrace(shell, options, id)));
};

function runTrace(shell: Shell, { json }: VerbOptions, id: string | undefined): FailureValue | void {
  const config = shellConfig(shell);
  if (isFailure(config)) return config;
  const opened = openLedgers(config.dataDir);
  if (isFailure(opened)) return opened;
  using ledgers = opened;
  if (id === undefined) {
    const newest = [...ledgers.byAgent.values()]
      .flatMap((ledger) => ledger.conversations(LISTED))
      .sort((a, b) => b.at - a.at)
      .slice(0, LISTED)
      .map(({ corr, at, first, state }) => ({ corr, at, state, words: wordsOf(first.details) }));
    if (json) printJson(shell, newest);
    else shell.stdout.write(`${renderConversations(newest, config.zone)}\n`);
    return;
  }
  const corr = findOne(ledgers, id);
  if (isFailure(corr)) return corr;
  const steps = readTrace(ledgers, corr);
  if (json) printJson(shell, { corr, steps });
  else shell.stdout.write(`${renderTrace(corr, steps, config.zone)}\n`);
}

function findOne(ledgers: OpenLedgers, id: string): string | FailureValue {
  const found = new Set([...ledgers.byAgent.values()].flatMap((ledger) => ledger.findConversation(id)));
  const [corr, ...others] = found;
  if (corr === undefined) {
    return failure("E_NOT_FOUND", `There is no conversation ${id}: \`voxtree trace\` lists the newest.`);
  }
  if (others.length === 0) return corr;
  const some = [corr, ...others].slice(0, 5).join(", ");
  return failure(
    "E_NOT_FOUND",
    `${id} stands for ${found.size} conversations: ${some}. Give more of the id.`,
  );
}

/** Joins what each ledger tells of a conversation: an envelope between two agents stands in both. */
function readTrace(ledgers: OpenLedgers, corr: string): readonly TraceStep[] {
  const steps = new Map<string, TraceStep>();
  for (const [agent, ledger] of ledgers.byAgent) {
    for (const { direction, peer, at, message, state, failure: failed } of ledger.trace(corr)) {
      const isOut = direction === "out";
      const key = `${message.message_id} ${message.type}`;
      const known = steps.get(key);
      steps.set(key, {
        id: message.message_id,
        replyTo: message.reply_to,
        type: message.type,
        intent: message.intent,
        from: isOut ? agent : (known?.from ?? peer),
        to: isOut ? peer : agent,
        sentAt: isOut ? at : (known?.sentAt ?? null),
        receivedAt: isOut ? (known?.receivedAt ?? null) : at,
        state: state ?? known?.state ?? null,
        failure: failed?.failure ?? known?.failure ?? codeOf(message.details),
        words: wordsOf(message.details),
      });
    }
  }
  // Ids grow with time, and a cause is always made before what it causes.
  return [...steps.values()].sort((a, b) => timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1));
}

function timeOf({ sentAt, receivedAt }: TraceStep): number {
  return sentAt ?? receivedAt ?? 0;
}

function codeOf({ code }: Readonly<Record<string, unknown>>): string | null {
  return typeof code === "string" ? code : null;
}

function wordsOf(details: Readonly<Record<string, unknown>>): string {
  const { params, summary, message } = details;
  const said = typeof params === "object" && params !== null && "text" in params ? params.text : undefined;
  const words =
    said ??
    message ??
    (typeof summary === "object" ? undefined : summary) ??
    (params && JSON.stringify(params));
  return typeof words === "string" ? oneLine(words).slice(0, 200) : "";
}
