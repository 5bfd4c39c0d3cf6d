import { expect, test } from "vitest";
import { runStorm, SHORT } from "../faults/storm.ts";

const SECONDS = 45;

test(
  "a tree of processes answers each request once while everything that can go wrong does",
  { timeout: 240_000 },
  async () => {
    const { timeLine, ...report } = await runStorm({ seed: 7, seconds: SECONDS, rate: 6, lengths: SHORT });
    process.stdout.write(`${timeLine.join("\n")}\n${JSON.stringify(report)}\n`);
    expect(report.violations).toEqual([]);
    expect(report.counts.requests).toBeGreaterThan(2 * SECONDS);
  },
);
