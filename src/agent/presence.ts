import type { Neighbour } from "../admission/index.ts";
import type { Clock } from "../envelope/index.ts";
import type { Log } from "../sdk/context.ts";
import type { LaneState } from "../transport/port.ts";

/** A child was lost, or is heard again after that. A planned stop that lasts is told as well. */
export interface PresenceChange {
  readonly child: string;
  readonly state: "online" | "offline";
  /** It had said before that it would stop. */
  readonly isPlanned: boolean;
}

/** Which children are there, as far as can be told by hearing them. */
export interface Presence {
  /** Begins to count silence; `isUp`: whether the agent's own lanes can be used. */
  start(isUp: boolean): void;
  /** Takes note of a child's envelope. What it says of itself, where it does: that it is up, or that it stops. */
  heard(child: string, says?: "up" | "stopping"): void;
  /** The agent's own lanes can be used again, or no longer: meanwhile nobody's silence counts. */
  turn(lanes: LaneState): void;
  isOnline(child: string): boolean;
  /** Whether a child was heard since the start; until its silence has lasted, others count as online all the same. */
  hasHeard(child: string): boolean;
  /** Whether a child has said that it stops, and has not started again. */
  isStopping(child: string): boolean;
  /** Whether a child that does not start by itself was not heard since the start, though it had its time. */
  isNotStarted(child: string): boolean;
  /** For how long a child has not been heard, in ms. */
  silentMs(child: string): number;
  stop(): void;
}

export interface PresenceParts {
  readonly children: readonly Pick<Neighbour, "name" | "autostart">[];
  /** Whether a child can fall silent without a word; those of one process cannot. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** A child counts as offline from now on, whether it was planned or not. */
  readonly onOffline: (child: string) => void;
  /** A child that counted as offline is heard again. */
  readonly onOnline: (child: string) => void;
  /** What an operator should hear of. */
  readonly onChange: (change: PresenceChange) => void;
}

const OFFLINE_AFTER_MS = 15_000;
const PLANNED_WITHIN_MS = 120_000;
const TICK_MS = 1000;
/** A tick that comes later than this tells that this machine stood still, and could hear nobody. */
const STOOD_STILL_MS = 3000;

interface Watched {
  readonly name: string;
  /** Whether nobody can expect it before it was heard once. */
  readonly isStartedByHand: boolean;
  heardAt: number;
  wasHeard: boolean;
  /** From when its silence counts. */
  quietFrom: number;
  isOffline: boolean;
  isStopping: boolean;
  /** Whether an operator has been told that it is gone. */
  isTold: boolean;
}

export function createPresence(parts: PresenceParts): Presence {
  return parts.isShared ? watch(parts) : ALWAYS_THERE;
}

const ALWAYS_THERE: Presence = {
  start: () => undefined,
  heard: () => undefined,
  turn: () => undefined,
  isOnline: () => true,
  hasHeard: () => true,
  isStopping: () => false,
  isNotStarted: () => false,
  silentMs: () => 0,
  stop: () => undefined,
};

function watch({ children, clock, log, onOffline, onOnline, onChange }: PresenceParts): Presence {
  const createdAt = clock.monotonic();
  const watched = new Map(
    children.map(({ name, autostart }) => [
      name,
      {
        name,
        isStartedByHand: autostart === false,
        heardAt: createdAt,
        wasHeard: false,
        quietFrom: createdAt,
        isOffline: false,
        isStopping: false,
        isTold: false,
      },
    ]),
  );
  let tickedAt = createdAt;
  let isStopped = false;
  let stopTick: (() => void) | undefined;

  const tell = (one: Watched, text: string): void => {
    one.isTold = true;
    log.warn(text, { child: one.name });
    onChange({ child: one.name, state: "offline", isPlanned: one.isStopping });
  };

  const judge = (one: Watched, quietMs: number): void => {
    if (!one.isOffline && quietMs >= OFFLINE_AFTER_MS) {
      one.isOffline = true;
      // Nobody has started it: that it is silent is no news.
      const isAwaited = one.wasHeard || !one.isStartedByHand;
      if (isAwaited && !one.isStopping)
        tell(one, `${one.name} has not been heard for ${OFFLINE_AFTER_MS / 1000} s`);
      onOffline(one.name);
    }
    if (one.isStopping && !one.isTold && quietMs >= PLANNED_WITHIN_MS) {
      tell(one, `${one.name} was stopped as planned and is not back after 2 minutes`);
    }
  };

  const comeBack = (one: Watched, isFirst: boolean): void => {
    const { isTold, isOffline, isStopping: isPlanned } = one;
    one.isOffline = false;
    one.isStopping = false;
    one.isTold = false;
    log.info(isFirst && one.isStartedByHand ? `${one.name} was started` : `${one.name} is back`, {
      child: one.name,
    });
    if (isOffline) onOnline(one.name);
    if (isTold) onChange({ child: one.name, state: "online", isPlanned });
  };

  const startAfresh = (): void => {
    const now = clock.monotonic();
    tickedAt = now;
    for (const one of watched.values()) one.quietFrom = now;
  };

  const tick = (): void => {
    const now = clock.monotonic();
    if (now - tickedAt > STOOD_STILL_MS) startAfresh();
    tickedAt = now;
    for (const one of watched.values()) judge(one, now - one.quietFrom);
    wind();
  };

  /** The next tick falls on the moment at which somebody's silence becomes too long, or comes before it. */
  const wind = (): void => {
    const now = clock.monotonic();
    const left = [...watched.values()].flatMap(({ quietFrom, isOffline }) =>
      isOffline ? [] : [quietFrom + OFFLINE_AFTER_MS - now],
    );
    stopTick = clock.after(Math.min(TICK_MS, ...left), tick);
  };

  const turn = (lanes: LaneState): void => {
    stopTick?.();
    stopTick = undefined;
    if (lanes === "down" || watched.size === 0 || isStopped) return;
    startAfresh();
    wind();
  };

  return {
    turn,
    start: (isUp) => turn(isUp ? "up" : "down"),
    heard(child, says) {
      const one = watched.get(child);
      if (!one) return;
      const isFirst = !one.wasHeard;
      one.heardAt = clock.monotonic();
      one.wasHeard = true;
      one.quietFrom = one.heardAt;
      // What was under way when it left may come after its last word; only who starts says that it is up.
      if ((one.isOffline && !one.isStopping) || (one.isStopping && says === "up")) comeBack(one, isFirst);
      if (says !== "stopping" || one.isStopping) return;
      one.isStopping = true;
      log.info(`${child} stops as planned`, { child });
    },
    isOnline: (child) => watched.get(child)?.isOffline !== true,
    hasHeard: (child) => watched.get(child)?.wasHeard === true,
    isStopping: (child) => watched.get(child)?.isStopping === true,
    isNotStarted(child) {
      const one = watched.get(child);
      return one !== undefined && one.isStartedByHand && !one.wasHeard && one.isOffline;
    },
    silentMs: (child) => clock.monotonic() - (watched.get(child)?.heardAt ?? createdAt),
    stop() {
      isStopped = true;
      stopTick?.();
      stopTick = undefined;
    },
  };
}
