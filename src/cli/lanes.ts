import type { Config } from "../config.ts";
import type { Clock, FailureValue } from "../envelope/index.ts";
import { isFailure } from "../envelope/index.ts";
import type { Log } from "../sdk/context.ts";
import { createBullmqTransport } from "../transport/bullmq.ts";
import { createLocalTransport } from "../transport/local.ts";
import type { LaneState, Transport } from "../transport/port.ts";
import { shownRedis, tryRedis } from "../transport/try-redis.ts";

/**
 * The lanes of this process: in memory, or over Redis where the settings name one. That Redis is away is told once each
 * time, and is no failure: what is asked meanwhile waits in the ledgers. E_TRANSPORT when waiting would not help, or
 * somebody has to mend that Redis; once lanes are open that, too, is told once, and waited for.
 */
export async function openLanes(
  { redisUrl }: Config,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<Transport | FailureValue> {
  if (redisUrl === undefined) return createLocalTransport();
  const where = shownRedis(redisUrl);
  const found = await tryRedis(redisUrl);
  if (isFailure(found)) return found;
  if (!found.isThere) log.warn(awayText(where, found.reason));
  const transport = createBullmqTransport({
    url: redisUrl,
    clock,
    onError: (error) => log.debug("Redis", { error: error.message }),
  });
  return told(transport, { log, where, isThere: found.isThere });
}

/** Tells the log when Redis goes, or takes no writes, and when it is back. */
function told(
  transport: Transport,
  { log, where, isThere }: { readonly log: Log; readonly where: string; readonly isThere: boolean },
): Transport {
  return {
    isShared: transport.isShared,
    readAlerts: () => transport.readAlerts(),
    join(end) {
      let last: LaneState = isThere ? "up" : "down";
      let lastWhy: string | undefined;
      return transport.join({
        ...end,
        onChange(state, why) {
          if (state !== last || (why !== undefined && why !== lastWhy)) {
            log.warn(state === "up" ? `Redis at ${where} is there.` : downText(where, why));
          }
          last = state;
          lastWhy = why;
          end.onChange(state, why);
        },
      });
    },
  };
}

function downText(where: string, why: string | undefined): string {
  if (why === undefined) return awayText(where, "it does not answer");
  return `Redis at ${where} cannot be used: ${why}. What is asked waits until then.`;
}

function awayText(where: string, reason: string): string {
  return `Redis at ${where} cannot be reached (${reason}). What is asked waits until it is back; start it, or correct REDIS_URL.`;
}
