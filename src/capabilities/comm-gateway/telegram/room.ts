import type { Log } from "../../../sdk/context.ts";
import type { Markup } from "../../../sdk/markup.ts";
import { type Address, chatNameOf } from "./chat-name.ts";
import type { Outcome, TelegramClient, Why } from "./client.ts";
import type { Keyboard } from "./parts.ts";
import { chunksOf, type Rendered, renderMarkup } from "./render-telegram.ts";
import { editText, sendText } from "./send-part.ts";

/** A chat in which messages are posted and edited later; nobody is listened to. */
export interface TelegramRoom {
  readonly name: string;
  /** Posts a message. Where the one that it answers is gone, it is posted without. */
  post(post: RoomEdit & { readonly isSilent: boolean; readonly replyTo?: string }): Promise<RoomOutcome>;
  /** Gives a message another text and other buttons; one that looks so already counts as sent. */
  edit(ref: string, edit: RoomEdit): Promise<RoomOutcome>;
}

interface RoomEdit {
  readonly text: Markup;
  /** One row; each `token` is what Telegram brings back of whoever presses. */
  readonly buttons: readonly { readonly label: string; readonly token: string }[];
}

type RoomOutcome =
  | { readonly kind: "sent"; readonly ref: string }
  | { readonly kind: "failed"; readonly why: RoomFailure };

type RoomFailure =
  | {
      readonly kind:
        | "chat_gone"
        | "kicked"
        | "topic_gone"
        | "message_gone"
        | "unreachable"
        | "ambiguous"
        | "bad_request";
      readonly text: string;
    }
  | { readonly kind: "too_many"; readonly retryAfterMs: number; readonly text: string };

export interface TelegramRoomParts {
  readonly client: TelegramClient;
  /** For the log and for what is stored about messages: "general", "topic", "owner". */
  readonly name: string;
  readonly address: Address;
  readonly log: Log;
}

/**
 * A room in a chat of Telegram. It only sends, so that it may stand in another process than the one that polls. When the
 * group becomes a supergroup it follows.
 */
export function createTelegramRoom({ client, name, address, log }: TelegramRoomParts): TelegramRoom {
  let at = address;

  /** Does something in the chat where it is now; a group that has moved is followed once. */
  async function follow(call: (at: Address) => Promise<Outcome<number>>): Promise<RoomOutcome> {
    const first = await call(at);
    let outcome = first;
    if (first.kind === "failed" && first.why.kind === "migrated") {
      log.warn("the war room's group became a supergroup; set WAR_ROOM_CHAT to its new id", {
        from: at.chat,
        to: first.why.chatId,
      });
      at = { chat: first.why.chatId };
      outcome = await call(at);
    }
    if (outcome.kind === "done") return { kind: "sent", ref: refOf(at.chat, outcome.result) };
    return { kind: "failed", why: reasonOf(outcome.why) };
  }

  return {
    name,
    async post({ text, buttons, isSilent, replyTo }) {
      const shown = shownOf(text);
      if (!shown) return { kind: "failed", why: { kind: "bad_request", text: "the message shows nothing" } };
      const answered = replyTo === undefined ? undefined : parseRef(replyTo);
      return follow((here) =>
        sendText(client, here, {
          post: {
            ...shown,
            isSilent,
            keyboard: keyboardOf(buttons),
            replyTo: answered?.chat === here.chat ? answered.message : undefined,
          },
        }),
      );
    },
    async edit(ref, { text, buttons }) {
      const shown = shownOf(text);
      const message = parseRef(ref);
      if (!message)
        return { kind: "failed", why: { kind: "message_gone", text: `${ref} is no message here` } };
      if (!shown) return { kind: "failed", why: { kind: "bad_request", text: "the message shows nothing" } };
      const post = { ...shown, keyboard: keyboardOf(buttons) ?? [] };
      const outcome = await editText(client, { chat: message.chat }, { message: message.message, post });
      if (outcome.kind === "done") return { kind: "sent", ref };
      // A supergroup does not hold the messages of the group that it was.
      if (outcome.why.kind === "migrated") {
        return { kind: "failed", why: { kind: "message_gone", text: outcome.why.text } };
      }
      return { kind: "failed", why: reasonOf(outcome.why) };
    },
  };

  function reasonOf(why: Why): RoomFailure {
    const { text } = why;
    switch (why.kind) {
      case "flood":
        return { kind: "too_many", retryAfterMs: why.retryAfterMs, text };
      case "closed":
        return { kind: "kicked", text };
      case "refused":
        if (/chat not found/i.test(text)) return { kind: "chat_gone", text };
        if (/thread not found|topic/i.test(text)) return { kind: "topic_gone", text };
        if (/message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i.test(text)) {
          return { kind: "message_gone", text };
        }
        return { kind: "bad_request", text };
      case "unauthorised":
        log.error("Telegram refuses the bot's token: correct TELEGRAM_BOT_TOKEN and start again", {
          room: chatNameOf(at),
        });
        return { kind: "unreachable", text };
      case "migrated":
      case "conflict":
      case "unreached":
        return { kind: "unreachable", text };
      case "unknown":
        return { kind: "ambiguous", text };
      default:
        return why satisfies never;
    }
  }
}

/** One message's worth; whoever posts keeps well below the limit. */
function shownOf(text: Markup): Rendered | undefined {
  return chunksOf(renderMarkup(text))[0];
}

function keyboardOf(buttons: RoomEdit["buttons"]): Keyboard | undefined {
  if (buttons.length === 0) return undefined;
  return [buttons.map(({ label, token }) => ({ text: label, callback_data: token }))];
}

function refOf(chat: number, message: number): string {
  return `${chat}:${message}`;
}

function parseRef(ref: string): { readonly chat: number; readonly message: number } | undefined {
  const [, chat, message] = /^(-?\d{1,16}):(\d{1,16})$/.exec(ref) ?? [];
  return chat === undefined || message === undefined
    ? undefined
    : { chat: Number(chat), message: Number(message) };
}
