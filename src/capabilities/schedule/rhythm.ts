import { Cron } from "croner";
import { failure, type FailureValue } from "../../envelope/index.ts";
import type { Rhythm } from "./contract.ts";

const LEAST_MS = 1000;
const LONGEST_MS = 366 * 24 * 60 * 60 * 1000;

/** A rhythm that is put down: when it began, and by how much it is shifted. */
export interface Beat {
  readonly rhythm: Rhythm;
  /** Unix ms; distances are counted from here. */
  readonly since: number;
}

/** Why a rhythm cannot be kept; undefined when it can. `now` is Unix ms. */
export function refuseRhythm(rhythm: Rhythm, now: number): FailureValue | undefined {
  if (rhythm.everyMs !== undefined) {
    const isFit =
      Number.isSafeInteger(rhythm.everyMs) && rhythm.everyMs >= LEAST_MS && rhythm.everyMs <= LONGEST_MS;
    return isFit
      ? undefined
      : failure("E_BAD_PARAMS", `Every ${rhythm.everyMs} ms cannot be: from 1 second to 366 days.`);
  }
  try {
    if (cronOf(rhythm).nextRun(new Date(now)) !== null) return undefined;
    return failure("E_BAD_PARAMS", `"${rhythm.cron}" is never due: no such day comes.`);
  } catch (error) {
    return failure("E_BAD_PARAMS", `"${rhythm.cron}" is no cron pattern: ${(error as Error).message}.`);
  }
}

/** The first due time after a moment, Unix ms; undefined when none comes any more. */
export function nextAfter({ rhythm, since }: Beat, moment: number): number | undefined {
  if (rhythm.everyMs === undefined) return cronOf(rhythm).nextRun(new Date(moment))?.getTime();
  if (moment < since) return since;
  return since + (Math.floor((moment - since) / rhythm.everyMs) + 1) * rhythm.everyMs;
}

const MOST_COUNTED = 10_000;

/** How many due times lie after one moment and not after another; counts to 10,000. */
export function countBetween(beat: Beat, from: number, to: number): number {
  const { everyMs } = beat.rhythm;
  if (everyMs !== undefined) return Math.min(MOST_COUNTED, Math.max(0, Math.floor((to - from) / everyMs)));
  let count = 0;
  for (let at = nextAfter(beat, from); at !== undefined && at <= to && count < MOST_COUNTED; count++)
    at = nextAfter(beat, at);
  return count;
}

function cronOf({ cron, zone }: Rhythm & { readonly cron: string }): Cron {
  return new Cron(cron, { timezone: zone, paused: true });
}
