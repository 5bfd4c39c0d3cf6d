import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import type { AgentName, End, Letter, Place } from "./hops.ts";

/**
 * BullMQ alone at its best, while it stays what it is: at least once. At 200 in flight a request over four hops takes 8.4
 * calls of its scripts with this many jobs at a time, where 8 are the least; 9.1 with 50 and 12 with 200. One by one it
 * takes 20 with any number of jobs but one (then 16, and fewer requests a second). Automatic pipelining slows both.
 */
const CONCURRENCY = 16;

/** Each lane a queue of BullMQ. A job is done once what it led to is in the next queue; answers are jobs too. */
export function bareBullmqEnd(url: string): (place: Place) => Promise<End> {
  return async ({ name, neighbours, receive }) => {
    // One connection for all that does not block; each worker opens one more to wait at.
    const connection = new Redis(url, { maxRetriesPerRequest: null });
    connection.setMaxListeners(0);
    const queues = new Map<AgentName, Queue<Letter>>(
      neighbours.map((to) => [
        to,
        new Queue(`${name}.${to}`, {
          connection,
          defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
        }),
      ]),
    );
    const workers = neighbours.map(
      (from) =>
        new Worker<Letter, void>(`${from}.${name}`, ({ data }) => receive(from, data), {
          connection,
          concurrency: CONCURRENCY,
        }),
    );
    await Promise.all([...queues.values(), ...workers].map((each) => each.waitUntilReady()));
    return {
      send: async (to, letter) => void (await queues.get(to)?.add("hop", letter)),
      async close() {
        await Promise.all([...workers, ...queues.values()].map((each) => each.close()));
        connection.disconnect();
      },
    };
  };
}
