// `npm run bench`: what Voxtree costs, measured in one run. Absolute times drift with the machine; `--json` for programs.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { benchClassify } from "./classify.ts";
import { benchEnvelope } from "./envelope.ts";
import type { RequestCosts } from "./costs-main.ts";
import { benchRedis, type Ratios, type RedisFigures } from "./redis.ts";
import type { FlowFigures } from "./measure.ts";
import { benchStartUp } from "./start-up.ts";

/** In a process of its own, so that nothing else stands in its memory or its way. */
function benchLocal(): FlowFigures {
  const output = execFileSync(process.execPath, [join(import.meta.dirname, "local-main.ts")], {
    encoding: "utf8",
  });
  return JSON.parse(output) as FlowFigures;
}

const figures = {
  node: process.versions.node,
  ...(await benchRedis()),
  voxtreeLocal: benchLocal(),
  startUp: await benchStartUp(),
  classify: benchClassify(),
  envelopeUs: benchEnvelope(),
};

/** What is measured, its value, and the bound that it is held to. */
type Row = readonly [what: string, value: string, bound: string];

if (process.argv.includes("--json")) {
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
} else {
  const { voxtreeLocal, startUp, classify, envelopeUs } = figures;
  const rows: readonly Row[] = [
    ...redisRows(figures),
    ["one process, one at a time, p50", `${voxtreeLocal.p50Ms.toFixed(2)} ms`, "≤ 1 ms"],
    ["one process, one at a time, p99", `${voxtreeLocal.p99Ms.toFixed(2)} ms`, ""],
    ["one process, 200 in flight", `${voxtreeLocal.perSecond.toFixed(0)} /s`, "≥ 1,500 /s"],
    ["start to the first answer, warm", `${(startUp.firstAnswerMs / 1000).toFixed(2)} s`, "≤ 1.5 s"],
    ["idle memory of the whole tree", `${startUp.idleMemoryMb.toFixed(0)} MB`, "≤ 150 MB"],
    ...classify.builds.map(({ texts, ms }): Row => [
      `learn ${classify.commands} commands of ${texts} texts`,
      `${ms.toFixed(0)} ms`,
      "",
    ]),
    [`classify a message, ${classify.commands} commands`, `${classify.messageUs.toFixed(0)} µs`, "≤ 100 µs"],
    [`an envelope of ${envelopeUs["bytes"]} bytes at the door`, `${envelopeUs["door"]?.toFixed(1)} µs`, ""],
  ];
  for (const [what, value, bound] of rows) {
    process.stdout.write(`${what.padEnd(54)} ${value.padStart(10)}   ${bound}\n`.trimEnd().concat("\n"));
  }
}

/** Four hops over Redis: the floor, then for each form what BullMQ alone costs, what Voxtree does, and their ratios. */
function redisRows(figures: RedisFigures): readonly Row[] {
  const { floor, bareBullmq, voxtreeRedis, processes, ratios, costs, specialistMemoryMb } = figures;
  const flow = (name: string, { p50Ms, p99Ms, perSecond }: FlowFigures): Row[] => [
    [`${name}, one at a time, p50`, `${p50Ms.toFixed(2)} ms`, ""],
    [`${name}, one at a time, p99`, `${p99Ms.toFixed(2)} ms`, ""],
    [`${name}, 200 in flight`, `${perSecond.toFixed(0)} /s`, ""],
  ];
  const compared = (name: string, { p50, perSecond }: Ratios): Row[] => [
    [`${name}, Voxtree to bare BullMQ, p50`, `${p50.toFixed(2)} ×`, "≤ 1.5 ×, goal 1.25"],
    [`${name}, Voxtree to bare BullMQ, 200 in flight`, `${perSecond.toFixed(2)} ×`, "≥ 0.7 ×, goal 0.8"],
  ];
  const spent = (name: string, { processorMs, redisCalls, commits, sqliteMs }: RequestCosts): Row[] => [
    [`${name}, processor time a request`, `${processorMs.toFixed(2)} ms`, ""],
    [`${name}, calls of Redis a request`, redisCalls.toFixed(1), ""],
    ...(commits > 0
      ? ([
          [`${name}, commits a request`, commits.toFixed(1), ""],
          [`${name}, of it in SQLite`, `${sqliteMs.toFixed(2)} ms`, ""],
        ] as const)
      : []),
  ];
  return [
    ...flow("Redis lists", floor),
    ...flow("bare BullMQ", bareBullmq),
    ...flow("Voxtree over Redis", voxtreeRedis),
    ...compared("over Redis", ratios),
    ...flow("bare BullMQ, 3 processes", processes.bareBullmq),
    ...flow("Voxtree over Redis, 3 processes", processes.voxtreeRedis),
    ...compared("3 processes", ratios.processes),
    ...spent("bare BullMQ", costs.bareBullmq),
    ...spent("Voxtree over Redis", costs.voxtreeRedis),
    ["idle memory of a specialist", `${specialistMemoryMb.toFixed(0)} MB`, "≤ 115 MB"],
  ];
}
