/** Where messages go: a chat, or one topic of a forum. */
export interface Address {
  readonly chat: number;
  readonly topic?: number;
}

/** A chat's name among the core's chats: `-1001234`, and with a topic `-1001234/7`. */
export function chatNameOf({ chat, topic }: Address): string {
  return topic === undefined ? String(chat) : `${chat}/${topic}`;
}

/** The address that a name stands for; undefined for what no chat is called. */
export function parseChatName(name: string): Address | undefined {
  const [, chat, topic] = /^(-?\d{1,16})(?:\/(\d{1,16}))?$/.exec(name) ?? [];
  if (chat === undefined) return undefined;
  return { chat: Number(chat), ...(topic === undefined ? {} : { topic: Number(topic) }) };
}

/** Groups and channels have negative ids, people positive ones. */
export function isGroup(chat: number): boolean {
  return chat < 0;
}
