import type { Room, RoomFailure } from "./ports.ts";

/** The rooms in the order in which they are tried, and which of them can be used just now. */
export interface Places {
  /** The first that can be used after the one of that name (or the first of all). */
  next(now: number, after?: string): Room | undefined;
  find(name: string): Room | undefined;
  /** Whether all of them are to be left alone, or this one where it is named. */
  isResting(now: number, name?: string): boolean;
  /** Nothing can be posted there until somebody mends it: it is tried again after a while. */
  close(name: string, now: number): void;
  /** Nothing is sent there until then. */
  rest(name: string, until: number): void;
  /** It has not answered; says how long it is left alone. */
  unreachable(name: string, now: number): void;
  /** It answered. */
  reached(name: string): void;
}

export const TRY_AGAIN_MS = 10 * 60_000;
const LONGEST_REST_MS = 60_000;

export function createPlaces(rooms: readonly Room[]): Places {
  const closedUntil = new Map<string, number>();
  const restsUntil = new Map<string, number>();
  const failures = new Map<string, number>();

  const isClosed = (name: string, now: number): boolean => (closedUntil.get(name) ?? 0) > now;

  return {
    next(now, after) {
      const from = after === undefined ? 0 : rooms.findIndex(({ name }) => name === after) + 1;
      return rooms.slice(from).find(({ name }) => !isClosed(name, now));
    },
    find: (name) => rooms.find((room) => room.name === name),
    isResting: (now, name) =>
      (name === undefined ? rooms.filter((room) => !isClosed(room.name, now)).slice(0, 1) : [{ name }]).some(
        (room) => (restsUntil.get(room.name) ?? 0) > now,
      ),
    close: (name, now) => void closedUntil.set(name, now + TRY_AGAIN_MS),
    rest: (name, until) => void restsUntil.set(name, until),
    unreachable(name, now) {
      const n = (failures.get(name) ?? 0) + 1;
      failures.set(name, n);
      restsUntil.set(name, now + Math.min(LONGEST_REST_MS, 1000 * 2 ** (n - 1)));
    },
    reached: (name) => void failures.delete(name),
  };
}

/** Whether a failure says that the room itself cannot be used. */
export function isRoomGone(why: RoomFailure): boolean {
  return why.kind === "chat_gone" || why.kind === "kicked" || why.kind === "topic_gone";
}
