import { createHash } from "node:crypto";
import { z } from "zod";
import { type Clock, isFailure } from "../../envelope/index.ts";
import type { CapabilityDefinition } from "../../sdk/capability.ts";
import type { Rhythm, Schedule } from "./contract.ts";
import { dropEntry, type Entry, keepEntry, listEntries, readEntry, toPlanned } from "./entries.ts";
import { nextAfter, refuseRhythm } from "./rhythm.ts";
import { catchUp, tick } from "./tick.ts";

export type { Schedule } from "./contract.ts";

const TICK_MS = 1000;
/** A wall clock that goes back by more was set. */
const SET_BACK_MS = 2000;
const MOST_PREVIEWED = 100;

/** The capability to have an event raised later: once, or again and again. */
export function createScheduleCapability({
  clock,
}: {
  readonly clock: Pick<Clock, "now">;
}): CapabilityDefinition<"schedule"> {
  return {
    id: "schedule",
    rootOnly: false,
    settings: z.strictObject({}).prefault({}),
    mount({ own, agent }) {
      let stopTick: (() => void) | undefined;
      let isClosed = false;
      return {
        handle: ({ role, own: store, request }): Schedule => {
          const find = (key: string): Entry | undefined => readEntry(store, role, key);
          const keep = (entry: Entry): ReturnType<Schedule["at"]> => {
            keepEntry(store, entry);
            return toPlanned(entry);
          };
          const { id, askedBy, language, zone } = request;
          const base = { role, isPaused: false, cause: { id, askedBy, language, zone } };
          const setPaused = (key: string, isPaused: boolean): ReturnType<Schedule["pause"]> => {
            const entry = find(key);
            if (!entry) return undefined;
            const { rhythm, since } = entry;
            // What was due meanwhile is over; what happens once is still owed.
            const nextAt = (rhythm && nextAfter({ rhythm, since }, clock.now())) ?? entry.nextAt;
            return keep({ ...entry, isPaused, nextAt });
          };
          return {
            at(key, { at, event, payload }) {
              const nextAt = Date.parse(at);
              return keep({ ...base, key, event, payload: { ...payload }, since: nextAt, nextAt });
            },
            every(key, { event, payload, jitterMs = 0, ...rest }) {
              const rhythm = rhythmOf(rest);
              const now = clock.now();
              const refusal = refuseRhythm(rhythm, now);
              if (refusal) return refusal;
              const since = now + shiftOf(key, jitterMs);
              const nextAt = nextAfter({ rhythm, since }, Math.max(now, since)) ?? now;
              return keep({ ...base, key, event, payload: { ...payload }, rhythm, since, nextAt });
            },
            cancel(key) {
              const entry = find(key);
              if (entry) dropEntry(store, entry);
              return entry !== undefined;
            },
            pause: (key) => setPaused(key, true),
            resume: (key) => setPaused(key, false),
            get(key) {
              const entry = find(key);
              return entry && toPlanned(entry);
            },
            list: (prefix) => listEntries(store, role, prefix).map(toPlanned),
            preview(given, count) {
              const rhythm = rhythmOf(given);
              const now = clock.now();
              const refusal = refuseRhythm(rhythm, now);
              if (isFailure(refusal)) return refusal;
              const times: string[] = [];
              for (let at: number | undefined = now; times.length < Math.min(count, MOST_PREVIEWED);) {
                at = nextAfter({ rhythm, since: now }, at);
                if (at === undefined) break;
                times.push(new Date(at).toISOString());
              }
              return times;
            },
          };
        },
        start({ raise, after }) {
          let seen = clock.now();
          catchUp({ own, now: seen });
          const again = (): void => {
            const now = clock.now();
            if (now < seen - SET_BACK_MS) catchUp({ own, now });
            seen = now;
            tick({ own, agent, now, raise });
            if (!isClosed) stopTick = after(TICK_MS, again);
          };
          again();
        },
        close() {
          isClosed = true;
          stopTick?.();
          return Promise.resolve();
        },
      };
    },
  };
}

/** A rhythm and nothing else, whatever else stood beside it. */
function rhythmOf({ zone, everyMs, cron }: Rhythm): Rhythm {
  return everyMs === undefined ? { zone, cron } : { zone, everyMs };
}

/** The same shift for the same key, so that a restart moves nothing. */
function shiftOf(key: string, jitterMs: number): number {
  if (jitterMs <= 0) return 0;
  return createHash("sha256").update(key).digest().readUInt32BE(0) % Math.floor(jitterMs + 1);
}
