import { oneLine } from "../capabilities/comm-gateway/render-terminal.ts";
import { Markup, plainText } from "../sdk/markup.ts";
import type { OpenLedgers } from "./ledgers.ts";

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

/** Joins what each ledger tells of a conversation: an envelope between two agents stands in both. */
export function readTrace(ledgers: OpenLedgers, corr: string): readonly TraceStep[] {
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

/** What an envelope says in words, on one line. */
export function wordsOf(details: Readonly<Record<string, unknown>>): string {
  const { params, summary, message } = details;
  const said = typeof params === "object" && params !== null && "text" in params ? params.text : undefined;
  const markup = Markup.safeParse(summary);
  const answered = markup.success ? plainText(markup.data) : summary;
  const words = said ?? message ?? answered ?? (params && JSON.stringify(params));
  return typeof words === "string" ? oneLine(words).slice(0, 200) : "";
}
