import type { TelegramDatabase } from "./store.ts";

/** What is known of chats, durable. */
export interface Chats {
  /** The id that a chat has today. */
  resolve(chat: number): number;
  /** Why nothing can be written to a chat; undefined when it can. */
  closedBy(chat: number): string | undefined;
  close(chat: number, why: string): void;
  /** Somebody wrote in it again, or let the bot in. */
  reopen(chat: number): void;
  move(from: number, to: number): void;
}

export function createChats(db: TelegramDatabase): Chats {
  const find = db.prepare("SELECT moved_to, closed FROM chat WHERE id = ?");
  const close = db.prepare(
    "INSERT INTO chat (id, closed) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET closed = excluded.closed",
  );
  const reopen = db.prepare("UPDATE chat SET closed = NULL WHERE id = ?");
  const move = db.prepare(
    "INSERT INTO chat (id, moved_to) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET moved_to = excluded.moved_to",
  );

  return {
    resolve(chat) {
      const seen = new Set<number>();
      let at = chat;
      while (!seen.has(at)) {
        seen.add(at);
        const to = find.get(at)?.["moved_to"];
        if (to === null || to === undefined) return at;
        at = Number(to);
      }
      return at;
    },
    closedBy(chat) {
      const closed = find.get(chat)?.["closed"];
      return typeof closed === "string" ? closed : undefined;
    },
    close: (chat, why) => void close.run(chat, why),
    reopen: (chat) => void reopen.run(chat),
    move(from, to) {
      if (from !== to) move.run(from, to);
    },
  };
}
