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
  /** The processes that recorded it, on either side. */
  readonly sentBy: number | null;
  readonly receivedBy: number | null;
  /** Where a task stands with who was asked. */
  readonly state: string | null;
  /** What a result found, where it was a check. */
  readonly verdict: string | null;
  readonly failure: string | null;
  /** The words asked or answered, on one line. */
  readonly words: string;
}

type Details = Readonly<Record<string, unknown>>;

const MOST_WORDS = 200;

/** Joins what each ledger tells of a conversation: an envelope between two agents stands in both. */
export function readTrace(ledgers: OpenLedgers, corr: string): readonly TraceStep[] {
  const steps = new Map<string, TraceStep>();
  for (const [agent, ledger] of ledgers.byAgent) {
    for (const traced of ledger.trace(corr)) {
      const { direction, peer, at, pid = null, message, state, failure: failed } = traced;
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
        sentBy: isOut ? pid : (known?.sentBy ?? null),
        receivedBy: isOut ? (known?.receivedBy ?? null) : pid,
        state: state ?? known?.state ?? null,
        verdict: textOf(message.details["verdict"]),
        failure: failed?.failure ?? known?.failure ?? textOf(message.details["code"]),
        words: wordsOf(message.details),
      });
    }
  }
  // Ids grow with time, and a cause is always made before what it causes.
  return [...steps.values()].sort((a, b) => timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1));
}

/** What an envelope says in words, on one line: what was asked with, or what was answered. */
export function wordsOf({ params, summary, message }: Details): string {
  const said = isObject(params) && "text" in params ? params["text"] : undefined;
  const markup = Markup.safeParse(summary).data;
  const asked = isObject(params) && Object.keys(params).length > 0 ? JSON.stringify(params) : "";
  // Of an answer the line that gives it; what it rests on stands below.
  const [answer] = (markup ? plainText(markup) : typeof summary === "string" ? summary : "").split("\n");
  if (said === "") return "(nothing)";
  const words = [said, message, answer].find((one) => typeof one === "string" && one !== "");
  return oneLine(typeof words === "string" ? words : asked).slice(0, MOST_WORDS);
}

function timeOf({ sentAt, receivedAt }: TraceStep): number {
  return sentAt ?? receivedAt ?? 0;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function isObject(value: unknown): value is Details {
  return typeof value === "object" && value !== null;
}
