import { InputFile } from "grammy";
import type { Outcome, TelegramClient } from "./client.ts";
import type { Address } from "./chat-name.ts";
import type { Content, Keyboard, Part } from "./parts.ts";
import type { Entity } from "./render-telegram.ts";

/** What of a message Telegram may look at, in the form in which it takes it. */
export interface Post {
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly keyboard?: Keyboard | undefined;
  readonly replyTo?: number | undefined;
  readonly isSilent?: boolean;
}

/** Posts a text; gives the number of the message. Where the message that it answers is gone, it is posted without. */
export async function sendText(
  client: TelegramClient,
  address: Address,
  { post, signal }: { readonly post: Post; readonly signal?: AbortSignal },
): Promise<Outcome<number>> {
  const { text, entities, isSilent = false } = post;
  const outcome = await client.call(
    "sendMessage",
    {
      ...frameOf(address, post),
      text,
      entities: [...entities],
      link_preview_options: { is_disabled: true },
      ...(isSilent ? { disable_notification: true } : {}),
    },
    signal,
  );
  return numberOf(outcome);
}

/** Gives a message another text and keyboard. Doing it twice does no harm: one that looks so already counts as done. */
export async function editText(
  client: TelegramClient,
  { chat }: Address,
  { message, post, signal }: { readonly message: number; readonly post: Post; readonly signal?: AbortSignal },
): Promise<Outcome<number>> {
  const outcome = await client.call(
    "editMessageText",
    {
      chat_id: chat,
      message_id: message,
      text: post.text,
      entities: [...post.entities],
      link_preview_options: { is_disabled: true },
      ...(post.keyboard === undefined ? {} : { reply_markup: markupOf(post.keyboard) }),
    },
    signal,
  );
  if (outcome.kind === "done" || isNotModified(outcome)) return { kind: "done", result: message };
  return outcome;
}

/** Makes the call of a part; gives the number of the message that it is now. */
export async function sendPart(
  client: TelegramClient,
  part: Part,
  signal: AbortSignal,
): Promise<Outcome<number | undefined>> {
  const { content, address, message } = part;
  switch (content.kind) {
    case "text":
      return message === undefined
        ? sendText(client, address, { post: content, signal })
        : editText(client, address, { message, post: content, signal });
    case "document":
      return sendDocument(client, address, { content, signal });
    case "bare":
      return settled(message, await client.call("editMessageReplyMarkup", changeOf(part), signal));
    case "gone":
      return settled(message, await client.call("deleteMessage", changeOf(part), signal));
    default:
      return content satisfies never;
  }
}

async function sendDocument(
  client: TelegramClient,
  address: Address,
  {
    content,
    signal,
  }: { readonly content: Content & { readonly kind: "document" }; readonly signal: AbortSignal },
): Promise<Outcome<number>> {
  const document = new InputFile(Buffer.from(content.base64, "base64"), content.name);
  return numberOf(await client.call("sendDocument", { ...frameOf(address, content), document }, signal));
}

/** What stands around every new message: where it goes, what it answers, and its buttons. */
function frameOf({ chat, topic }: Address, { keyboard, replyTo }: Pick<Post, "keyboard" | "replyTo">) {
  return {
    chat_id: chat,
    ...(topic === undefined ? {} : { message_thread_id: topic }),
    ...(keyboard === undefined ? {} : { reply_markup: markupOf(keyboard) }),
    ...(replyTo === undefined
      ? {}
      : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
  };
}

/** The number of a message that was sent. */
function numberOf(outcome: Outcome<{ readonly message_id: number }>): Outcome<number> {
  return outcome.kind === "done" ? { kind: "done", result: outcome.result.message_id } : outcome;
}

/** Whether doing it twice does no harm: the message is there already. */
export function isIdempotent({ message }: Part): boolean {
  return message !== undefined;
}

/** Whether a part is a change that is worth nothing once its message is gone. */
export function isTidying(content: Content): boolean {
  return content.kind === "bare" || content.kind === "gone";
}

function changeOf({ address, message = 0 }: Part): { chat_id: number; message_id: number } {
  return { chat_id: address.chat, message_id: message };
}

function settled(message: number | undefined, outcome: Outcome<unknown>): Outcome<number | undefined> {
  return outcome.kind === "done" || isNotModified(outcome) ? { kind: "done", result: message } : outcome;
}

function isNotModified(outcome: Outcome<unknown>): boolean {
  return (
    outcome.kind === "failed" &&
    outcome.why.kind === "refused" &&
    outcome.why.text.includes("message is not modified")
  );
}

function markupOf(keyboard: Keyboard): { inline_keyboard: { text: string; callback_data: string }[][] } {
  return { inline_keyboard: keyboard.map((row) => row.map((key) => ({ ...key }))) };
}
