// `npm run bench`: what Voxtree costs, measured in one run. Absolute times drift with the machine; `--json` for programs.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { benchClassify } from "./classify.ts";
import { benchEnvelope } from "./envelope.ts";
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
  voxtreeLocal: benchLocal(),
  startUp: await benchStartUp(),
  classify: benchClassify(),
  envelopeUs: benchEnvelope(),
};

if (process.argv.includes("--json")) {
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
} else {
  const { voxtreeLocal, startUp, classify, envelopeUs } = figures;
  const rows: readonly (readonly [what: string, value: string, bound: string])[] = [
    ["one process, one at a time, p50", `${voxtreeLocal.p50Ms.toFixed(2)} ms`, "≤ 1 ms"],
    ["one process, one at a time, p99", `${voxtreeLocal.p99Ms.toFixed(2)} ms`, ""],
    ["one process, 200 in flight", `${voxtreeLocal.perSecond.toFixed(0)} /s`, "≥ 1,500 /s"],
    ["start to the first answer, warm", `${(startUp.firstAnswerMs / 1000).toFixed(2)} s`, "≤ 1.5 s"],
    ["idle memory of the whole tree", `${startUp.idleMemoryMb.toFixed(0)} MB`, "≤ 150 MB"],
    ...classify.builds.map(({ texts, ms }): [string, string, string] => [
      `learn ${classify.commands} commands of ${texts} texts`,
      `${ms.toFixed(0)} ms`,
      "",
    ]),
    [`classify a message, ${classify.commands} commands`, `${classify.messageUs.toFixed(0)} µs`, "≤ 100 µs"],
    [`an envelope of ${envelopeUs["bytes"]} bytes at the door`, `${envelopeUs["door"]?.toFixed(1)} µs`, ""],
  ];
  for (const [what, value, bound] of rows) {
    process.stdout.write(`${what.padEnd(46)} ${value.padStart(10)}   ${bound}\n`.trimEnd().concat("\n"));
  }
}
