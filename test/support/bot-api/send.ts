import { isRecord, isTrue, numberOf, structureOf } from "./arguments.ts";
import { checkLength, readText } from "./formatting.ts";
import { checkButtons, readKeyboard } from "./keyboard.ts";
import {
  type Arguments,
  badRequest,
  done,
  type Failed,
  forbidden,
  isFailed,
  type Outcome,
} from "./shapes.ts";
import { messageJson } from "./wire.ts";
import {
  addMessage,
  changeMessage,
  type ChatRecord,
  findMessage,
  relook,
  type Stored,
  type World,
} from "./world.ts";

/** The chat that a call names, without asking whether the bot may write there. */
export function readChat(world: World, given: Arguments): ChatRecord | Failed {
  if (given.chat_id === undefined || given.chat_id === "") return badRequest("chat_id is empty");
  const chat = world.chats.get(numberOf(given.chat_id) ?? 0);
  return chat ?? badRequest("chat not found");
}

const SHUT = {
  blocked: "bot was blocked by the user",
  deactivated: "user is deactivated",
  "not started": "bot can't initiate conversation with a user",
};

/** The chat that a call writes to. */
export function writableChat(world: World, given: Arguments): ChatRecord | Failed {
  const chat = readChat(world, given);
  if (isFailed(chat)) {
    const isKnown = world.people.has(numberOf(given.chat_id) ?? 0);
    return isKnown ? forbidden(SHUT["not started"]) : chat;
  }
  if (chat.migratedTo !== undefined) {
    return badRequest("group chat was upgraded to a supergroup chat", {
      migrate_to_chat_id: chat.migratedTo,
    });
  }
  if (chat.standing === "welcome") return chat;
  if (chat.standing !== "kicked") return forbidden(SHUT[chat.standing]);
  return forbidden(`bot was kicked from the ${chat.type === "supergroup" ? "supergroup" : "group"} chat`);
}

interface ReplyTo {
  readonly messageId: number | undefined;
  readonly isOptional: boolean;
}

function readReply(given: Arguments): ReplyTo | undefined | Failed {
  const structure = structureOf(given.reply_parameters);
  if (structure.kind === "absent") return undefined;
  if (structure.kind === "unreadable") return badRequest("can't parse reply parameters JSON object");
  if (!isRecord(structure.value)) return badRequest("object expected as reply parameters");
  const { message_id, allow_sending_without_reply } = structure.value;
  return { messageId: numberOf(message_id), isOptional: isTrue(allow_sending_without_reply) };
}

/** The topic that a message goes to; a supergroup that is no forum ignores the id. The general topic, 1, has no entry. */
function readThread(chat: ChatRecord, given: Arguments): number | undefined | Failed {
  const id = numberOf(given.message_thread_id);
  if (id === undefined || id === 0 || (chat.type === "supergroup" && !chat.isForum)) return undefined;
  return chat.topics.has(id) ? id : badRequest("message thread not found");
}

/** sendMessage, with its checks in the order in which the server makes them: what is wrong first is told. */
export function sendMessage(world: World, given: Arguments): Outcome {
  const formatted = readText(given);
  if (isFailed(formatted)) return formatted;
  const reply = readReply(given);
  if (isFailed(reply)) return reply;
  const keyboard = readKeyboard(given.reply_markup);
  if (isFailed(keyboard)) return keyboard;
  const chat = writableChat(world, given);
  if (isFailed(chat)) return chat;
  const threadId = readThread(chat, given);
  if (isFailed(threadId)) return threadId;
  const target = reply && findMessage(chat, reply.messageId);
  if (reply && !target && !reply.isOptional) return badRequest("message to be replied not found");
  const wrong = checkLength(formatted) ?? checkButtons(keyboard);
  if (wrong) return wrong;
  const message = addMessage(world, chat, {
    ...formatted,
    from: world.bot,
    keyboard,
    threadId,
    replyTo: target?.id,
    isSilent: isTrue(given.disable_notification),
    isProtected: isTrue(given.protect_content),
  });
  return done(messageJson(chat, message));
}

const NOT_MODIFIED = badRequest(
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
);

function editable(
  world: World,
  given: Arguments,
): { readonly chat: ChatRecord; readonly message: Stored } | Failed {
  const chat = writableChat(world, given);
  if (isFailed(chat)) return chat;
  const message = findMessage(chat, numberOf(given.message_id));
  if (!message) return badRequest("message to edit not found");
  return message.from.id === world.bot.id ? { chat, message } : badRequest("message can't be edited");
}

/** editMessageText and, when there is no text to be changed, editMessageReplyMarkup. */
export function editMessage(world: World, given: Arguments, what: "text" | "keyboard"): Outcome {
  const formatted = what === "text" ? readText(given) : undefined;
  if (isFailed(formatted)) return formatted;
  const keyboard = readKeyboard(given.reply_markup);
  if (isFailed(keyboard)) return keyboard;
  const found = editable(world, given);
  if (isFailed(found)) return found;
  const { chat, message } = found;
  const wrong = (formatted && checkLength(formatted)) ?? checkButtons(keyboard);
  if (wrong) return wrong;
  const look = { text: message.text, entities: message.entities, ...formatted, keyboard };
  const shape = ({ text, entities, keyboard }: typeof look): string =>
    JSON.stringify([text, entities, keyboard]);
  if (shape(look) === shape(message)) return NOT_MODIFIED;
  const after = changeMessage(world, chat, { ...relook(world, message, look), byBot: true });
  return done(after && messageJson(chat, after));
}
