import { z } from "zod";
import type { Neighbour } from "../admission/index.ts";
import type { Clock } from "../envelope/index.ts";
import { endsWithin } from "../envelope/index.ts";
import type { Parcel } from "../transport/port.ts";
import type { CommandMap } from "./command-map.ts";
import type { Letters } from "./letters.ts";

/** What an agent tells its master of itself: the digest of what it offers, and whether it is up. */
export const Heartbeat = z.strictObject({
  commands: z.string().regex(/^[0-9a-f]{16}$/),
  state: z.enum(["up", "stopping"]),
});
export type Heartbeat = z.output<typeof Heartbeat>;

/** Lets an agent's master hear it. */
export interface Heart {
  start(): void;
  /** One more beat at once: the lanes have come back. */
  beat(): void;
  /** The last beat, which says that the stop is planned. Resolves when it is on its lane, or will not get there. */
  farewell(): Promise<void>;
  stop(): void;
}

export interface HeartParts {
  readonly master: Neighbour | undefined;
  /** Neighbours of one process need no sign of life. */
  readonly isShared: boolean;
  readonly map: Pick<CommandMap, "digest">;
  readonly letters: Letters;
  readonly clock: Clock;
  /** Rejects when the lane did not take it. */
  readonly send: (to: string, parcel: Parcel) => Promise<void>;
}

const EVERY_MS = 5000;
const FAREWELL_WITHIN_MS = 500;

export function createHeart(parts: HeartParts): Heart {
  const { isShared, map, letters, clock } = parts;
  const master = isShared ? parts.master : undefined;
  const places: Partial<Record<Heartbeat["state"], string>> = {};
  let stopTimer: (() => void) | undefined;

  const send = async (state: Heartbeat["state"]): Promise<void> => {
    if (!master) return;
    const to = { address: `agent.${master.id}`, name: master.name };
    const { message, text } = letters.heartbeat(to, { commands: map.digest, state });
    // On its lane each word has one place: a master that is away for days comes back to one beat, and not to all.
    const id = (places[state] ??= message.message_id);
    // The next one says the same, and a master that hears none knows what to think.
    await parts.send(to.name, { id, text, isRepeat: true }).catch(() => undefined);
  };

  const run = (): void => {
    void send("up");
    stopTimer = clock.after(EVERY_MS, run);
  };

  const stop = (): void => {
    stopTimer?.();
    stopTimer = undefined;
  };

  return {
    stop,
    start() {
      if (master) run();
    },
    beat() {
      if (stopTimer) void send("up");
    },
    async farewell() {
      if (!stopTimer) return;
      stop();
      await endsWithin(clock, FAREWELL_WITHIN_MS, send("stopping"));
    },
  };
}
