import type { TraceStep } from "./read-trace.ts";

/** A conversation in a list. */
export interface ListedConversation {
  readonly corr: string;
  readonly at: number;
  readonly state: string;
  readonly words: string;
}

const WORDS = 60;

/** The newest conversations, one a line. */
export function renderConversations(list: readonly ListedConversation[], zone: string): string {
  if (list.length === 0) return "Nobody has asked anything yet.";
  const rows = list.map(
    ({ corr, at, state, words }) => `${timeText(at, zone)}  ${corr}  ${state.padEnd(7)}  ${cut(words)}`,
  );
  return [...rows, "", "`voxtree trace <id>` shows what one of them caused."].join("\n");
}

/** The causality of a conversation: each envelope a line, below what caused it, with its time since the beginning. */
export function renderTrace(corr: string, steps: readonly TraceStep[], zone: string): string {
  const [first] = steps;
  if (!first) return `${corr}: nothing is left of this conversation.`;
  const begin = first.sentAt ?? first.receivedAt ?? 0;
  const depths = new Map<string, number>();
  const cells = steps.map((step) => {
    const isAnswer = step.type === "command_result" || step.type === "command_error";
    const cause = step.replyTo === null ? undefined : depths.get(step.replyTo);
    const depth = cause === undefined ? 0 : isAnswer ? cause : cause + 1;
    if (!isAnswer) depths.set(step.id, depth);
    const [from, to] = [named(step.from), named(step.to)];
    // An answer stands below its question and runs the other way.
    const way = isAnswer ? `${to} ⇠ ${from}` : `${from} → ${to}`;
    return [
      `+${(step.sentAt ?? step.receivedAt ?? begin) - begin} ms`,
      `${"  ".repeat(depth)}${way}`,
      kindOf(step),
      `${shortId(step.id)}${step.replyTo === null ? "" : ` ← ${shortId(step.replyTo)}`}`,
      cut(step.words),
    ] as const;
  });
  const widthOf = (column: 0 | 1 | 2 | 3): number => Math.max(...cells.map((row) => row[column].length));
  const [times, ways, kinds, links] = [widthOf(0), widthOf(1), widthOf(2), widthOf(3)];
  const rows = cells.map(([time, way, kind, link, words]) =>
    [time.padStart(times), way.padEnd(ways), kind.padEnd(kinds), link.padEnd(links), words]
      .join("  ")
      .trimEnd(),
  );
  const last = steps.at(-1) ?? first;
  const lasted = (last.receivedAt ?? last.sentAt ?? begin) - begin;
  return [
    `conversation ${corr}`,
    `began ${timeText(begin, zone)} ${zone}, lasted ${lasted} ms`,
    "",
    ...rows,
  ].join("\n");
}

function kindOf({ type, intent, state, failure }: TraceStep): string {
  if (type === "command_request")
    return `${intent}${state === null || state === "done" ? "" : ` [${state}]`}`;
  if (type === "command_error") return `error ${failure ?? ""}`;
  return type === "command_result" ? "result" : type;
}

function named(who: string): string {
  return who === "people" ? "person" : who;
}

/** The end of an id tells envelopes of one moment apart; its beginning is the time. */
function shortId(id: string): string {
  return id.slice(-8);
}

function cut(words: string): string {
  return words.length > WORDS ? `${words.slice(0, WORDS - 1)}…` : words;
}

/** ISO date and time to the millisecond in a zone. */
function timeText(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return `${parts.format(at)}.${String(at % 1000).padStart(3, "0")}`;
}
