import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "./chance.ts";
import { createLaneHands, type LaneHands } from "./lanes.ts";
import type { Name } from "./tree.ts";
import type { World } from "./world.ts";

/** What can be done to a world. */
export const FAULTS = [
  "kill",
  "stop",
  "hold",
  "killRedis",
  "holdRedis",
  "wipe",
  "duplicate",
  "reorder",
  "junk",
  "flood",
  "skew",
  "poison",
  "silent",
] as const;
export type Fault = (typeof FAULTS)[number];

/** One that was done. */
export interface Done {
  readonly fault: Fault;
  /** By the harness's monotonic clock. */
  readonly at: number;
  readonly detail: string;
}

/** A time during which Redis did not answer. */
export interface Away {
  readonly from: number;
  readonly until: number;
}

export interface Faults extends AsyncDisposable {
  readonly done: readonly Done[];
  readonly redisAway: readonly Away[];
  readonly hands: LaneHands;
  /** Does one, unless it cannot be done just now; says whether. It may last on. */
  inject(fault: Fault): boolean;
  /** Resolves when nothing that was done lasts on. */
  settled(): Promise<void>;
}

/** How long faults last at most, in ms. */
export interface Lengths {
  readonly redisAwayMs: number;
  readonly holdMs: number;
  readonly stopMs: number;
}

/** The lane on which all that is hostile comes. */
export const HOSTILE_LANE = "db.ops";
const SKEW_MS = 5 * 60_000;
/** Less than this apart, and what is meant to be refused shuts the lane, or shuts it for longer and longer. */
const APART_MS: Partial<Record<Fault, number>> = { junk: 15_000, flood: 115_000, poison: 12_000 };
const HUGE = 10 * 1024 * 1024;

export function createFaults(
  world: World,
  { chance, lengths }: { readonly chance: Chance; readonly lengths: Lengths },
): Faults {
  const done: Done[] = [];
  const redisAway: Away[] = [];
  const lasting = new Set<Promise<void>>();
  const absentFor = new Map<string, number>();
  const hands = createLaneHands(world.admin);
  let isRedisAway = false;

  world.supervise((agent) => {
    const delay = absentFor.get(agent) ?? chance.between(200, 2000);
    absentFor.delete(agent);
    return delay;
  });

  /** Now and then something lasts as long as it may; most of the time it is short. */
  const span = (mostMs: number): number =>
    chance.next() < 0.25 ? chance.between(mostMs / 2, mostMs) : chance.between(200, Math.min(3000, mostMs));

  const last = (work: () => Promise<void>): void => {
    const lasts = work().catch((error: unknown) => {
      // A fault that meets another (a lane on a Redis that is gone) is as good as any.
      if (!/Connection is closed|ECONNREFUSED|ECONNRESET/.test(String(error))) throw error;
    });
    lasting.add(lasts);
    void lasts.then(() => lasting.delete(lasts));
  };

  const awayFor = async (ms: number, begin: () => Promise<void>, end: () => Promise<void>): Promise<void> => {
    isRedisAway = true;
    const from = performance.now();
    redisAway.push({ from, until: Number.POSITIVE_INFINITY });
    await begin();
    await sleep(ms);
    await end();
    redisAway[redisAway.length - 1] = { from, until: performance.now() };
    isRedisAway = false;
  };

  const names = world.agents.map((agent) => agent.name as Name);
  const ready = (): readonly Name[] => names.filter((name) => world.agent(name).isReady);
  const lanes = names
    .filter((name) => name !== "root")
    .flatMap((name) => {
      const master = name === "ops" ? "root" : "ops";
      return [`${master}.${name}`, `${name}.${master}`];
    });

  /** Each gives what it did, or undefined when it cannot be done just now. */
  const begin: Readonly<Record<Fault, () => string | undefined>> = {
    kill() {
      const name = chance.pick(names);
      last(() => world.agent(name).kill());
      return name;
    },
    stop() {
      const able = ready();
      if (able.length === 0) return undefined;
      const name = chance.pick(able);
      const ms = span(lengths.stopMs);
      absentFor.set(name, ms);
      last(async () => void (await world.agent(name).stop()));
      return `${name} for ${ms} ms`;
    },
    hold() {
      const able = ready();
      if (able.length === 0) return undefined;
      const name = chance.pick(able);
      const ms = span(lengths.holdMs);
      last(async () => {
        world.agent(name).hold();
        await sleep(ms);
        world.agent(name).letGo();
      });
      return `${name} for ${ms} ms`;
    },
    killRedis() {
      if (isRedisAway) return undefined;
      const ms = span(lengths.redisAwayMs);
      last(() => awayFor(ms, world.redis.kill, world.redis.restart));
      return `for ${ms} ms`;
    },
    holdRedis() {
      if (isRedisAway) return undefined;
      const ms = span(lengths.redisAwayMs);
      last(() =>
        awayFor(
          ms,
          async () => world.redis.pause(),
          async () => world.redis.resume(),
        ),
      );
      return `for ${ms} ms`;
    },
    wipe() {
      if (isRedisAway) return undefined;
      last(async () => void (await world.admin.flushall()));
      return "";
    },
    duplicate() {
      if (isRedisAway || world.sent.length === 0) return undefined;
      const again = Array.from({ length: 20 }, () => chance.pick(world.sent));
      last(async () => {
        for (const { from, to, text } of again) await hands.push(`${from}.${to}`, [text]);
      });
      return `${again.length} envelopes`;
    },
    reorder() {
      if (isRedisAway) return undefined;
      const lane = chance.pick(lanes);
      const receiver = world.agent(lane.split(".")[1] as Name);
      if (!receiver.isReady) return undefined;
      last(async () => {
        receiver.hold();
        await sleep(chance.between(300, 1500));
        await hands.reorder(lane, chance.shuffled);
        receiver.letGo();
      });
      return lane;
    },
    junk() {
      if (isRedisAway) return undefined;
      last(() => hands.push(HOSTILE_LANE, junk(40)));
      return `40 on ${HOSTILE_LANE}`;
    },
    flood() {
      if (isRedisAway) return undefined;
      last(() => hands.push(HOSTILE_LANE, [...junk(1000), "y".repeat(HUGE)]));
      return `1000 and 10 MB on ${HOSTILE_LANE}`;
    },
    skew() {
      const name = chance.pick(names);
      const ms = chance.between(-SKEW_MS, SKEW_MS);
      world.agent(name).skew(ms);
      return `${name} by ${Math.round(ms / 1000)} s`;
    },
    poison: () => world.ask("poison", { asker: "mallory" }).subject,
    silent: () => world.ask("hang", { ms: 600_000, asker: "mallory" }).subject,
  };

  /** Texts that nobody can take: no JSON, no canonical JSON, no envelope, somebody else's envelope. */
  const junk = (count: number): string[] =>
    Array.from({ length: count }, (_, i) => {
      const foreign = world.sent.find(({ from }) => from !== "db");
      return ["junk", '{"b":1, "a":2}', '{"v":"1"}', foreign?.text ?? "{}", "x".repeat(20_000)][i % 5] ?? "";
    });

  return {
    done,
    redisAway,
    hands,
    inject(fault) {
      const at = performance.now();
      const before = done.findLast((one) => one.fault === fault)?.at ?? Number.NEGATIVE_INFINITY;
      if (at - before < (APART_MS[fault] ?? 0)) return false;
      const detail = begin[fault]();
      if (detail === undefined) return false;
      done.push({ fault, at, detail });
      return true;
    },
    async settled() {
      while (lasting.size > 0) await Promise.all(lasting);
    },
    [Symbol.asyncDispose]: () => hands[Symbol.asyncDispose](),
  };
}
