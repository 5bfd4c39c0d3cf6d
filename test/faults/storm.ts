import { setTimeout as sleep } from "node:timers/promises";
import { readRows, refusalsOf } from "../support/ledger-rows.ts";
import { type Chance, createChance } from "./chance.ts";
import { createFaults, type Fault, type Faults, FAULTS, type Lengths } from "./faults.ts";
import { judge, type Verdict } from "./judge.ts";
import { timeLine } from "./time-line.ts";
import { type Command, NAMES } from "./tree.ts";
import { startWorld, type World } from "./world.ts";

/** How a storm is to be. */
export interface StormOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly lengths: Lengths;
  /** Requests a second. */
  readonly rate: number;
}

/** For the soak, and for what runs with the other tests. */
export const LONG: Lengths = { redisAwayMs: 30_000, holdMs: 20_000, stopMs: 22_000 };
export const SHORT: Lengths = { redisAwayMs: 5000, holdMs: 3000, stopMs: 2000 };

/** What came of it. */
export interface StormReport extends Verdict {
  readonly seed: number;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** Starts beyond the first, by agent. */
  readonly restarts: Readonly<Record<string, number>>;
  /** From the end of the last fault until everything asked before it was answered. */
  readonly drainMs: number;
  /** Envelopes that were refused, by agent, neighbour and code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Alerts for the war room, by agent. */
  readonly alerts: Readonly<Record<string, number>>;
  readonly timeLine: readonly string[];
}

/** How often each is chosen. */
const WEIGHTS: Readonly<Record<Fault, number>> = {
  kill: 10,
  stop: 3,
  hold: 3,
  killRedis: 1,
  holdRedis: 1,
  wipe: 3,
  duplicate: 5,
  reorder: 4,
  junk: 3,
  flood: 3,
  skew: 4,
  poison: 2,
  silent: 2,
};
const COMMANDS: readonly Command[] = ["look", "change", "find", "store"];
const ASKERS = ["ann", "ben", "cleo", "dan", "eve", "finn", "gus"];
const PAUSE_MS = { least: 500, most: 3500 } as const;
/** Most of what is asked is quick; now and then a step takes its time, so that ends find it at work. */
const STEP_MS = { quick: 20, slow: 400 } as const;
const SETTLE_WITHIN_MS = 120_000;
const DRAIN_WITHIN_MS = 30_000;
const SKEW_MS = 5 * 60_000;

/** Lets people ask while everything that can go wrong does, and judges what became of it. */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  const { seed, lengths } = options;
  const chance = createChance(seed);
  await using world = await startWorld({
    names: NAMES.filter((name) => name !== "dns"),
    showEvery: 4,
    skewMs: () => chance.between(-SKEW_MS, SKEW_MS),
  });
  await using faults = createFaults(world, { chance, lengths });
  const from = performance.now();
  const before = world.questions.length;
  await Promise.all([
    keepAsking(world, createChance(seed + 1), options),
    keepFailing(faults, chance, options),
  ]);
  await faults.settled();
  await world.until(
    "everybody is back",
    () => world.agents.every(({ isReady }) => isReady),
    SETTLE_WITHIN_MS,
  );
  const calmAt = performance.now();
  const unanswered = (): readonly string[] =>
    world.questions.filter(({ replies }) => replies.length === 0).map(({ text }) => text);
  await world
    .until("everything is answered", () => unanswered().length === 0, SETTLE_WITHIN_MS)
    .catch(() => undefined);
  const lastAt = Math.max(calmAt, ...world.questions.flatMap(({ replies }) => replies.map(({ at }) => at)));

  const { agents, trail } = world;
  // What was asked to find out whether everybody is there does not count.
  const questions = world.questions.slice(before);
  const verdict = judge({ questions, trail, agents, redisAway: faults.redisAway });
  const late =
    lastAt - calmAt > DRAIN_WITHIN_MS ? [`it took ${Math.round(lastAt - calmAt)} ms to drain`] : [];
  return {
    seed,
    ...verdict,
    violations: [...verdict.violations, ...late, ...(await leftBehind(world, faults))],
    faults: countBy(faults.done, ({ fault }) => fault),
    restarts: Object.fromEntries(agents.map(({ name, starts }) => [name, starts - 1])),
    drainMs: Math.round(lastAt - calmAt),
    refused: Object.fromEntries(
      agents.flatMap(({ name }) =>
        Object.entries(refusalsOf(world.folderOf(name), name)).map(([what, n]) => [`${name} < ${what}`, n]),
      ),
    ),
    alerts: Object.fromEntries(
      agents.map(({ name }) => [
        name,
        Number(readRows(world.folderOf(name), name, "SELECT count(*) AS n FROM alert")[0]?.["n"]),
      ]),
    ),
    timeLine: timeLine(from, { questions, done: faults.done }),
  };
}

async function keepAsking(world: World, chance: Chance, { seconds, rate }: StormOptions): Promise<void> {
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const ms = chance.between(0, chance.next() < 0.1 ? STEP_MS.slow : STEP_MS.quick);
    const question = world.ask(chance.pick(COMMANDS), { ms, asker: chance.pick(ASKERS) });
    // A channel whose words were not confirmed hands them over again; each is claimed once.
    if (chance.next() < 0.05) world.repeat(chance.pick([question, ...world.questions.slice(-50)]));
    await sleep((chance.next() * 2000) / rate);
  }
}

async function keepFailing(faults: Faults, chance: Chance, { seconds }: StormOptions): Promise<void> {
  const until = performance.now() + seconds * 1000;
  const bag = FAULTS.flatMap((fault) => Array.from({ length: WEIGHTS[fault] }, () => fault));
  // Each is due once before any comes by chance.
  const first = [...chance.shuffled(FAULTS)];
  while (performance.now() < until) {
    const fault = first.pop() ?? chance.pick(bag);
    if (faults.inject(fault)) await sleep(chance.between(PAUSE_MS.least, PAUSE_MS.most));
    else await sleep(100);
  }
}

/** What should have come to its end with the last answer. */
async function leftBehind(world: World, { hands }: Faults): Promise<readonly string[]> {
  const look = async (): Promise<readonly string[]> => {
    const open = world.agents.flatMap(({ name }) => {
      const sql = "SELECT count(*) AS n FROM outbox WHERE state <> 2";
      const n = Number(readRows(world.folderOf(name), name, sql)[0]?.["n"]);
      return n > 0 ? [`${n} envelopes are open in the outbox of ${name}`] : [];
    });
    return [...open, ...(await hands.leftovers()).map((key) => `${key} is left over`)];
  };
  const until = performance.now() + DRAIN_WITHIN_MS;
  for (;;) {
    const left = await look();
    if (left.length === 0 || performance.now() > until) return left;
    // Heartbeats come and go; what is left over stays.
    await sleep(250);
  }
}

function countBy<T, K extends string>(these: readonly T[], keyOf: (one: T) => K): Partial<Record<K, number>> {
  const counts: Partial<Record<K, number>> = {};
  for (const one of these) counts[keyOf(one)] = (counts[keyOf(one)] ?? 0) + 1;
  return counts;
}
