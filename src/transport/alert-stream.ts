import type { Redis } from "ioredis";
import type { AlertStream } from "./port.ts";

/** So many stay in Redis when nobody reads them; the agent's own ledger keeps more. */
const MOST_IN_STREAM = 2000;

/** An agent's alerts as a stream in Redis: the agent only ever adds, and the war room alone says what it has taken. */
export function createAlertStream(redis: Redis, agent: string): AlertStream {
  return {
    async add(seq, text) {
      await redis.xadd(`vx:alerts:${agent}`, "MAXLEN", "~", MOST_IN_STREAM, "*", "seq", seq, "alert", text);
    },
    async newest(most) {
      try {
        const entries = await redis.xrevrange(`vx:alerts:${agent}`, "+", "-", "COUNT", most);
        return entries.map(([, [, seq]]) => Number(seq));
      } catch (error) {
        if ((error as Error).message.startsWith("NOPERM")) return undefined;
        throw error;
      }
    },
    confirmed: async () => Number((await redis.get(`vx:ack:alerts:${agent}`)) ?? 0) || 0,
  };
}
