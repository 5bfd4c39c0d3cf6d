import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import type { Clock } from "../envelope/index.ts";
import { endsWithin } from "../envelope/index.ts";
import type { LaneState } from "./port.ts";
import { whyUnwritable } from "./unwritable.ts";

/** An agent's connection with Redis, and what it knows by it. */
export interface RedisLink {
  readonly client: Redis;
  /** Whether Redis answers, and takes writes. */
  readonly isUp: boolean;
  /** Unix ms by the clock of Redis; `undefined` before it was first asked. */
  sharedNow(): number | undefined;
  /** Whether Redis answers and takes writes within `ms`; resolves as soon as it does. */
  settled(ms: number): Promise<boolean>;
  close(): Promise<void>;
}

export interface RedisLinkParts {
  readonly url: string;
  readonly clock: Clock;
  /**
   * Redis can be used, or no longer; `why` it takes no writes although it answers. `up` again without a `down` between:
   * what it held may be lost.
   */
  readonly onChange: (state: LaneState, why?: string) => void;
  /** A write that changes nothing: it is tried each second, since what can be read only carries nothing. */
  readonly tryWriting: (client: Redis) => Promise<unknown>;
  /** Called each second while Redis answers. */
  readonly onSecond: () => void;
  readonly onError: (error: Error) => void;
}

const LONGEST_RETRY_MS = 2000;
const EVERY_MS = 1000;
/** A Redis that has not answered for this long is as good as away. */
const SILENT_MS = 2500;
const LONGEST_SAMPLE_MS = 500;
/** Two clocks do not drift apart by this much in a second: one of them was set, or the sample is wrong. */
const MOST_DRIFT_MS = 2000;
/** Set once by whoever comes first; it is gone when Redis was wiped. */
const EPOCH = "vx:epoch";

/** Connects, and goes on trying for as long as it takes; what does not work meanwhile is told to `onError`. */
export function createRedisLink(parts: RedisLinkParts): RedisLink {
  const { clock } = parts;
  const client = openRedis(parts.url);
  const settled = Promise.withResolvers<void>();
  let isUp = false;
  /** Why it takes no writes, as was told last. */
  let unwritable: string | undefined;
  let isClosed = false;
  let epoch: string | undefined;
  let offset: number | undefined;
  /** A sample that is far from the ones before: it is believed when the next one agrees. */
  let suspected: number | undefined;
  let asking: Promise<unknown> | undefined;
  let stopTimer: (() => void) | undefined;

  const change = (state: LaneState, why?: string): void => {
    isUp = state === "up";
    unwritable = why;
    if (isUp) settled.resolve();
    parts.onChange(state, why);
  };

  const askTime = async (): Promise<void> => {
    const before = clock.monotonic();
    const [s, us] = await client.time();
    const after = clock.monotonic();
    // Whoever was held up between question and answer does not know when it was that time.
    if (after - before > LONGEST_SAMPLE_MS) return;
    const sample = Number(s) * 1000 + Math.floor(Number(us) / 1000) - (before + after) / 2;
    if (
      offset === undefined ||
      isNear(sample, offset) ||
      (suspected !== undefined && isNear(sample, suspected))
    ) {
      offset = sample;
      suspected = undefined;
    } else {
      suspected = sample;
    }
  };

  const readEpoch = async (): Promise<string> => {
    const found = await client.get(EPOCH);
    if (found !== null) return found;
    await client.set(EPOCH, randomUUID(), "NX");
    return (await client.get(EPOCH)) ?? "";
  };

  /** Whether Redis is there, and still the one that it was. */
  const ask = async (): Promise<void> => {
    const found = await readEpoch();
    await askTime();
    await parts.tryWriting(client).catch(rethrowUnwritable);
    const isNew = found !== epoch;
    epoch = found;
    if (!isClosed && (!isUp || isNew)) change("up");
  };

  /** A connection may stand while nobody answers at its other end. */
  const askInTime = async (): Promise<void> => {
    let stopWaiting = (): void => undefined;
    const wait = (): void => {
      stopWaiting = clock.after(SILENT_MS, () => {
        if (isClosed) return;
        if (isUp) change("down");
        // It may lead nowhere any more: the question goes on by another one.
        client.disconnect(true);
        wait();
      });
    };
    wait();
    await ask().finally(() => stopWaiting());
  };

  const second = (): void => {
    stopTimer?.();
    if (isClosed) return;
    stopTimer = clock.after(EVERY_MS, second);
    if (client.status !== "ready") return;
    // What takes longer than a second goes on beside the next one.
    asking ??= askInTime()
      .catch((error: Error) => {
        parts.onError(error);
        const why = whyUnwritable(error);
        if (!isClosed && (isUp || why !== unwritable)) change("down", why);
      })
      .finally(() => (asking = undefined));
    if (isUp) parts.onSecond();
  };

  client.on("error", parts.onError);
  client.on("ready", second);
  client.on("close", () => {
    // Whoever leaves by itself has lost nothing.
    if (isUp && !isClosed) change("down");
  });

  return {
    client,
    get isUp() {
      return isUp;
    },
    sharedNow: () => (offset === undefined ? undefined : Math.round(offset + clock.monotonic())),
    settled: (ms) => endsWithin(clock, ms, settled.promise),
    close() {
      isClosed = true;
      stopTimer?.();
      client.disconnect();
      return Promise.resolve();
    },
  };
}

/** Of a write that is only tried, nothing else counts: somebody may have damaged the key that it is tried at. */
function rethrowUnwritable(error: Error): void {
  if (error.name !== "ReplyError" || whyUnwritable(error) !== undefined) throw error;
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= MOST_DRIFT_MS;
}

/** A client as BullMQ wants its own: it never gives a command up, and connects again within two seconds. */
function openRedis(url: string): Redis {
  return new Redis(url, {
    maxRetriesPerRequest: null,
    enableReadyCheck: false,
    retryStrategy: (times) => Math.min(50 * 2 ** times, LONGEST_RETRY_MS),
  });
}
