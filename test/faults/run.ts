// `npm run soak`: a storm of faults over the tree as separate processes, ten minutes unless told otherwise.
// `--minutes N`, `--seconds N`, `--seed N`, `--rate N` (requests a second), and after it `--backlog N` requests that wait
// for an agent that was down. Exits with 1 when something happened that may not. A seed repeats the dice; when they fall is the
// machine's.
import { parseArgs } from "node:util";
import { provideRedis } from "../support/redis-binary.ts";
import { runBacklog } from "./backlog.ts";
import { LONG, runStorm } from "./storm.ts";

/** As many as are in hand at a time, twice. */
const MOST_OUT_OF_PLACE = 32;
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seconds: { type: "string" },
    seed: { type: "string" },
    rate: { type: "string", default: "6" },
    backlog: { type: "string", default: "100000" },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const seconds = Number(values.seconds ?? Number(values.minutes) * 60);

await provideRedis();
process.stdout.write(`seed ${seed}, ${seconds} s\n`);
const { timeLine, ...report } = await runStorm({ seed, seconds, rate: Number(values.rate), lengths: LONG });
process.stdout.write(`${timeLine.join("\n")}\n${JSON.stringify(report, null, 2)}\n`);
if (report.violations.length > 0) {
  process.stderr.write(
    `${report.violations.length} violations; again by: npm run soak -- --seconds ${seconds} --seed ${seed}\n`,
  );
  process.exitCode = 1;
}
const backlog = Number(values.backlog);
if (backlog > 0) {
  const drained = await runBacklog(backlog);
  process.stdout.write(`${JSON.stringify({ backlog: drained }, null, 2)}\n`);
  if (drained.outOfPlace > MOST_OUT_OF_PLACE || drained.answered + drained.busy !== backlog)
    process.exitCode = 1;
}
