import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import type { AgentName, End, Letter, Place } from "./hops.ts";

/**
 * BullMQ alone at its best while it stays what it is, at least once: the settings that were quickest of those tried.
 * Fewer jobs at a time are as quick one by one and slower in a crowd; many more, or automatic pipelining, slow both.
 */
const CONCURRENCY = 50;

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
