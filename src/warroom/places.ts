import type { Room, RoomFailure } from "./ports.ts";

/** The rooms in the order in which they are tried, and which of them can be used just now. */
export interface Places {
  /** The first that can be used after the one of that name (or the first of all). */
  next(after?: string): Room | undefined;
  find(name: string): Room | undefined;
  /** Whether it is to be left alone just now. */
  isResting(name: string): boolean;
  /** Nothing can be posted there until somebody mends it: it is tried again after a while. */
  close(name: string): void;
  /** Nothing is sent there for so long. */
  rest(name: string, forMs: number): void;
  /** It has not answered: it is left alone for a while, longer each time. */
  unreachable(name: string): void;
  /** It answered. */
  reached(name: string): void;
}

export const TRY_AGAIN_MS = 10 * 60_000;
const LONGEST_REST_MS = 60_000;

/** `now` in ms since some fixed moment, never backwards. */
export function createPlaces(rooms: readonly Room[], now: () => number): Places {
  const closedUntil = new Map<string, number>();
  const restsUntil = new Map<string, number>();
  const failures = new Map<string, number>();

  const isBefore = (until: number | undefined): boolean => until !== undefined && now() < until;

  return {
    next(after) {
      const from = after === undefined ? 0 : rooms.findIndex(({ name }) => name === after) + 1;
      return rooms.slice(from).find(({ name }) => !isBefore(closedUntil.get(name)));
    },
    find: (name) => rooms.find((room) => room.name === name),
    isResting: (name) => isBefore(restsUntil.get(name)),
    close: (name) => void closedUntil.set(name, now() + TRY_AGAIN_MS),
    rest: (name, forMs) => void restsUntil.set(name, now() + forMs),
    unreachable(name) {
      const n = (failures.get(name) ?? 0) + 1;
      failures.set(name, n);
      restsUntil.set(name, now() + Math.min(LONGEST_REST_MS, 1000 * 2 ** Math.min(n - 1, 10)));
    },
    reached: (name) => void failures.delete(name),
  };
}

/** Whether a failure says that the room itself cannot be used. */
export function isRoomGone(why: RoomFailure): boolean {
  return why.kind === "chat_gone" || why.kind === "kicked" || why.kind === "topic_gone";
}
