import { z } from "zod";
import { idFromParts, idFromPartsAt } from "../../../envelope/ids.ts";
import { readAddress, type Self } from "./address.ts";
import { chatNameOf } from "./chat-name.ts";
import { Membership, Message, Press, Update, type User } from "./update-shapes.ts";

/** Who wrote or pressed. */
const Sender = z.strictObject({ userId: z.string(), name: z.string() });
export type Sender = z.output<typeof Sender>;

const Place = {
  /** UUID; the same for every repeat of the same update. */
  id: z.string(),
  /** The channel's name of the chat: `<chat id>`, or `<chat id>/<thread id>` in a topic. */
  chat: z.string(),
  messageId: z.int().optional(),
  isGroup: z.boolean(),
  sender: Sender,
};

/** A message that somebody sent. */
export const Words = z.strictObject({
  kind: z.literal("words"),
  ...Place,
  /** Without the bot's own name; empty for media without a caption and for the bot's name alone. */
  text: z.string(),
  /** Of the words as they were sent, in UTF-16 code units. */
  length: z.int(),
  hasMedia: z.boolean(),
  /** In a private chat always; in groups by name, answer or command. */
  isAddressed: z.boolean(),
  /** By name or command, so that it was meant for the bot beyond doubt. */
  isCalled: z.boolean(),
  isCommand: z.boolean(),
  /** Unix ms, in whole seconds. */
  writtenAt: z.number(),
  /** What the messages of one album share. */
  album: z.string().optional(),
});
export type Words = z.output<typeof Words>;

/** A button that somebody pressed. */
export const Pressed = z.strictObject({
  kind: z.literal("press"),
  ...Place,
  callbackId: z.string(),
  /** What stands on the button for us. */
  payload: z.string(),
});
export type Pressed = z.output<typeof Pressed>;

/** What becomes of one update. */
export type Reading =
  | Words
  | Pressed
  /** A group has become a supergroup. */
  | { readonly kind: "moved"; readonly from: number; readonly to: number }
  /** The bot was blocked or put out, or is welcome again. */
  | {
      readonly kind: "membership";
      readonly chatId: number;
      readonly isOpen: boolean;
      readonly status: string;
    }
  /** `isStrange`: not by policy, but because it could not be read. */
  | { readonly kind: "ignored"; readonly why: string; readonly isStrange?: boolean };

/** What getUpdates is asked for. */
export const ALLOWED_UPDATES = ["message", "callback_query", "my_chat_member"] as const;

/** Updates that may come all the same, from an earlier setting of the same bot, and why nothing is done about them. */
const IGNORED: Readonly<Record<string, string>> = {
  edited_message: "what was asked is not asked once more by an edit",
  channel_post: "a channel is nobody who asks",
  edited_channel_post: "a channel is nobody who asks",
  business_connection: "other people's correspondence is not read",
  business_message: "other people's correspondence is not read",
  edited_business_message: "other people's correspondence is not read",
  deleted_business_messages: "other people's correspondence is not read",
  message_reaction: "a reaction says nothing that could be done",
  message_reaction_count: "a reaction says nothing that could be done",
  inline_query: "there is no inline mode",
  chosen_inline_result: "there is no inline mode",
  shipping_query: "nothing is sold",
  pre_checkout_query: "nothing is sold",
  purchased_paid_media: "nothing is sold",
  poll: "no polls are made",
  poll_answer: "no polls are made",
  chat_member: "who else is in a chat is not followed",
  chat_join_request: "who else is in a chat is not followed",
  chat_boost: "boosts are not followed",
  removed_chat_boost: "boosts are not followed",
};

/** What a message may hold besides words; any other message without words is the chat's own news. */
const MEDIA = [
  "animation",
  "audio",
  "contact",
  "dice",
  "document",
  "game",
  "location",
  "paid_media",
  "photo",
  "poll",
  "sticker",
  "story",
  "venue",
  "video",
  "video_note",
  "voice",
];

/** Status of the bot in a chat that it cannot write to. */
const OUTSIDE: ReadonlySet<string> = new Set(["kicked", "left"]);
/** RFC 9562 namespace of presses; made for this and used for nothing else. */
const PRESSES = "6f0c2b0e-4d3f-5d6b-9a57-2f1f6b7a9c41";

/** The update's number, by which it is confirmed; undefined for what is no update at all. */
export function updateIdOf(update: unknown): number | undefined {
  return Update.safeParse(update).data?.update_id;
}

/** Reads one update. Whatever comes, it is a reading: what is unknown or broken is ignored and says why. */
export function readUpdate(update: unknown, self: Self): Reading {
  const parsed = Update.safeParse(update);
  if (!parsed.success) return { kind: "ignored", why: "it has no update id", isStrange: true };
  const { update_id: updateId, ...rest } = parsed.data;
  if (rest["message"] !== undefined) return readMessage(rest["message"], { updateId, self });
  if (rest["callback_query"] !== undefined) return readPress(rest["callback_query"], self);
  if (rest["my_chat_member"] !== undefined) return readMembership(rest["my_chat_member"]);
  const kind = Object.keys(rest).join(", ");
  const why = Object.hasOwn(IGNORED, kind) ? IGNORED[kind] : undefined;
  if (why !== undefined) return { kind: "ignored", why: `${kind}: ${why}` };
  return { kind: "ignored", why: `${kind}: unknown kind of update`, isStrange: true };
}

function readMessage(raw: unknown, { updateId, self }: { updateId: number; self: Self }): Reading {
  const parsed = Message.safeParse(raw);
  if (!parsed.success) return broken("message", parsed.error);
  const message = parsed.data;
  const { chat, from, migrate_to_chat_id: to, migrate_from_chat_id: earlier } = message;
  if (to !== undefined) return { kind: "moved", from: chat.id, to };
  if (earlier !== undefined) return { kind: "moved", from: earlier, to: chat.id };
  const isGroup = chat.type === "group" || chat.type === "supergroup";
  if (!isGroup && chat.type !== "private") return { kind: "ignored", why: `message: from a ${chat.type}` };
  if (from === undefined || message.sender_chat !== undefined) {
    return { kind: "ignored", why: "message: nobody can tell which person wrote it" };
  }
  if (from.is_bot) return { kind: "ignored", why: "message: from a bot" };
  const hasMedia = MEDIA.some((kind) => message[kind] !== undefined);
  if (message.text === undefined && message.caption === undefined && !hasMedia) {
    return { kind: "ignored", why: "message: the chat's own news" };
  }
  const address = readAddress(message, self);
  if (address.isForOther) return { kind: "ignored", why: "message: a command for another bot" };
  const writtenAt = message.date * 1000;
  const parts = [self.id, updateId, chat.id, message.message_id].map(String);
  return {
    kind: "words",
    id: idFromPartsAt(writtenAt, ...parts),
    chat: nameOfChat(message),
    messageId: message.message_id,
    isGroup,
    sender: senderOf(from),
    text: address.text,
    length: (message.text ?? message.caption ?? "").length,
    hasMedia,
    isAddressed: address.isAddressed,
    isCalled: address.isCalled,
    isCommand: address.isCommand,
    writtenAt,
    ...(message.media_group_id === undefined ? {} : { album: message.media_group_id }),
  };
}

function readPress(raw: unknown, self: Self): Reading {
  const parsed = Press.safeParse(raw);
  if (!parsed.success) return broken("callback_query", parsed.error);
  const { id: callbackId, from, data: payload, message } = parsed.data;
  if (payload === undefined || message === undefined) {
    return { kind: "ignored", why: "callback_query: not from a button of this bot's messages" };
  }
  return {
    kind: "press",
    id: idFromParts(PRESSES, String(self.id), callbackId),
    chat: nameOfChat(message),
    messageId: message.message_id,
    isGroup: message.chat.type !== "private",
    sender: senderOf(from),
    callbackId,
    payload,
  };
}

function readMembership(raw: unknown): Reading {
  const parsed = Membership.safeParse(raw);
  if (!parsed.success) return broken("my_chat_member", parsed.error);
  const { chat, new_chat_member: member } = parsed.data;
  return {
    kind: "membership",
    chatId: chat.id,
    isOpen: !OUTSIDE.has(member.status),
    status: member.status,
  };
}

/** The general topic of a forum has the number 1, and refuses it when it is written to. */
function nameOfChat(message: {
  readonly chat: { readonly id: number };
  readonly message_thread_id?: number | undefined;
  readonly is_topic_message?: boolean | undefined;
}): string {
  const { chat, message_thread_id: thread, is_topic_message: isTopic } = message;
  const isOwn = isTopic && thread !== undefined && thread !== 1;
  return chatNameOf(isOwn ? { chat: chat.id, topic: thread } : { chat: chat.id });
}

function senderOf({ id, first_name: first, last_name: last, username }: User): Sender {
  const name = [first, last].filter(Boolean).join(" ").trim();
  return { userId: String(id), name: name || (username ?? String(id)) };
}

function broken(kind: string, error: z.ZodError): Reading {
  const places = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  const why = `${kind}: not of the Bot API's shape (${places.join("; ")})`;
  return { kind: "ignored", why, isStrange: true };
}
