import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { quantile, residentMb } from "./measure.ts";

const ENTRY = join(import.meta.dirname, "../bin/voxtree.js");
const RUNS = 5;
const IDLE_MS = 2000;

/** What a start costs, the file cache being warm. */
export interface StartUpFigures {
  /** From the start of the process to the first answer on a pipe: the median of several starts. */
  readonly firstAnswerMs: number;
  /** Resident memory of the whole tree two seconds after that answer. */
  readonly idleMemoryMb: number;
}

/** Starts the shipped tree several times, asks one thing each time, and lets it idle. */
export async function benchStartUp(): Promise<StartUpFigures> {
  const dataDir = mkdtempSync(join(tmpdir(), "voxtree-bench-"));
  try {
    await startOnce(dataDir);
    const runs = [];
    for (let i = 0; i < RUNS; i++) runs.push(await startOnce(dataDir));
    return {
      firstAnswerMs: quantile(
        runs.map(({ firstAnswerMs }) => firstAnswerMs),
        0.5,
      ),
      idleMemoryMb: quantile(
        runs.map(({ idleMemoryMb }) => idleMemoryMb),
        0.5,
      ),
    };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function startOnce(dataDir: string): Promise<StartUpFigures> {
  const begin = performance.now();
  const child = spawn(process.execPath, [ENTRY, "start"], {
    env: { ...process.env, VOXTREE_DATA_DIR: dataDir },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  child.stdin.write("how full are the disks?\n");
  await once(child.stdout, "data");
  const firstAnswerMs = performance.now() - begin;
  await sleep(IDLE_MS);
  const idleMemoryMb = residentMb(child.pid);
  child.stdin.end();
  await ended;
  return { firstAnswerMs, idleMemoryMb };
}
