import {
  createTelegramClient,
  parseChatName,
  type TelegramClient,
} from "../../capabilities/comm-gateway/telegram/index.ts";
import type { TelegramSettings } from "../../config.ts";
import { type Clock, failure, type FailureValue } from "../../envelope/index.ts";

/** What Telegram says about a token. */
export type Checked =
  | { readonly kind: "bot"; readonly username: string }
  | { readonly kind: "wrong"; readonly text: string }
  | { readonly kind: "away"; readonly failure: FailureValue };

/** What became of words for a chat; `moved` when the group has another id now, and they went there. */
export type Tried =
  | { readonly kind: "arrived"; readonly chat: string; readonly moved: boolean }
  | { readonly kind: "failed"; readonly failure: FailureValue };

/** The bot itself, as far as setting it up needs it. */
export interface Bot extends Disposable {
  check(signal: AbortSignal): Promise<Checked>;
  /** Tries whether the bot may write to a chat: by `text`, or without it in a way that leaves nothing there. */
  tryChat(chat: string, text: string | undefined, signal: AbortSignal): Promise<Tried>;
}

/** Nothing is asked of Telegram yet. */
export function openBot({ token, apiRoot }: TelegramSettings, clock: Clock): Bot {
  const client = createTelegramClient({ token, apiRoot, clock });
  return {
    async check(signal) {
      const outcome = await client.call("getMe", {}, signal);
      if (outcome.kind === "done") return { kind: "bot", username: outcome.result.username };
      const { kind, text } = outcome.why;
      // A token that is not even shaped like one of theirs is an unknown address.
      if (kind === "unauthorised" || (kind === "refused" && text.startsWith("404")))
        return { kind: "wrong", text };
      const host = new URL(apiRoot).host;
      return {
        kind: "away",
        failure: failure("E_TELEGRAM", `${host} could not be asked about the token (${text}).`),
      };
    },
    async tryChat(chat, text, signal) {
      const first = await write(client, { chat, text, signal });
      const isMoved = first.kind === "failed" && first.why.kind === "migrated";
      const now = isMoved ? String(first.why.chatId) : chat;
      const outcome = isMoved ? await write(client, { chat: now, text, signal }) : first;
      return outcome.kind === "done"
        ? { kind: "arrived", chat: now, moved: isMoved }
        : { kind: "failed", failure: failure("E_TELEGRAM", whyNot(now, outcome.why)) };
    },
    [Symbol.dispose]: () => client.close(),
  };
}

interface Writing {
  readonly chat: string;
  readonly text: string | undefined;
  readonly signal: AbortSignal;
}

function write(client: TelegramClient, { chat, text, signal }: Writing) {
  const { chat: chatId = 0, topic } = parseChatName(chat) ?? {};
  const where = { chat_id: chatId, ...(topic === undefined ? {} : { message_thread_id: topic }) };
  return text === undefined
    ? client.call("sendChatAction", { ...where, action: "typing" }, signal)
    : client.call("sendMessage", { ...where, text }, signal);
}

type Failed = Extract<Awaited<ReturnType<typeof write>>, { readonly kind: "failed" }>;

function whyNot(chat: string, { kind, text }: Failed["why"]): string {
  const begin = `The war room, chat ${chat}, cannot be written to (${text}):`;
  const isPrivate = !chat.startsWith("-");
  if (kind === "closed" || (kind === "refused" && /chat not found/i.test(text))) {
    return isPrivate
      ? `${begin} write to the bot there first, and unblock it if it is blocked; then run \`voxtree init\` again.`
      : `${begin} check the id, add the bot to the group and let it write there; then run \`voxtree init\` again.`;
  }
  if (kind === "refused") {
    return `${begin} check the id and, behind the slash, the topic's; let the bot write there, and run \`voxtree init\` again.`;
  }
  if (kind === "unknown") {
    return `Whether the message reached chat ${chat} cannot be told (${text}): look there, then run \`voxtree init\` again.`;
  }
  return `${begin} run \`voxtree init\` again in a while.`;
}
