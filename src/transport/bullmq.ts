import type { Clock } from "../envelope/index.ts";
import { systemClock } from "../envelope/index.ts";
import { Redis } from "ioredis";
import { createAlertReader } from "./alert-reader.ts";
import { createAlertStream } from "./alert-stream.ts";
import { createInboundLane } from "./inbound-lane.ts";
import { createOutboundLane } from "./outbound-lane.ts";
import type { Connection, LaneEnd, Parcel, Transport } from "./port.ts";
import { writeMeta } from "./lane-keys.ts";
import { createRedisLink } from "./redis-link.ts";

export interface BullmqTransportParts {
  /** `redis://` or `rediss://`, with user and password where there are some. */
  readonly url: string;
  readonly clock?: Clock;
  /** Told of what goes wrong between this process and Redis; it goes on trying. */
  readonly onError?: (error: Error) => void;
}

const UP_WITHIN_MS = 2000;
const READ_WITHIN_MS = 5000;
const RETRY_EVERY_MS = 1000;

/**
 * Lanes as BullMQ queues in Redis, one for each directed edge of the tree: `<from>.<to>`. They hold what is under way;
 * the ledgers alone are durable, and send again what was lost here.
 */
export function createBullmqTransport(parts: BullmqTransportParts): Transport {
  const clock = parts.clock ?? systemClock();
  const onError = parts.onError ?? (() => undefined);
  return {
    isShared: true,
    readAlerts: () => createAlertReader(openReader(parts.url, onError)),
    join: (end) => join(end, { url: parts.url, clock, onError }),
  };
}

/** A client that gives a command up when nobody answers: the war room asks again. */
function openReader(url: string, onError: (error: Error) => void): Redis {
  const client = new Redis(url, {
    maxRetriesPerRequest: 1,
    commandTimeout: READ_WITHIN_MS,
    retryStrategy: () => RETRY_EVERY_MS,
  });
  client.on("error", onError);
  return client;
}

async function join(end: LaneEnd, parts: Required<BullmqTransportParts>): Promise<Connection> {
  const { clock, onError } = parts;
  const tended = new Set<object>();
  const [first] = end.neighbours;
  const link = createRedisLink({
    ...parts,
    onChange: end.onChange,
    // As the reader of a lane keeps it all the same; an agent without neighbours has nothing to write.
    tryWriting: async (redis) => {
      if (first !== undefined) await writeMeta(redis, { from: first, to: end.name });
    },
    onSecond() {
      for (const lane of [...outbound.values(), ...inbound]) {
        // One that takes long keeps no other waiting.
        if (tended.has(lane)) continue;
        tended.add(lane);
        void lane
          .tend()
          .catch(onError)
          .finally(() => tended.delete(lane));
      }
    },
  });
  const { client } = link;
  // Every queue and worker listens to the one client.
  client.setMaxListeners(0);
  const inbound = end.neighbours.map((from) =>
    createInboundLane({
      redis: client,
      lane: { from, to: end.name },
      clock,
      receive: (text) => end.receive(from, text),
      onTrouble: end.onTrouble,
      onError,
    }),
  );
  const outbound = new Map(
    end.neighbours.map((to) => [
      to,
      createOutboundLane({ redis: client, lane: { from: end.name, to }, onError }),
    ]),
  );
  await link.settled(UP_WITHIN_MS);

  return {
    isUp: () => link.isUp,
    sharedNow: () => link.sharedNow(),
    alerts: createAlertStream(client, end.name),
    async send(to: string, parcel: Parcel) {
      const lane = outbound.get(to);
      if (!lane) throw new Error(`there is no lane to ${to}`);
      // While Redis is away nothing is piled up here: the ledger sends it when it is back.
      if (!link.isUp) throw new Error("Redis does not answer, or takes no writes");
      await lane.send(parcel);
    },
    async close() {
      // Without Redis, both would wait for it before they close.
      await Promise.all(inbound.map((lane) => lane.close(link.isUp)));
      if (link.isUp) await Promise.all([...outbound.values()].map((queue) => queue.close()));
      await link.close();
    },
  };
}
