import type { Markup } from "../sdk/markup.ts";

/** The alerts of every agent, as they lie in their streams. Every call ends by itself, in a time that a stop can wait for. */
export interface AlertReader {
  /** The names of the agents that have a stream. */
  agents(): Promise<readonly string[]>;
  /** Those numbered above `afterSeq`, at most `limit`; repeats and any order are allowed. */
  read(agent: string, afterSeq: number, limit: number): Promise<readonly StreamedAlert[]>;
  /** Says up to which number the war room has taken an agent's alerts; only that agent hears it. */
  confirm(agent: string, seq: number): Promise<void>;
}

export interface StreamedAlert {
  readonly seq: number;
  /** An envelope's canonical JSON; nobody has looked at it yet. */
  readonly text: string;
}

/** Where incidents are shown: one chat, or one topic of it. Every call ends by itself, in a time that a stop can wait for. */
export interface Room {
  /**
   * Which room it is, for the log and for the file, which keeps where each message stands: another chat must have
   * another name ("topic 7 of -100123").
   */
  readonly name: string;
  /** Posts a message. */
  post(post: RoomPost): Promise<RoomOutcome>;
  /** Gives a message another text and other buttons; one that looks so already counts as sent. */
  edit(ref: string, edit: RoomEdit): Promise<RoomOutcome>;
}

export interface RoomEdit {
  readonly text: Markup;
  /** One row. */
  readonly buttons: readonly RoomButton[];
}

export interface RoomPost extends RoomEdit {
  /** Whether it makes no sound. */
  readonly isSilent: boolean;
  /** The message that it answers; where that one is gone, it is posted without. */
  readonly replyTo?: string;
}

export interface RoomButton {
  readonly label: string;
  /** Opaque, begins with `wr.`; whoever presses it is to say `/incident_press <token>`. */
  readonly token: string;
}

/** What became of a call. `ref` names the message from then on, and means nothing outside its room. */
export type RoomOutcome =
  | { readonly kind: "sent"; readonly ref: string }
  | { readonly kind: "failed"; readonly why: RoomFailure };

/** Why a call did not work, so far as it decides what comes next. `text` is for the log. */
export type RoomFailure =
  /** Nothing can be posted here until somebody mends it: no such chat, thrown out of it, no such topic. */
  | { readonly kind: "chat_gone" | "kicked" | "topic_gone"; readonly text: string }
  /** The message that was to be edited is gone, or too old to be edited. */
  | { readonly kind: "message_gone"; readonly text: string }
  | { readonly kind: "too_many"; readonly retryAfterMs: number; readonly text: string }
  /** It certainly was not delivered, and may be later. */
  | { readonly kind: "unreachable"; readonly text: string }
  /** Nobody can tell whether it was delivered. */
  | { readonly kind: "ambiguous"; readonly text: string }
  /** It will never be taken as it is. */
  | { readonly kind: "bad_request"; readonly text: string };
