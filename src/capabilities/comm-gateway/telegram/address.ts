import type { Entity, Message } from "./update-shapes.ts";

/** Who this bot is, by getMe. */
export interface Self {
  readonly id: number;
  /** Without the @. */
  readonly username: string;
}

/** What a message says, and whether it says it to this bot. */
export interface Addressed {
  /** The words without the bot's own name. */
  readonly text: string;
  readonly isAddressed: boolean;
  /** By its name or by a command. */
  readonly isCalled: boolean;
  readonly isCommand: boolean;
  /** Another bot's command: `/start@OtherBot`. */
  readonly isForOther: boolean;
}

/**
 * Reads to whom the words of a message go. In a group they go to the bot by its name anywhere in them, as an answer to
 * one of its messages, or as a command that is not given to another bot; in a private chat always.
 */
export function readAddress(message: Message, self: Self): Addressed {
  const text = message.text ?? message.caption ?? "";
  const entities = message.text === undefined ? message.caption_entities : message.entities;
  const own = `@${self.username.toLowerCase()}`;
  let isCommand = false;
  let isForOther = false;
  let isNamed = false;
  const names: Entity[] = [];
  for (const entity of entities) {
    const words = text.slice(entity.offset, entity.offset + entity.length);
    if (entity.type === "bot_command") {
      const at = words.indexOf("@");
      const isFirst = text.slice(0, entity.offset).trim() === "";
      const isOwn = at !== -1 && words.slice(at).toLowerCase() === own;
      isCommand ||= isFirst;
      isNamed ||= isOwn;
      isForOther ||= isFirst && at !== -1 && !isOwn;
      if (isOwn) names.push({ ...entity, offset: entity.offset + at, length: entity.length - at });
    }
    const isMention =
      (entity.type === "mention" && words.toLowerCase() === own) ||
      (entity.type === "text_mention" && entity.user?.id === self.id);
    isNamed ||= isMention;
    if (isMention) names.push(entity);
  }
  const isPrivate = message.chat.type === "private";
  return {
    text: withoutNames(text, names).toWellFormed().trim(),
    isAddressed: isPrivate || isNamed || isCommand || isAnswerTo(self, message),
    isCalled: isNamed || isCommand,
    isCommand,
    isForOther: isForOther && !isPrivate,
  };
}

function isAnswerTo(self: Self, { reply_to_message: earlier }: Message): boolean {
  // Every message of a topic says that it answers the topic's first, which the bot may have made.
  return earlier?.from?.id === self.id && earlier.forum_topic_created === undefined;
}

/** A name goes with the blanks, and a comma or colon, that set it apart from the words after it. */
function withoutNames(text: string, names: readonly Entity[]): string {
  let rest = text;
  for (const { offset, length } of names.toSorted((a, b) => b.offset - a.offset)) {
    const before = rest.slice(0, offset);
    const isApart = before === "" || /\s$/.test(before);
    const after = rest.slice(offset + length);
    rest = before + (isApart ? after.replace(/^[,:]?[^\S\n]*/, "") : after);
  }
  return rest;
}
