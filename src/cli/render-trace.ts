import { styleText } from "node:util";
import { columnsOf, fit, oneLine } from "../capabilities/comm-gateway/render-terminal.ts";
import { show } from "../sdk/show.ts";
import { momentText } from "./moment.ts";
import type { TraceStep } from "./read-trace.ts";

/** A conversation in a list. */
export interface ListedConversation {
  readonly corr: string;
  readonly at: number;
  readonly state: string;
  readonly words: string;
}

/** How a trace is to look. */
export interface TraceLook {
  /** IANA time zone of its times. */
  readonly zone: string;
  readonly isColour: boolean;
  /** Columns of the terminal; `Infinity` where nobody sits at one. */
  readonly width: number;
}

/** Of what was said, a line shows no more than this. */
const MOST_COLUMNS = 100;

/** The newest conversations, one a line. */
export function renderConversations(list: readonly ListedConversation[], look: TraceLook): string {
  if (list.length === 0) return "Nobody has asked anything yet.";
  const widest = Math.max(...list.map(({ state }) => state.length));
  const rows = list.map(({ corr, at, state, words }) => {
    const head = `${momentText(at, look.zone)}  ${corr}  ${state.padEnd(widest)}  `;
    return `${head}${cut(oneLine(words), look.width - head.length)}`.trimEnd();
  });
  return [
    ...rows,
    "",
    `Times are in ${look.zone}. \`voxtree trace <id>\` shows what one of them caused.`,
  ].join("\n");
}

/** The causality of a conversation: each envelope a line, below what caused it, with its time since the beginning. */
export function renderTrace(corr: string, steps: readonly TraceStep[], look: TraceLook): string {
  const [first] = steps;
  if (!first) return `${corr}: nothing is left of this conversation.`;
  const begin = timeOf(first);
  const asked = new Map<string, { readonly depth: number; readonly at: number }>();
  const table = steps.map((step) => {
    const isAnswer = step.type === "command_result" || step.type === "command_error";
    const cause = step.replyTo === null ? undefined : asked.get(step.replyTo);
    const depth = cause === undefined ? 0 : isAnswer ? cause.depth : cause.depth + 1;
    const at = timeOf(step);
    if (!isAnswer) asked.set(step.id, { depth, at });
    // What neighbours wrote is made harmless here, before its width is measured.
    const [from, to] = [named(oneLine(step.from)), named(oneLine(step.to))];
    // An answer stands below its question and runs the other way.
    const way = isAnswer ? `${to} ⇠ ${from}` : `${from} → ${to}`;
    const took = isAnswer && cause !== undefined ? ` in ${show.duration(at - cause.at)}` : "";
    return {
      isBad: step.failure !== null || step.state === "dead",
      time: `+${at - begin} ms`,
      way: `${"  ".repeat(depth)}${way}`,
      kind: `${oneLine(kindOf(step))}${took}`,
      link: `${shortId(step.id)}${step.replyTo === null ? "" : ` ← ${shortId(step.replyTo)}`}`,
      words: oneLine(step.words),
    };
  });
  const widthOf = (column: "time" | "way" | "kind" | "link"): number =>
    Math.max(...table.map((row) => row[column].length));
  const [times, ways, kinds, links] = [widthOf("time"), widthOf("way"), widthOf("kind"), widthOf("link")];
  const used = times + ways + kinds + links + 8;
  const rows = table.map(({ isBad, time, way, kind, link, words }) => {
    const cells = [
      paint("dim", time.padStart(times), look),
      way.padEnd(ways),
      paint(isBad ? "red" : "none", kind.padEnd(kinds), look),
      paint("dim", link.padEnd(links), look),
      cut(words, look.width - used),
    ];
    return cells.join("  ").trimEnd();
  });
  const last = steps.at(-1) ?? first;
  const lasted = (last.receivedAt ?? timeOf(last)) - begin;
  return [
    `conversation ${corr}`,
    `began ${momentText(begin, look.zone)} ${look.zone}, lasted ${show.duration(lasted)}`,
    ...processesOf(steps),
    "",
    ...rows,
  ].join("\n");
}

/** Which process stood behind each agent, where there was more than one. */
function processesOf(steps: readonly TraceStep[]): readonly string[] {
  const byAgent = new Map<string, Set<number>>();
  const add = (agent: string, pid: number | null): void => {
    if (pid !== null) byAgent.set(agent, (byAgent.get(agent) ?? new Set()).add(pid));
  };
  for (const { from, to, sentBy, receivedBy } of steps) {
    add(from, sentBy);
    add(to, receivedBy);
  }
  if (new Set([...byAgent.values()].flatMap((pids) => [...pids])).size < 2) return [];
  const each = [...byAgent].map(([agent, pids]) => `${oneLine(agent)} ${[...pids].join(", ")}`);
  return [`processes ${each.join(" · ")}`];
}

function timeOf({ sentAt, receivedAt }: TraceStep): number {
  return sentAt ?? receivedAt ?? 0;
}

function kindOf({ type, intent, state, verdict, failure }: TraceStep): string {
  switch (type) {
    case "command_request":
      return state === null || state === "done" ? intent : `${intent} [${state}]`;
    case "command_error":
      return failure ?? "error";
    case "command_result":
      return verdict ?? "result";
    default:
      return type;
  }
}

function named(who: string): string {
  return who === "people" ? "person" : who;
}

/** The end of an id tells envelopes of one moment apart; its beginning is the time. */
function shortId(id: string): string {
  return oneLine(id).slice(-8);
}

/** What fits into so many columns; where not even a word would, the terminal may break the line. */
function cut(words: string, columns: number): string {
  const room = columns < 20 ? MOST_COLUMNS : Math.min(columns, MOST_COLUMNS);
  return columnsOf(words) <= room ? words : fit(words, room);
}

function paint(format: "dim" | "red" | "none", text: string, { isColour }: TraceLook): string {
  return isColour && format !== "none" ? styleText(format, text, { validateStream: false }) : text;
}
