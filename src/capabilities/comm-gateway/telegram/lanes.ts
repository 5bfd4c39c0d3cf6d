import type { Clock } from "../../../envelope/clock.ts";
import type { Pace } from "./pace.ts";

/** What a step tells about the next one of its chat. */
export type StepEnd =
  | { readonly kind: "done" }
  /** Not again in this chat before so long. */
  | { readonly kind: "flood"; readonly retryAfterMs: number }
  /** Nothing was reached: again a little later, each time longer. */
  | { readonly kind: "later" }
  /** Nothing works for this bot: all chats stand still until `resume`. */
  | { readonly kind: "halt" };

/** One call to Telegram and the record of what became of it. */
export type Step = () => Promise<StepEnd>;

/** Steps of each chat one after the other, those of different chats beside each other. */
export interface Lanes {
  /** There may be something to do for a chat. */
  wake(chat: number): void;
  /** Ms for which a chat has to wait by Telegram's word; 0 when it has not. */
  heldMs(chat: number): number;
  readonly isHalted: () => boolean;
  /** Goes on after a halt. */
  resume(): void;
  /** Begins no further step. Resolves when those under way have ended. */
  close(): Promise<void>;
}

export interface LanesParts {
  readonly clock: Clock;
  readonly pace: Pace;
  /** What a chat has to do next, undefined when nothing is left. Asking changes nothing: the step alone does. */
  readonly next: (chat: number) => Step | undefined;
  /** All chats stand still from now on. */
  readonly onHalt: () => void;
  readonly onFault: (error: unknown) => void;
}

const LONGEST_WAIT_MS = 60_000;

export function createLanes({ clock, pace, next, onHalt, onFault }: LanesParts): Lanes {
  const working = new Map<number, Promise<void>>();
  const heldUntil = new Map<number, number>();
  const sleepers = new Set<() => void>();
  let isHalted = false;
  let isClosed = false;

  const heldMs = (chat: number): number => Math.max(0, (heldUntil.get(chat) ?? 0) - clock.monotonic());
  const isStill = (): boolean => isHalted || isClosed;

  async function sleep(ms: number): Promise<void> {
    if (isStill()) return;
    const woken = Promise.withResolvers<void>();
    const stop = clock.after(ms, woken.resolve);
    sleepers.add(woken.resolve);
    await woken.promise;
    stop();
    sleepers.delete(woken.resolve);
  }

  const wakeSleepers = (): void => {
    for (const wake of sleepers) wake();
  };

  async function take(step: Step | undefined): Promise<StepEnd> {
    try {
      return (await step?.()) ?? { kind: "done" };
    } catch (error) {
      onFault(error);
      return { kind: "later" };
    }
  }

  async function work(chat: number): Promise<void> {
    let failures = 0;
    // Whoever woke the chat may not have committed yet what it is to do.
    await Promise.resolve();
    while (!isStill() && next(chat)) {
      const waitMs = Math.max(heldMs(chat), pace.waitMs(chat));
      // What is to be done is looked up again after the wait: by then it may be something else.
      if (waitMs > 0) {
        await sleep(waitMs);
        continue;
      }
      heldUntil.delete(chat);
      pace.spend(chat);
      const end = await take(next(chat));
      failures = end.kind === "later" ? failures + 1 : 0;
      switch (end.kind) {
        case "done":
          break;
        case "flood":
          heldUntil.set(chat, clock.monotonic() + end.retryAfterMs);
          break;
        case "later":
          await sleep(Math.min(LONGEST_WAIT_MS, 1000 * 2 ** Math.min(failures - 1, 6)));
          break;
        case "halt":
          isHalted = true;
          wakeSleepers();
          onHalt();
      }
    }
  }

  const wake = (chat: number): void => {
    if (isStill() || working.has(chat)) return;
    const ended = work(chat).finally(() => {
      working.delete(chat);
      // Something may have come up just as the last look was taken.
      if (!isStill() && next(chat)) wake(chat);
    });
    working.set(chat, ended);
  };

  return {
    wake,
    heldMs,
    isHalted: () => isHalted,
    resume() {
      isHalted = false;
    },
    async close() {
      isClosed = true;
      wakeSleepers();
      await Promise.all(working.values());
    },
  };
}
