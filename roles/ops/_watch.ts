import type { Failure, Store } from "#sdk";
import { z } from "zod";

const Verdict = z.enum(["ok", "fail", "inconclusive"]);

/** A command that is asked again and again, and what came of it. Times are Unix ms. */
export const Watch = z.object({
  id: z.int(),
  name: z.string().optional(),
  check: z.object({ command: z.string(), params: z.record(z.string(), z.unknown()), words: z.string() }),
  everyMs: z.int(),
  /** How many fails in a row are trouble, and how many good results in a row are its end. */
  fails: z.int(),
  recoveries: z.int(),
  severity: z.enum(["crit", "warn", "info"]),
  /** Who added it, for people to read. */
  by: z.string().optional(),
  isPaused: z.boolean(),
  /** The last results, the newest last. */
  history: z.array(Verdict),
  last: z.object({ at: z.int(), verdict: Verdict, line: z.string() }).optional(),
  /** In a row; what could not be checked neither counts nor interrupts. */
  failsInARow: z.int(),
  oksInARow: z.int(),
  failingSince: z.int().optional(),
  inconclusiveInARow: z.int(),
  /** What the war room was told last of its target; left out where that is well. */
  firing: z.object({ since: z.int(), summary: z.string() }).optional(),
  /** Whether the war room was told that it cannot be checked. */
  isUncheckedTold: z.boolean(),
  /** Due times that passed while the agent was away, and when that was seen. */
  missed: z.object({ count: z.int(), at: z.int() }).optional(),
});
export type Watch = z.output<typeof Watch>;

/** What one run found. */
export interface Result {
  readonly at: number;
  readonly verdict: z.output<typeof Verdict>;
  /** Its first line, and the others. */
  readonly line: string;
  readonly evidence: readonly string[];
}

const MOST_WATCHES = 200;
const PREFIX = "watch ";
const RUN_PREFIX = "run ";
const COUNTER = "last id";
const PROBER = "prober";
const LONGEST_RUN_MS = 60_000;

/** All watches, in the order in which they were added. */
export function listWatches(store: Store): readonly Watch[] {
  return store
    .list(PREFIX)
    .flatMap(([, value]) => Watch.safeParse(value).data ?? [])
    .sort((a, b) => a.id - b.id);
}

export function readWatch(store: Store, id: number): Watch | undefined {
  return Watch.safeParse(store.get(`${PREFIX}${id}`)).data;
}

export function keepWatch(store: Store, watch: Watch): void {
  store.set(`${PREFIX}${watch.id}`, watch);
}

export function dropWatch(store: Store, { id }: Pick<Watch, "id">): void {
  store.delete(`${PREFIX}${id}`);
  store.delete(`${RUN_PREFIX}${id}`);
}

/** A number that no watch has had before. */
export function nextId(store: Store): number {
  const id = z.int().catch(0).parse(store.get(COUNTER)) + 1;
  store.set(COUNTER, id);
  return id;
}

/** Marks a watch as being run; false while another run of it may still be going. */
export function beginRun(store: Store, id: number, { now, until }: { now: number; until: number }): boolean {
  const going = z.int().safeParse(store.get(`${RUN_PREFIX}${id}`)).data;
  // A mark from far ahead is from before somebody set the clock back.
  if (going !== undefined && going > now && going <= now + LONGEST_RUN_MS) return false;
  store.set(`${RUN_PREFIX}${id}`, Math.min(until, now + LONGEST_RUN_MS));
  return true;
}

export function endRun(store: Store, id: number): void {
  store.delete(`${RUN_PREFIX}${id}`);
}

/** Whether the war room was told that it is the checks, and not what they check. */
export function isProberTold(store: Store): boolean {
  return store.get(PROBER) === true;
}

export function setProberTold(store: Store, isTold: boolean): void {
  if (isTold) store.set(PROBER, true);
  else store.delete(PROBER);
}

/** A watch that somebody asks for by its number, or that there is none. */
export function findWatch(store: Store, wanted: number): Watch | Failure {
  const text = `There is no watch ${wanted}. /watches lists those that there are.`;
  return readWatch(store, wanted) ?? { failure: "E_NOT_FOUND", text };
}

/** Why there cannot be one more; undefined when there can. */
export function refuseOneMore(store: Store): Failure | undefined {
  if (listWatches(store).length < MOST_WATCHES) return undefined;
  const text = `There are ${MOST_WATCHES} watches, and there cannot be more. /watches lists them; remove some first.`;
  return { failure: "E_TOO_MANY", text };
}

/** Why the same cannot be watched twice; undefined when it is not watched. */
export function refuseSame(store: Store, { command, params }: Watch["check"]): Failure | undefined {
  const spell = (given: Watch["check"]["params"]): string =>
    JSON.stringify(Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1)));
  const same = listWatches(store).find(
    ({ check }) => check.command === command && spell(check.params) === spell(params),
  );
  if (!same) return undefined;
  const text = `This is watched already: watch ${same.id}. Remove it first (/watch_rm ${same.id}) to watch it otherwise.`;
  return { failure: "E_ALREADY_WATCHED", text };
}
