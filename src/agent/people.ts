import { z } from "zod";
import type { Ids, VoxMessage } from "../envelope/index.ts";
import type { Ledger, Letter } from "../ledger/index.ts";
import type { ReplyShape } from "../sdk/reply.ts";
import { readReply } from "./read-answer.ts";
import { FAILURES } from "../envelope/index.ts";
import type { Letters } from "./letters.ts";
import { PEOPLE } from "./run.ts";

/** Words of a person, as the gateway hands them over. */
export interface PersonsWords {
  /** UUID; a repeat is claimed once. */
  readonly id: string;
  readonly channel: string;
  readonly chat: string;
  /** Who it is, for good: what stands for them elsewhere is made of it. */
  readonly person: string;
  /** What they are called, where that is something else. */
  readonly name?: string;
  readonly text: string;
  readonly language: string;
  readonly zone: string;
}

/** A reply on its way to a chat. */
export interface PersonsReply {
  readonly requestId: string;
  readonly chat: string;
  readonly question?: string;
  readonly reply: ReplyShape;
  readonly failure?: string;
  readonly isRepeat: boolean;
}

/** The root's edge towards people: their words become envelopes, envelopes become replies. */
export interface PeopleEdge {
  write(words: PersonsWords): Letter;
  /** What is to be shown of an envelope to a person. */
  read(message: VoxMessage, isRepeat: boolean): PersonsReply;
  lastReply(chat: string): ReplyShape | undefined;
}

export interface PeopleEdgeParts {
  readonly self: { readonly id: string };
  readonly ledger: Ledger;
  readonly letters: Letters;
  readonly ids: Ids;
  readonly now: () => number;
  /** A stand-in for a person that nobody below the root can trace back. */
  readonly pseudonymOf: (channel: string, person: string) => string;
  readonly timeoutMs: number;
}

const REPLIES_LOOKED_BACK = 200;

/** Our own reply of an older form; better said than left out. */
const UNREADABLE: ReplyShape = {
  text: "There is an answer that this version cannot show; see `voxtree trace`.",
};

/** What stands in the envelope of a person's words. */
const Words = z.looseObject({ text: z.string() });

export function createPeopleEdge(parts: PeopleEdgeParts): PeopleEdge {
  const { self, ledger, letters, ids, now } = parts;

  /** What a person asked, where a message answers it. */
  const questionOf = ({ type, reply_to }: VoxMessage): string | undefined => {
    if (type === "notice" || reply_to === null) return undefined;
    const params = Words.safeParse(ledger.inbox.findWords(reply_to)?.message.details["params"]);
    return params.data?.text;
  };

  return {
    write: ({ id, channel, chat, person, name = person, text, language, zone }) =>
      letters.seal({
        message_id: id,
        emitted_at: new Date(now()).toISOString(),
        source: `human.${parts.pseudonymOf(channel, person)}`,
        target: `agent.${self.id}`,
        message_source: channel,
        type: "command_request",
        intent: "quox.chat.query",
        details: { command: "inbound_message", params: { chat, person: name, text }, language, zone },
        reply_to: null,
        corr: ids.next(),
        requires: { timeout_ms: parts.timeoutMs },
      }),
    read(message, isRepeat) {
      const question = questionOf(message);
      const base = {
        requestId: message.type === "notice" ? message.message_id : (message.reply_to ?? message.message_id),
        chat: chatOf(message),
        isRepeat,
        ...(question === undefined ? {} : { question }),
      };
      if (message.type !== "command_error") return { ...base, reply: readReply(message) ?? UNREADABLE };
      const code = String(message.details["code"]);
      return {
        ...base,
        failure: code,
        reply: { text: `${String(message.details["message"])} ${remedyOf(code)}`.trim() },
      };
    },
    lastReply(chat) {
      for (const { message } of ledger.newestTo(PEOPLE, REPLIES_LOOKED_BACK)) {
        if (message.type !== "command_error" && chatOf(message) === chat) return readReply(message);
      }
      return undefined;
    },
  };
}

/** The chat that an envelope to a person is for. */
function chatOf({ details }: VoxMessage): string {
  return typeof details["chat"] === "string" ? details["chat"] : "";
}

function remedyOf(code: string): string {
  return Object.hasOwn(FAILURES, code) ? FAILURES[code as keyof typeof FAILURES].remedy : "";
}
