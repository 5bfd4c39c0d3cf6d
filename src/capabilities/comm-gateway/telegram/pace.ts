import type { Clock } from "../../../envelope/clock.ts";
import { isGroup } from "./chat-name.ts";

/** How fast messages may go, as far as anybody knows; only a 429 is authoritative. */
export interface Pace {
  /** How long the next message to a chat had better wait, in ms; 0 when it may go now. */
  waitMs(chat: number): number;
  /** Notes that one goes now. */
  spend(chat: number): void;
}

interface Allowance {
  /** One more in this time. */
  readonly everyMs: number;
  /** So many at once after a while of quiet. */
  readonly atOnce: number;
}

const PERSON: Allowance = { everyMs: 1000, atOnce: 5 };
const GROUP: Allowance = { everyMs: 3000, atOnce: 6 };
const BOT: Allowance = { everyMs: 1000 / 30, atOnce: 30 };

/** Chats whose allowance is full again are forgotten from this many on. */
const REMEMBERED = 1000;

export function createPace(clock: Pick<Clock, "monotonic">): Pace {
  /** When the allowance of a chat will be full again: it takes `everyMs` longer with each message. */
  const fullAt = new Map<number, number>();
  let botFullAt = 0;

  const waitFor = (full: number, { everyMs, atOnce }: Allowance): number =>
    Math.max(0, full - clock.monotonic() - everyMs * (atOnce - 1));

  return {
    waitMs: (chat) =>
      Math.max(waitFor(botFullAt, BOT), waitFor(fullAt.get(chat) ?? 0, isGroup(chat) ? GROUP : PERSON)),
    spend(chat) {
      const now = clock.monotonic();
      const { everyMs } = isGroup(chat) ? GROUP : PERSON;
      botFullAt = Math.max(now, botFullAt) + BOT.everyMs;
      fullAt.set(chat, Math.max(now, fullAt.get(chat) ?? 0) + everyMs);
      if (fullAt.size <= REMEMBERED) return;
      for (const [each, full] of fullAt) if (full <= now) fullAt.delete(each);
    },
  };
}
