import type { Entity, User } from "./shapes.ts";
import { type ChatRecord, findMessage, type Stored, type World } from "./world.ts";

/** What a person's client marks by itself in what is typed: commands and mentions. */
export function markSpeech(text: string): Entity[] {
  const found: Entity[] = [];
  for (const [type, pattern] of [
    ["bot_command", /(?<![\w/])\/[a-z0-9_]{1,64}(?:@[a-z]\w{2,31})?(?!\w)/gi],
    ["mention", /(?<![\w/])@[a-z]\w{2,31}(?!\w)/gi],
  ] as const) {
    for (const { 0: word, index } of text.matchAll(pattern)) {
      const isTaken = found.some(({ offset, length }) => index >= offset && index < offset + length);
      if (!isTaken) found.push({ type, offset: index, length: word.length });
    }
  }
  return found.sort((a, b) => a.offset - b.offset);
}

/**
 * Whether the bot gets to see what a person wrote. In a group, a bot that may not read everything sees commands (those
 * that name another bot as well), its mentions, and replies to what it wrote.
 */
export function reachesBot(world: World, chat: ChatRecord, message: Stored): boolean {
  if (chat.standing === "kicked" || chat.migratedTo !== undefined) return false;
  if (chat.type === "private" || world.canReadAll) return true;
  const name = `@${world.bot.username.toLowerCase()}`;
  const isMeant = message.entities.some(({ type, offset, length, user }) => {
    if (type === "bot_command") return true;
    if (type === "text_mention") return user?.id === world.bot.id;
    return type === "mention" && message.text.slice(offset, offset + length).toLowerCase() === name;
  });
  return isMeant || findMessage(chat, message.replyTo)?.from.id === world.bot.id;
}

/** One line about a message, for a test that did not find the one that it waited for. */
export function describeMessage(message: Stored, bot: User): string {
  const marks = [
    message.isSilent && "silent",
    message.replyTo !== undefined && `reply to #${message.replyTo}`,
    message.threadId !== undefined && `in topic ${message.threadId}`,
    message.history.length > 0 && `edited ${message.history.length} times`,
    message.isDeleted && "deleted",
  ].filter((mark) => mark !== false);
  const who = message.from.id === bot.id ? "the bot" : message.from.first_name;
  const buttons = message.keyboard.flat().map(({ text }) => ` [${text}]`);
  return `#${message.id} ${who}: ${JSON.stringify(message.text)}${buttons.join("")}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`;
}
