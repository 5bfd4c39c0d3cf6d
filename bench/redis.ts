import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { provideRedis } from "../test/support/redis-binary.ts";
import { startRedis } from "../test/support/redis.ts";
import type { Costs } from "./costs-main.ts";
import { quantile, residentMb, type FlowFigures, type FlowSize } from "./measure.ts";

/** How Voxtree does beside BullMQ alone, in the same form. */
export interface Ratios {
  /** Of the medians one at a time: 1.5 is half as much again. */
  readonly p50: number;
  /** Of the requests a second with 200 in flight: 0.7 is three tenths fewer. */
  readonly perSecond: number;
}

/** Four hops over one Redis, durable as in production. */
export interface RedisFigures {
  readonly floor: FlowFigures;
  readonly bareBullmq: FlowFigures;
  readonly voxtreeRedis: FlowFigures;
  /** The same with root, coordinator and specialist each in a process of its own. */
  readonly processes: { readonly bareBullmq: FlowFigures; readonly voxtreeRedis: FlowFigures };
  readonly ratios: Ratios & { readonly processes: Ratios };
  /** What a request takes of what, one at a time in one process. */
  readonly costs: Costs;
  /** Resident memory of a specialist in a process of its own that has nothing to do. */
  readonly specialistMemoryMb: number;
}

/** What carries the four hops: lists, BullMQ alone, or Voxtree. */
export type Way = "floor" | "bareBullmq" | "voxtreeRedis";

const SIZE: FlowSize = { sequential: 300, inFlight: 200, total: 2000 };
/** Agents in one process are named together, the root in the last. */
export const TOGETHER = ["web,ops,root"] as const;
export const APART = ["web", "ops", "root"] as const;
const COSTS_MAIN = join(import.meta.dirname, "costs-main.ts");
const ENTRY = join(import.meta.dirname, "../bin/voxtree.js");
const IDLE_MS = 5000;
/** Odd, so that the middle is a measured value. */
const ROUNDS = 3;

/** Measures in turns on one server, so that what the machine does meanwhile hits yardstick and product alike. */
export async function benchRedis(): Promise<RedisFigures> {
  await provideRedis();
  await using server = await startRedis();
  const measure = (way: Way, agents: readonly string[]): Promise<FlowFigures> =>
    measureWay({ url: server.url, way, agents, size: SIZE });
  const floor = await measure("floor", TOGETHER);
  const bare: FlowFigures[] = [];
  const voxtree: FlowFigures[] = [];
  const bareApart: FlowFigures[] = [];
  const voxtreeApart: FlowFigures[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    bare.push(await measure("bareBullmq", TOGETHER));
    voxtree.push(await measure("voxtreeRedis", TOGETHER));
    bareApart.push(await measure("bareBullmq", APART));
    voxtreeApart.push(await measure("voxtreeRedis", APART));
  }
  return {
    floor,
    bareBullmq: middle(bare),
    voxtreeRedis: middle(voxtree),
    processes: { bareBullmq: middle(bareApart), voxtreeRedis: middle(voxtreeApart) },
    ratios: { ...ratios(voxtree, bare), processes: ratios(voxtreeApart, bareApart) },
    costs: await measureCosts(server.url),
    specialistMemoryMb: await measureSpecialist(server.url),
  };
}

/** What is measured once: a way over Redis with its agents in as many processes as there are entries. */
export interface Measurement {
  readonly url: string;
  readonly way: Way;
  readonly agents: readonly string[];
  readonly size: FlowSize;
}

/** Measures once; the server is emptied before. */
export async function measureWay({ url, way, agents, size }: Measurement): Promise<FlowFigures> {
  const client = new Redis(url);
  await client.flushall().finally(() => client.disconnect());
  const dataDir = mkdtempSync(join(tmpdir(), "voxtree-bench-"));
  const children: ChildProcess[] = [];
  const start = (names: string, ...rest: string[]) => {
    const child = spawn(process.execPath, [...programOf(way, url, dataDir), names, ...rest], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    children.push(child);
    return { child, ended: once(child, "exit").then(() => undefined) };
  };
  try {
    const others = agents.slice(0, -1).map((names) => start(names));
    await Promise.all(others.map(({ child, ended }) => Promise.race([once(child.stdout, "data"), ended])));
    const root = start(agents.at(-1) ?? "", JSON.stringify(size));
    const output = await text(root.child.stdout);
    if (output === "") throw new Error(`${way} (${agents.join(" | ")}) ended without figures`);
    for (const { child } of others) child.stdin.end();
    await Promise.all([root, ...others].map(({ ended }) => ended));
    return JSON.parse(output) as FlowFigures;
  } finally {
    for (const child of children) child.kill("SIGKILL");
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function programOf(way: Way, url: string, dataDir: string): readonly string[] {
  if (way === "voxtreeRedis") return [join(import.meta.dirname, "redis-main.ts"), url, dataDir];
  return [join(import.meta.dirname, "hops-main.ts"), way, url];
}

function middle(runs: readonly FlowFigures[]): FlowFigures {
  const of = (figure: keyof FlowFigures): number =>
    quantile(
      runs.map((each) => each[figure]),
      0.5,
    );
  return { p50Ms: of("p50Ms"), p99Ms: of("p99Ms"), perSecond: of("perSecond") };
}

/** Of each round by itself, then the middle of them: a round's two runs stand close together in time. */
function ratios(product: readonly FlowFigures[], yardstick: readonly FlowFigures[]): Ratios {
  const of = (figure: "p50Ms" | "perSecond"): number =>
    quantile(
      product.map((each, i) => each[figure] / (yardstick[i]?.[figure] ?? Number.NaN)),
      0.5,
    );
  return { p50: of("p50Ms"), perSecond: of("perSecond") };
}

async function measureCosts(url: string): Promise<Costs> {
  const child = spawn(process.execPath, [COSTS_MAIN, url], { stdio: ["ignore", "pipe", "inherit"] });
  return JSON.parse(await text(child.stdout)) as Costs;
}

/** The shipped web agent, as people start it. */
async function measureSpecialist(url: string): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), "voxtree-bench-"));
  const start = () =>
    spawn(process.execPath, [ENTRY, "agent", "web"], {
      env: { ...process.env, REDIS_URL: url, VOXTREE_DATA_DIR: dataDir },
      stdio: ["ignore", "ignore", "inherit"],
    });
  try {
    const warmingUp = start();
    await sleep(IDLE_MS);
    warmingUp.kill();
    await once(warmingUp, "exit");
    const child = start();
    await sleep(IDLE_MS);
    const megabytes = residentMb(child.pid);
    child.kill();
    await once(child, "exit");
    return megabytes;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
