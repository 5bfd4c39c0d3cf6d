import { setTimeout as sleep } from "node:timers/promises";
import { createForge } from "../support/forge.ts";
import { readRows } from "../support/ledger-rows.ts";
import { createLaneHands } from "./lanes.ts";
import { percentile } from "./time-line.ts";
import { IDS } from "./tree.ts";
import { startWorld } from "./world.ts";

/** What became of a backlog. */
export interface BacklogReport {
  readonly requests: number;
  /** How many were answered, and how many were refused with E_BUSY: each one or the other. */
  readonly answered: number;
  readonly busy: number;
  /** How many of those that were taken on began after one that had waited behind them. */
  readonly outOfPlace: number;
  /** From the agent's start until the last one was answered. */
  readonly drainedMs: number;
  /** The most memory that the agent has had. */
  readonly mostMb: number;
  /** The most that another child of the same master took to answer meanwhile, in ms, of how many requests. */
  readonly others: { readonly asked: number; readonly p50Ms: number | "-"; readonly slowestMs: number | "-" };
}

const LOOK_EVERY_MS = 250;

/** An agent that was down finds so many valid requests in its lane. */
export async function runBacklog(requests: number): Promise<BacklogReport> {
  await using world = await startWorld({ names: ["dns", "db", "ops", "root"] });
  await using hands = createLaneHands(world.admin);
  await world.agent("dns").kill();
  const agents = new Map([...IDS].map(([name, id]) => [name, { self: { id } }]));
  const forge = createForge({ agents }, Date.now);
  const texts = Array.from({ length: requests }, (_, i) =>
    forge.text("ops", "dns", {
      intent: "dns.resolve",
      details: { command: "resolve", params: { text: `b${i}` } },
      requires: { timeout_ms: 10 * 60_000 },
    }),
  );
  await hands.push("ops.dns", texts);

  const folder = world.folderOf("dns");
  const answers = (): Readonly<Record<string, number>> =>
    Object.fromEntries(
      readRows(
        folder,
        "dns",
        `SELECT kind, count(DISTINCT reply_to) AS n FROM message WHERE direction = 1
           AND (kind = 'command_result' OR body LIKE '%"code":"E_BUSY"%') GROUP BY kind`,
      ).map(({ kind, n }) => [String(kind), Number(n)]),
    );
  const before = answers()["command_result"] ?? 0;
  const startedAt = performance.now();
  await world.agent("dns").start();
  const took: number[] = [];
  let isDrained = false;
  const asking = (async () => {
    while (!isDrained) {
      const question = world.ask("find");
      const { at, code } = await world.answered(question);
      if (code !== undefined) throw new Error(`another child's request was answered ${code}`);
      took.push(at - question.askedAt);
      await sleep(LOOK_EVERY_MS);
    }
  })();
  let answered = 0;
  let busy = 0;
  do {
    await sleep(LOOK_EVERY_MS);
    const found = answers();
    answered = (found["command_result"] ?? 0) - before;
    busy = found["command_error"] ?? 0;
  } while (answered + busy < requests);
  const drainedMs = performance.now() - startedAt;
  isDrained = true;
  await asking;

  const begun = world.trail.flatMap((trace) =>
    trace.did === "begin" && /^b\d+$/.test(trace.subject) ? [Number(trace.subject.slice(1))] : [],
  );
  took.sort((a, b) => a - b);
  return {
    requests,
    answered,
    busy,
    outOfPlace: countOutOfPlace(begun),
    drainedMs: Math.round(drainedMs),
    mostMb: Math.round(await world.memoryOf("dns")),
    others: { asked: took.length, p50Ms: percentile(took, 0.5), slowestMs: percentile(took, 1) },
  };
}

function countOutOfPlace(begun: readonly number[]): number {
  let furthest = -1;
  return begun.filter((n) => {
    const isBehind = n < furthest;
    furthest = Math.max(furthest, n);
    return isBehind;
  }).length;
}
