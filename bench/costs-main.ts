// What a request over four hops in one process takes of what, one at a time: `node bench/costs-main.ts <url>`. Counts
// hardly depend on what else the machine does; times do.
import { mkdtempSync, rmSync } from "node:fs";
import { StatementSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { createBullmqTransport } from "../src/transport/bullmq.ts";
import { bareBullmqEnd } from "./bare-bullmq.ts";
import { openBenchTree } from "./bench-tree.ts";
import { openHop, openRoot } from "./hops.ts";
import type { OpenRoot } from "./measure-or-serve.ts";

/** A request's share of each; milliseconds but for the counts. */
export interface RequestCosts {
  /** Of all threads of this process. */
  readonly processorMs: number;
  /** Calls of scripts, and of the command at which a worker waits. */
  readonly redisCalls: number;
  readonly commits: number;
  /** In SQLite, commits included. */
  readonly sqliteMs: number;
}

/** What both ways cost beside each other. */
export interface Costs {
  readonly bareBullmq: RequestCosts;
  readonly voxtreeRedis: RequestCosts;
}

const WARM_UP = 300;
const REQUESTS = 600;
const COUNTED = /^cmdstat_(?:evalsha|eval|bzpopmin):calls=(\d+)/gm;

const [url = ""] = process.argv.slice(2);
const admin = new Redis(url);
const sqlite = watchSqlite();

const open = bareBullmqEnd(url);
const hops = [await openHop(open, "web"), await openHop(open, "ops")];
const bareRoot = await openRoot(open);
const bareBullmq = await measure(bareRoot);
for (const each of [bareRoot, ...hops]) await each.close();

await admin.flushall();
const dataDir = mkdtempSync(join(tmpdir(), "voxtree-bench-"));
const tree = await openBenchTree({ dataDir, transport: createBullmqTransport({ url }) });
const voxtreeRedis = await measure(tree);
await tree.close();
rmSync(dataDir, { recursive: true, force: true });
admin.disconnect();
process.stdout.write(`${JSON.stringify({ bareBullmq, voxtreeRedis } satisfies Costs)}\n`);

async function measure({ ask }: Pick<OpenRoot, "ask">): Promise<RequestCosts> {
  for (let i = 0; i < WARM_UP; i++) await ask(`warm-up ${i}`);
  const before = { cpu: process.cpuUsage(), calls: await redisCalls(), ...sqlite() };
  for (let i = 0; i < REQUESTS; i++) await ask(`request ${i}`);
  const { user, system } = process.cpuUsage(before.cpu);
  const after = { calls: await redisCalls(), ...sqlite() };
  return {
    processorMs: (user + system) / 1000 / REQUESTS,
    redisCalls: (after.calls - before.calls) / REQUESTS,
    commits: (after.commits - before.commits) / REQUESTS,
    sqliteMs: (after.ms - before.ms) / REQUESTS,
  };
}

async function redisCalls(): Promise<number> {
  const text = await admin.info("commandstats");
  return [...text.matchAll(COUNTED)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

/** Counts what the ledgers do from here on. */
function watchSqlite(): () => { readonly commits: number; readonly ms: number } {
  let [commits, ms] = [0, 0];
  const watched = StatementSync.prototype;
  for (const name of ["run", "get", "all"] as const) {
    const original = watched[name] as (...values: unknown[]) => unknown;
    Object.defineProperty(watched, name, {
      value(this: StatementSync, ...values: unknown[]): unknown {
        const began = performance.now();
        try {
          return original.apply(this, values);
        } finally {
          ms += performance.now() - began;
          if (this.sourceSQL === "COMMIT") commits += 1;
        }
      },
    });
  }
  return () => ({ commits, ms });
}
