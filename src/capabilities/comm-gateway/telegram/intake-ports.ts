/** What the way in needs of others. */

/** Who may use the bot. */
export interface Door {
  /** The person behind an identity of a channel; undefined for strangers. */
  find(channel: string, userId: string): { readonly language?: string; readonly zone?: string } | undefined;
  /** Whether words are a pairing code's: they are for `knock`, whoever wrote them. */
  isPairing(text: string): boolean;
  /** What a stranger's words get. */
  knock(
    channel: string,
    stranger: { readonly userId: string; readonly name: string; readonly text: string },
  ):
    | { readonly kind: "paired"; readonly text: string }
    | { readonly kind: "hint"; readonly text: string }
    | { readonly kind: "silent" };
}

/** Words that are about to be with the core; the reply to them bears their id. */
export interface Asking {
  readonly id: string;
  /** The channel's name of the chat. */
  readonly chat: string;
  /** The message that asks, or the one under which a button was pressed. */
  readonly messageId?: number | undefined;
  readonly isGroup: boolean;
}

/** What stands behind a button. */
export type Behind =
  /** Words that pressing it says. */
  | { readonly kind: "say"; readonly text: string }
  /** It was for the way out alone, which has seen to it. */
  | { readonly kind: "done" }
  /** Nothing any more, or nothing in this chat. */
  | { readonly kind: "gone" };

/** The way out, as the way in needs it. Every call is a change of `telegram.db` and may be part of a commit. */
export interface WayOut {
  /** May come again, after a crash also for words that have been answered: then there is nothing to wait for. */
  asked(asking: Asking): void;
  /** Says something of the channel's own in a chat, as an answer to `messageId` in groups. */
  tell(chat: string, text: string, answers?: Pick<Asking, "messageId" | "isGroup">): void;
  /** Takes a press whose payload came with `chat`. */
  press(payload: string, chat: string): Behind;
  /** A group became a supergroup. */
  moved(from: number, to: number): void;
  /** The bot was blocked in the chat or put out of it. */
  shut(chatId: number, why: string): void;
  /** Somebody writes there, or the bot was let in: it can be written to again. */
  opened(chatId: number): void;
}
