import { randomUUID } from "node:crypto";
import { Queue } from "bullmq";
import type { Redis } from "ioredis";

/** Lanes in the hands of somebody with all rights. */
export interface LaneHands extends AsyncDisposable {
  /** Puts texts on a lane, as whoever may write it could; each under an id of its own unless one is given. */
  push(lane: string, texts: readonly string[], options?: PushOptions): Promise<void>;
  /** Puts what waits in a lane into another order; says how many they were. */
  reorder(lane: string, shuffled: (ids: readonly string[]) => readonly string[]): Promise<number>;
  /** Keys of lanes beyond those that a lane in order keeps. */
  leftovers(): Promise<readonly string[]>;
}

/** What a sender may ask of BullMQ for a job, whatever is made of it. */
export interface PushOptions {
  readonly jobId?: string;
  readonly attempts?: number;
  readonly priority?: number;
  readonly delay?: number;
}

const AT_ONCE = 1000;
const STANDING = new Set(["meta", "id", "events", "stalled-check"]);
/** What came meanwhile stays in front, where a lane takes in what is new. */
const REORDER =
  "for i, id in ipairs(ARGV) do if redis.call('LREM', KEYS[1], 1, id) == 1 then redis.call('RPUSH', KEYS[1], id) end end return #ARGV";

export function createLaneHands(admin: Redis): LaneHands {
  const queues = new Map<string, Queue>();
  const queueOf = (lane: string): Queue => {
    const queue = queues.get(lane) ?? new Queue(lane, { connection: admin, skipVersionCheck: true });
    if (!queues.has(lane)) queue.on("error", () => undefined);
    queues.set(lane, queue);
    return queue;
  };
  return {
    async push(lane, texts, { jobId, ...options } = {}) {
      const queue = queueOf(lane);
      const jobs = texts.map((data) => ({
        name: "vox",
        data,
        opts: {
          jobId: jobId ?? `x.${randomUUID()}`,
          removeOnComplete: true,
          removeOnFail: true,
          ...options,
        },
      }));
      for (let at = 0; at < jobs.length; at += AT_ONCE) await queue.addBulk(jobs.slice(at, at + AT_ONCE));
    },
    async reorder(lane, shuffled) {
      const key = `bull:${lane}:wait`;
      const ids = await admin.lrange(key, 0, -1);
      if (ids.length > 1) await admin.eval(REORDER, 1, key, ...shuffled(ids));
      return ids.length;
    },
    async leftovers() {
      const keys = await admin.keys("bull:*");
      return keys.filter((key) => !STANDING.has(key.split(":")[2] ?? ""));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
