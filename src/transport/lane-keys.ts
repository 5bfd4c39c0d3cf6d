import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";

/** Where BullMQ keeps a lane. `from` alone writes it, `to` alone reads it. */
export interface LaneName {
  readonly from: string;
  readonly to: string;
}

/** The prefix of every key of every lane, as BullMQ has it. */
export const PREFIX = "bull";

/** BullMQ's own keys of a lane that carries envelopes, with their types in Redis. */
const EXPECTED: Readonly<Record<string, string>> = {
  wait: "list",
  active: "list",
  stalled: "set",
  "stalled-check": "string",
  id: "string",
  meta: "hash",
  events: "stream",
  marker: "zset",
};

/** Keys that BullMQ would make for what our senders never ask for: delays, priorities, kept jobs, flows. */
const STRAY = ["paused", "delayed", "prioritized", "completed", "failed", "waiting-children", "limiter", "pc", "repeat", "de"]; // prettier-ignore

const NAMES = [...Object.keys(EXPECTED), ...STRAY];

const AT_ONCE = 1000;

/** What a lane's sender may not touch, as its reader keeps it. */
const META: Readonly<Record<string, string>> = { "opts.maxLenEvents": "100" };
const GENERATION = "generation";
const MOST_IN_META = 100;

/** BullMQ's name of a lane's queue. */
export function queueName({ from, to }: LaneName): string {
  return `${from}.${to}`;
}

/** A lane's keys in Redis, as its reader looks after them. */
export interface LaneKeys {
  /** Puts in order what is out of order; says in words what that was. Keeps whatever waits in the lane. */
  mend(): Promise<readonly string[]>;
  /** Drops everything that the lane holds, with all its keys; senders send again what still counts. */
  clear(): Promise<void>;
  /** How many envelopes wait. */
  waiting(): Promise<number>;
}

/**
 * Looks after the keys of one lane. A job that a hostile sender names like one of BullMQ's keys turns that key into a
 * hash, and the whole lane stands still until somebody takes it away again.
 */
export function createLaneKeys(redis: Redis, lane: LaneName): LaneKeys {
  const base = `${PREFIX}:${queueName(lane)}:`;
  /** Part of the ids of jobs: what a cleared lane has left behind must not pass for what is sent again. */
  let generation: string | undefined;

  const typesOf = async (names: readonly string[]): Promise<readonly (readonly [string, string])[]> => {
    const pipeline = redis.pipeline();
    for (const name of names) pipeline.type(`${base}${name}`);
    const found = results(await pipeline.exec());
    return names.map((name, i) => [name, String(found[i])] as const);
  };

  /** Some of the ids of jobs that a key lists, those that are next. */
  const nextIn = async (key: string, type: string): Promise<readonly string[]> => {
    if (type === "list") return (await redis.lrange(key, -AT_ONCE, -1)).toReversed();
    return type === "zset" ? redis.zrange(key, "0", String(AT_ONCE - 1)) : [];
  };

  /**
   * Removes the jobs whose ids a key lists, then the key. The lane's sender may go on adding meanwhile: a list loses what
   * was read of it and no more, or jobs would stay that nothing lists and nobody ever takes away.
   */
  const remove = async (name: string, type: string): Promise<void> => {
    const key = `${base}${name}`;
    if (name === "marker" || (type !== "list" && type !== "zset")) {
      await redis.del(key);
      return;
    }
    for (;;) {
      const ids = await nextIn(key, type);
      const pipeline = redis.pipeline();
      for (const id of ids) {
        if (!NAMES.includes(id)) pipeline.del(`${base}${id}`, `${base}${id}:lock`);
        if (type === "list") pipeline.lrem(key, -1, id);
        else pipeline.zrem(key, id);
      }
      results(await pipeline.exec());
      if (ids.length < AT_ONCE) return;
    }
  };

  const mendMeta = async (): Promise<boolean> => {
    // What belongs there is a handful; a heap of it is not even read.
    const isHeap = (await redis.hlen(`${base}meta`)) > MOST_IN_META;
    if (isHeap) await redis.del(`${base}meta`);
    const meta = isHeap ? {} : await redis.hgetall(`${base}meta`);
    generation ??= meta[GENERATION] ?? "";
    const wanted: Record<string, string> =
      generation === "" ? { ...META } : { ...META, [GENERATION]: generation };
    const foreign = Object.keys(meta).filter((field) => !(field in wanted) && field !== "version");
    if (foreign.length > 0) await redis.hdel(`${base}meta`, ...foreign);
    const isMissing = Object.entries(wanted).some(([field, value]) => meta[field] !== value);
    if (isMissing) await redis.hset(`${base}meta`, wanted);
    return isHeap || foreign.length > 0;
  };

  return {
    async mend() {
      const wrong: string[] = [];
      for (const [name, type] of await typesOf(NAMES)) {
        if (type === "none" || type === EXPECTED[name]) continue;
        await remove(name, type);
        wrong.push(name in EXPECTED ? `${name} was a ${type}` : `there was ${name}`);
      }
      if (await mendMeta()) wrong.push("meta held what does not belong there");
      return wrong;
    },
    async clear() {
      for (const [name, type] of await typesOf(NAMES)) if (type !== "none") await remove(name, type);
      generation = randomUUID().slice(0, 8);
      await mendMeta();
    },
    waiting: () => redis.llen(`${base}wait`).catch(() => 0),
  };
}

/** Writes what stands in a lane's meta in any case. Whoever reads the lane may do so. */
export async function writeMeta(redis: Redis, lane: LaneName): Promise<void> {
  await redis.hset(`${PREFIX}:${queueName(lane)}:meta`, META);
}

/** The generation of a lane that this agent sends on: its reader changes it when it clears the lane. */
export async function readGeneration(redis: Redis, lane: LaneName): Promise<string> {
  return (await redis.hget(`${PREFIX}:${queueName(lane)}:meta`, GENERATION)) ?? "";
}

/** Values of a pipeline; rejects with the first error among them. */
function results(replies: readonly [error: Error | null, result: unknown][] | null): readonly unknown[] {
  return (replies ?? []).map(([error, result]) => {
    if (error) throw error;
    return result;
  });
}
