import type { Clock } from "../../../envelope/clock.ts";
import { oneLine } from "../pieces.ts";
import { fit } from "../render-terminal.ts";
import type { Asked, AskedRow } from "./asked.ts";
import { type Address, chatNameOf, isGroup } from "./chat-name.ts";
import type { TelegramClient, Why } from "./client.ts";
import type { Step, StepEnd } from "./lanes.ts";
import type { Parts } from "./parts.ts";
import { editText, sendText } from "./send-part.ts";

/** What people see while work runs: the typing sign, and after a while one message that says how far it is. */
export interface Progress {
  /** Goes on with what was asked before a restart and is still in work. */
  start(): void;
  /** Work on some words begins; their row is there. */
  begin(request: string): void;
  /** How far it is; `fraction` from 0 to 1. */
  tell(request: string, text: string, fraction?: number): void;
  /** It has its reply: nothing of it is shown any more. */
  end(request: string): void;
  /** What there is to show in a chat, when nothing more important is to be sent there. */
  next(chat: number): Step | undefined;
  close(): void;
}

export interface ProgressParts {
  readonly client: TelegramClient;
  readonly clock: Clock;
  readonly asked: Asked;
  readonly parts: Parts;
  readonly wake: (chat: number) => void;
  readonly heldMs: (chat: number) => number;
  readonly isStill: () => boolean;
  readonly failed: (chat: number, why: Why) => StepEnd | undefined;
  readonly signal: AbortSignal;
}

/** The sign shows about 5 s. */
const TYPING_MS = 4500;
/** Longer than any reply may take; after that, whatever became of it, nobody is typing. */
const WORK_MS = 3 * 60_000;
const PATIENCE_MS = 2000;
/** How long a message stands before it says something else; groups may have only 20 a minute. */
const EDIT_MS = { person: 3000, group: 10_000 } as const;
const TEXT_COLUMNS = 200;
const NOTHING_KNOWN = "Working on it…";

interface Work {
  readonly request: string;
  readonly address: Address;
  readonly stop: Set<() => void>;
  text: string;
  shown?: string;
  /** Whether it may be shown now. */
  isDue: boolean;
}

export function createProgress(given: ProgressParts): Progress {
  const { client, clock, asked, parts, wake } = given;
  const working = new Map<string, Work>();
  /** What stops the typing sign of a chat, by its name. */
  const typing = new Map<string, () => void>();
  let isClosed = false;

  const worksIn = (name: string): boolean =>
    [...working.values()].some(({ address }) => chatNameOf(address) === name);

  /** One call after the other, for as long as there is work; an answer that does not come holds up nothing else. */
  function type(address: Address): void {
    const name = chatNameOf(address);
    const repeat = (): void => {
      typing.delete(name);
      if (isClosed || given.isStill() || !worksIn(name)) return;
      typing.set(name, clock.after(TYPING_MS, repeat));
      if (given.heldMs(address.chat) > 0) return;
      void sendTyping(address).then((isWelcome) => {
        if (isWelcome) return;
        typing.get(name)?.();
        typing.delete(name);
      });
    };
    if (!typing.has(name)) repeat();
  }

  async function sendTyping({ chat, topic }: Address): Promise<boolean> {
    const outcome = await client.call(
      "sendChatAction",
      { chat_id: chat, action: "typing", ...(topic === undefined ? {} : { message_thread_id: topic }) },
      given.signal,
    );
    return outcome.kind === "done" || !["unauthorised", "closed", "refused"].includes(outcome.why.kind);
  }

  function dueIn(work: Work, ms: number): void {
    work.isDue = false;
    const stop = clock.after(ms, () => {
      work.stop.delete(stop);
      work.isDue = true;
      wake(work.address.chat);
    });
    work.stop.add(stop);
  }

  function open({ request, address, at, progress }: AskedRow): void {
    const leftMs = WORK_MS - Math.max(0, clock.now() - at);
    if (isClosed || working.has(request) || leftMs <= 0) return;
    const work: Work = { request, address, text: NOTHING_KNOWN, isDue: false, stop: new Set() };
    working.set(request, work);
    work.stop.add(clock.after(leftMs, () => end(request)));
    // Nobody knows whether a message is there already: then there is none.
    if (progress !== "sending") dueIn(work, PATIENCE_MS);
    type(address);
  }

  function end(request: string): void {
    const work = working.get(request);
    working.delete(request);
    for (const stop of work?.stop ?? []) stop();
  }

  async function show(work: Work): Promise<StepEnd> {
    const { request, address, text } = work;
    const row = asked.find(request);
    if (!row || row.progress === "sending") return giveUp(work);
    const post = { text: `⏳ ${text}`, entities: [], replyTo: row.message };
    const { signal } = given;
    dueIn(work, isGroup(address.chat) ? EDIT_MS.group : EDIT_MS.person);
    work.shown = text;
    if (row.progress !== undefined) {
      const outcome = await editText(client, address, { message: row.progress, post, signal });
      return outcome.kind === "done" ? { kind: "done" } : troubled(work, outcome.why);
    }
    asked.progress(request, "sending");
    const outcome = await sendText(client, address, { post: { ...post, isSilent: true }, signal });
    if (outcome.kind === "done") {
      asked.progress(request, outcome.result);
      // Its reply was one of which nothing is sent, and came in between.
      if (!asked.find(request))
        parts.add({ delivery: request, address, content: { kind: "gone" }, message: outcome.result });
      return { kind: "done" };
    }
    if (outcome.why.kind !== "unknown") asked.progress(request, undefined);
    return troubled(work, outcome.why);
  }

  /** Nothing depends on progress: whatever does not work is left, but for what the whole chat has to heed. */
  function troubled(work: Work, why: Why): StepEnd {
    if (why.kind !== "flood" && why.kind !== "unreached") giveUp(work);
    return given.failed(work.address.chat, why) ?? { kind: "done" };
  }

  function giveUp(work: Work): StepEnd {
    for (const stop of work.stop) stop();
    work.isDue = false;
    return { kind: "done" };
  }

  return {
    start() {
      for (const row of asked.all()) open(row);
    },
    begin(request) {
      const row = asked.find(request);
      if (row) open(row);
    },
    tell(request, text, fraction) {
      const work = working.get(request);
      if (!work) return;
      const percent = fraction === undefined ? "" : ` ${Math.round(fraction * 100)} %`;
      work.text = `${fit(oneLine(text).toWellFormed(), TEXT_COLUMNS)}${percent}`.trim() || NOTHING_KNOWN;
      if (work.isDue) wake(work.address.chat);
    },
    end,
    next(chat) {
      for (const work of working.values()) {
        const isNew = work.isDue && work.text !== work.shown;
        if (isNew && work.address.chat === chat) return () => show(work);
      }
      return undefined;
    },
    close() {
      isClosed = true;
      for (const request of working.keys()) end(request);
      for (const stop of typing.values()) stop();
      typing.clear();
    },
  };
}
