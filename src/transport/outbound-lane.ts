import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { LaneName } from "./lane-keys.ts";
import { PREFIX, queueName, readGeneration } from "./lane-keys.ts";
import type { Parcel } from "./port.ts";

/** The lane from this agent to one neighbour. */
export interface OutboundLane {
  /** Resolves when the envelope is in Redis. */
  send(parcel: Parcel): Promise<void>;
  /** Looks what the lane's reader has done to it; called each second while Redis answers. */
  tend(): Promise<void>;
  close(): Promise<void>;
}

export interface OutboundLaneParts {
  readonly redis: Redis;
  readonly lane: LaneName;
  readonly onError: (error: Error) => void;
}

/** What one job carries: an envelope, or several that came up while the one before was on its way to Redis. */
export type Freight = string | readonly string[];

export const MOST_TOGETHER = 64;
/** A large envelope goes by itself: what is beside it need not wait for it. */
const MOST_CHARACTERS_TOGETHER = 64 * 1024;

interface Waiting {
  readonly parcel: Parcel;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Under load a job costs more than what it carries. So while one is being added, what comes up waits for it, and goes
 * with the next one together; with nothing on its way, an envelope goes at once.
 */
export function createOutboundLane({ redis, lane, onError }: OutboundLaneParts): OutboundLane {
  const queue = new Queue<Freight, void>(queueName(lane), {
    connection: redis,
    prefix: PREFIX,
    skipVersionCheck: true,
    // The reader alone keeps a lane's meta.
    skipMetasUpdate: true,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on("error", onError);
  let generation = "";
  let waiting: Waiting[] = [];
  let isAdding = false;

  const add = (id: string, freight: Freight): Promise<unknown> =>
    queue.add("vox", freight, { jobId: `m.${generation}${id}` });

  const pump = async (): Promise<void> => {
    while (waiting.length > 0) {
      const count = countTogether(waiting);
      const batch = waiting.slice(0, count);
      waiting = waiting.slice(count);
      const [first, ...others] = batch;
      if (!first) break;
      const texts = batch.map(({ parcel }) => parcel.text);
      try {
        await add(first.parcel.id, others.length === 0 ? first.parcel.text : texts);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isAdding = false;
  };

  return {
    async send(parcel) {
      // A repeat goes by itself: where the first copy still waits under its own id, Redis drops the second.
      if (parcel.isRepeat === true) {
        await add(parcel.id, parcel.text);
        return;
      }
      await new Promise<void>((resolve, reject) => {
        waiting.push({ parcel, resolve, reject });
        if (isAdding) return;
        isAdding = true;
        // What is sent in the same breath goes along.
        queueMicrotask(() => void pump());
      });
    },
    async tend() {
      generation = await readGeneration(redis, lane);
    },
    close: () => queue.close(),
  };
}

/** How many of those that wait go together. */
function countTogether(waiting: readonly Waiting[]): number {
  let characters = 0;
  const most = waiting.slice(0, MOST_TOGETHER);
  const first = most.findIndex(({ parcel }) => (characters += parcel.text.length) > MOST_CHARACTERS_TOGETHER);
  return first < 0 ? most.length : Math.max(1, first);
}
