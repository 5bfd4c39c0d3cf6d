import { isFailure } from "../../envelope/failures.ts";
import type { CheckScope, Finding } from "./finding.ts";

/** Whether the Redis that joins the agents answers and takes writes, where there is one. */
export async function checkRedis({ config }: CheckScope): Promise<readonly Finding[]> {
  if (isFailure(config) || config.redisUrl === undefined) return [];
  // Loaded late: its library is large, and most have no Redis to look at.
  const { shownRedis, tryRedis } = await import("../../transport/try-redis.ts");
  const where = shownRedis(config.redisUrl);
  const found = await tryRedis(config.redisUrl);
  if (isFailure(found)) {
    const remedy = "Mend that, or correct REDIS_URL: until then agents do not start, and reach nobody.";
    return [{ name: "redis", state: "fail", text: found.text, remedy }];
  }
  const remedy = "Start it, or correct REDIS_URL: until then agents reach nobody, and what is asked waits.";
  if (found.isThere) return [{ name: "redis", state: "ok", text: `${where} answers and takes writes` }];
  return [{ name: "redis", state: "fail", text: `${where} cannot be reached (${found.reason})`, remedy }];
}
