import type { ReplyShape } from "../../sdk/reply.ts";
import type { Ending } from "./ending.ts";

/** Words of a person, on their way in. */
export interface Inbound {
  /** UUID; the same id is claimed once, so a channel may hand the same words over again. */
  readonly id: string;
  /** The channel's name. */
  readonly channel: string;
  /** Where the reply goes: `<channel>:<the channel's own name for it>`. */
  readonly chat: string;
  /** Who wrote, by a name that stays the same for them and is nobody else's in this channel. */
  readonly person: string;
  /** What they are called, where that is something else. */
  readonly name?: string;
  readonly text: string;
  /** BCP 47, such as `en`; where it is known. */
  readonly language?: string;
  /** IANA time zone, where it is known. */
  readonly zone?: string;
}

/** Words as a channel hands them over: `chat` is the channel's own name for it. */
export type ChannelInbound = Omit<Inbound, "channel">;

/** A reply on its way out. */
export interface Delivery {
  /** The id of the `Inbound` that is answered, or of the unasked message. */
  readonly requestId: string;
  readonly chat: string;
  /** What was asked, when something was. */
  readonly question?: string;
  /** What to show; a failure arrives as text. */
  readonly reply: ReplyShape;
  /** The code, when the core itself failed. */
  readonly failure?: string;
  /** How the root ended it, when nobody answered. */
  readonly ending?: Ending;
  /** From where the answer was seen, such as `berlin-1`. */
  readonly vantage?: string;
  /** Whether it may have been shown before a restart. */
  readonly isRepeat: boolean;
}

/** What the agent core offers to the gateway. */
export interface PeoplePort {
  /** Resolves when the words are durable. */
  accept(inbound: Inbound): Promise<void>;
  /** The last reply that went to a chat. */
  lastReply(chat: string): ReplyShape | undefined;
}

/** A way by which people and the root reach each other. */
export interface Channel {
  readonly name: string;
  /** Begins to take words in; each is handed to `accept`, which resolves when they are durable. */
  start(accept: (inbound: ChannelInbound) => Promise<void>): Promise<void>;
  /** Resolves when the reply has been shown; rejects with `NotDeliveredError` when it cannot be. */
  deliver(delivery: Delivery): Promise<void>;
  /** How far the work on a request is; `fraction` from 0 to 1. Never an error, never recorded. */
  progress(requestId: string, text: string, fraction?: number): void;
  /** Shows something once at the start, where somebody is looking. Not recorded. */
  greet(reply: ReplyShape): void;
  /** Resolves when no more words can come (end of input) and all that came are answered, or when the person left. */
  readonly finished: Promise<void>;
  close(): Promise<void>;
}

/** The reply was not shown: nobody is there to see it now. It is owed until a channel for its chat is back. */
export class NotDeliveredError extends Error {
  override readonly name = "NotDeliveredError";
}
