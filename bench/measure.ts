import { execFileSync } from "node:child_process";

/** What a flow of requests costs. */
export interface FlowFigures {
  /** One request after the other. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** With many in flight. */
  readonly perSecond: number;
}

/** How much is measured. */
export interface FlowSize {
  /** Requests one after the other; half as many come before, unmeasured. */
  readonly sequential: number;
  readonly inFlight: number;
  readonly total: number;
}

/** The value below which a share of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Measures requests one after the other, then `inFlight` at a time until `total` are done. Each answer must be its own
 * question; one that is not ends the measurement.
 */
export async function measureFlow(
  ask: (text: string) => Promise<string>,
  size: FlowSize,
): Promise<FlowFigures> {
  let n = 0;
  const askOne = async (): Promise<number> => {
    const text = `question ${++n}`;
    const begin = performance.now();
    const answer = await ask(text);
    if (answer !== text) throw new Error(`"${text}" was answered "${answer}"`);
    return performance.now() - begin;
  };
  for (let i = 0; i < size.sequential / 2; i++) await askOne();
  const samples: number[] = [];
  for (let i = 0; i < size.sequential; i++) samples.push(await askOne());

  let left = size.total;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: size.inFlight }, async () => {
      while (left-- > 0) await askOne();
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  return { p50Ms: quantile(samples, 0.5), p99Ms: quantile(samples, 0.99), perSecond: size.total / seconds };
}

/** Resident memory of a process, in MB. */
export function residentMb(pid: number | undefined): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}
