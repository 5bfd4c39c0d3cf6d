import type { Redis } from "ioredis";
import { z } from "zod";
import type { AlertReader, StreamedAlert } from "./port.ts";

const STREAMS = "vx:alerts:";
const NAME = /^[a-z][a-z0-9-]*$/;
const AT_ONCE = 200;

/** What stands in a stream is its agent's own word: whatever has not this shape is passed over. */
const Fields = z
  .tuple([z.literal("seq"), z.string().regex(/^[1-9]\d{0,14}$/), z.literal("alert"), z.string()])
  .transform(([, seq, , text]): StreamedAlert => ({ seq: Number(seq), text }));

/** Reads the streams of all agents. It goes on from the last entry that it gave, and from the first after a restart. */
export function createAlertReader(redis: Redis): AlertReader {
  const positions = new Map<string, { id: string; readonly ahead: Map<number, string> }>();

  const positionOf = (agent: string): { id: string; readonly ahead: Map<number, string> } => {
    const position = positions.get(agent) ?? { id: "0-0", ahead: new Map<number, string>() };
    positions.set(agent, position);
    return position;
  };

  return {
    async agents() {
      const names = new Set<string>();
      for (let cursor = "0", begun = false; cursor !== "0" || !begun; begun = true) {
        const [next, keys] = await redis.scan(
          cursor,
          "MATCH",
          `${STREAMS}*`,
          "COUNT",
          1000,
          "TYPE",
          "stream",
        );
        for (const key of keys) names.add(key.slice(STREAMS.length));
        cursor = next;
      }
      return [...names].filter((name) => NAME.test(name)).sort();
    },
    async read(agent, after, limit) {
      const position = positionOf(agent);
      const key = `${STREAMS}${agent}`;
      // A stream that was lost begins anew, with entries that are older than where this reader stands.
      const [last] = await redis.xrevrange(key, "+", "-", "COUNT", 1);
      if (last && isBefore(last[0], position.id)) position.id = "0-0";
      const entries = await redis.xrange(key, `(${position.id}`, "+", "COUNT", AT_ONCE);
      for (const [id, fields] of entries) {
        position.id = id;
        const entry = Fields.safeParse(fields).data;
        if (entry) position.ahead.set(entry.seq, entry.text);
      }
      // What is not confirmed is given again, so it is kept until then.
      for (const seq of position.ahead.keys()) if (seq <= after) position.ahead.delete(seq);
      return [...position.ahead]
        .sort(([one], [other]) => one - other)
        .slice(0, limit)
        .map(([seq, text]) => ({ seq, text }));
    },
    async confirm(agent, upTo) {
      await redis.set(`vx:ack:alerts:${agent}`, upTo);
    },
    close() {
      redis.disconnect();
      return Promise.resolve();
    },
  };
}

function isBefore(id: string, other: string): boolean {
  const [ms = 0, n = 0] = id.split("-").map(Number);
  const [otherMs = 0, otherN = 0] = other.split("-").map(Number);
  return ms < otherMs || (ms === otherMs && n < otherN);
}
