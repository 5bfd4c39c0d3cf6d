import type { ChatRecord, Stored } from "./world.ts";
import { findMessage } from "./world.ts";

/** A chat as the Bot API writes it. */
export function chatJson(chat: ChatRecord): Record<string, unknown> {
  const { id, type, title, person, isForum } = chat;
  return {
    id,
    type,
    ...(title !== undefined && { title }),
    ...(person && {
      first_name: person.first_name,
      ...(person.username !== undefined && { username: person.username }),
    }),
    ...(isForum && { is_forum: true }),
  };
}

/** A message as the Bot API writes it, with the message it replies to one level deep. */
export function messageJson(chat: ChatRecord, message: Stored): Record<string, unknown> {
  const target = findMessage(chat, message.replyTo);
  const entities = message.entities.length > 0 && {
    [message.isPhoto ? "caption_entities" : "entities"]: message.entities,
  };
  return {
    message_id: message.id,
    from: message.from,
    chat: chatJson(chat),
    date: message.date,
    ...(message.editedAt !== undefined && { edit_date: message.editedAt }),
    ...(message.threadId !== undefined && { message_thread_id: message.threadId, is_topic_message: true }),
    ...(target && { reply_to_message: messageJson(chat, { ...target, replyTo: undefined }) }),
    ...(message.mediaGroupId !== undefined && { media_group_id: message.mediaGroupId }),
    ...(message.isPhoto
      ? {
          photo: [
            { file_id: `photo-${message.id}`, file_unique_id: `p${message.id}`, width: 90, height: 90 },
          ],
          ...(message.text !== "" && { caption: message.text }),
        }
      : { text: message.text }),
    ...entities,
    ...(message.isProtected && { has_protected_content: true }),
    ...(message.keyboard.length > 0 && { reply_markup: { inline_keyboard: message.keyboard } }),
  };
}
