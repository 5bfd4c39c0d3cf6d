/**
 * Measures the classifier: `node scripts/eval-intent.ts <clinc150.json>`.
 * The argument is CLINC150 as JSON with `train`, `test`, `oos.test` and `domains`. For each of the ten domains a bot is made
 * of 3, 5 and 10 training prompts for each intent (five draws with fixed seeds) and asked its own test texts (in scope), and
 * the out-of-scope texts and every other domain's (out of scope). Bots here have no descriptions.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { parseBackground } from "../src/intent/background.ts";
import { createClassifier, type Decision } from "../src/intent/classifier.ts";

const Texts = z.record(z.string(), z.array(z.string()));
const Clinc = z.object({
  train: Texts,
  test: Texts,
  oos: z.object({ test: z.array(z.string()) }),
  domains: z.record(z.string(), z.array(z.string())),
});
const PROMPTS = [3, 5, 10];
const DRAWS = 5;

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error("usage: node scripts/eval-intent.ts <clinc150.json>");
  process.exitCode = 2;
} else {
  evaluate(Clinc.parse(JSON.parse(readFileSync(path, "utf8"))));
}

function evaluate(clinc: z.output<typeof Clinc>): void {
  const table = JSON.parse(readFileSync(new URL("../src/intent/background.json", import.meta.url), "utf8"));
  const background = parseBackground(table);
  const test = (intents: readonly string[]): [string, string][] =>
    intents.flatMap((intent) => (clinc.test[intent] ?? []).map((text): [string, string] => [intent, text]));

  console.log("prompts  accuracy  AUROC  R95   fire right/wrong  ask (among 3)  refuse | oos fire  µs/text");
  for (const count of PROMPTS) {
    const rows: number[][] = [];
    for (let draw = 0; draw < DRAWS; draw++) {
      for (const intents of Object.values(clinc.domains)) {
        const random = seeded(draw * 1000 + count);
        const commands = intents.map((name) => ({
          name,
          descriptions: [],
          prompts: sample(clinc.train[name] ?? [], count, random),
          effect: "read" as const,
        }));
        const classifier = createClassifier({ commands, background });
        const others = Object.keys(clinc.test).filter((name) => !intents.includes(name));
        const outside = [...clinc.oos.test, ...test(others).map(([, text]) => text)];
        const started = performance.now();
        const own = test(intents).map(([intent, text]) => ({ intent, decision: classifier.classify(text) }));
        const foreign = outside.map((text) => classifier.classify(text));
        const micros = ((performance.now() - started) * 1000) / (own.length + foreign.length);
        rows.push([...measure(own, foreign), micros]);
      }
    }
    const mean = (at: number): number => rows.reduce((sum, row) => sum + (row[at] ?? 0), 0) / rows.length;
    const percent = (at: number): string => (100 * mean(at)).toFixed(1);
    console.log(
      `${count}\t ${percent(0)}\t   ${percent(1)}   ${percent(2)}  ${percent(3)} / ${percent(4)}        ` +
        `${percent(5)} (${percent(6)})    ${percent(7)}  |  ${percent(8)}     ${mean(9).toFixed(1)}`,
    );
  }
  measureSpeed(clinc, background);
}

function measureSpeed(clinc: z.output<typeof Clinc>, background: ReturnType<typeof parseBackground>): void {
  const commands = Object.entries(clinc.train).map(([name, texts]) => ({
    name,
    descriptions: [],
    prompts: texts.slice(0, 5),
    effect: "read" as const,
  }));
  const built = performance.now();
  const classifier = createClassifier({ commands, background });
  const buildMs = performance.now() - built;
  const texts = Object.values(clinc.test).flat();
  for (const text of texts.slice(0, 500)) classifier.classify(text);
  const started = performance.now();
  for (const text of texts) classifier.classify(text);
  const micros = ((performance.now() - started) * 1000) / texts.length;
  console.log(
    `${commands.length} commands: built in ${buildMs.toFixed(0)} ms, ${micros.toFixed(1)} µs a text`,
  );
}

interface Judged {
  readonly intent: string;
  readonly decision: Decision;
}

function measure(own: readonly Judged[], foreign: readonly Decision[]): number[] {
  const share = (matches: (judged: Judged) => boolean, among = own): number =>
    among.length === 0 ? 0 : among.filter(matches).length / among.length;
  const isRight = ({ intent, decision }: Judged): boolean => decision.command === intent;
  const inside = own.map(({ decision }) => decision.score);
  const outside = foreign.map(({ score }) => score);
  const lowest5 = [...inside].sort((a, b) => a - b)[Math.floor(inside.length * 0.05)] ?? 0;
  const asked = own.filter(({ decision }) => decision.zone === "ask");
  return [
    share(isRight),
    auroc(inside, outside),
    outside.filter((score) => score < lowest5).length / outside.length,
    share((judged) => judged.decision.zone === "fire" && isRight(judged)),
    share((judged) => judged.decision.zone === "fire" && !isRight(judged)),
    asked.length / own.length,
    share(({ intent, decision }) => decision.candidates.some(({ command }) => command === intent), asked),
    share(({ decision }) => decision.zone === "refuse"),
    foreign.filter(({ zone }) => zone === "fire").length / foreign.length,
  ];
}

/** The share of pairs in which the text in scope scores higher. */
function auroc(inside: readonly number[], outside: readonly number[]): number {
  const sorted = [...outside].sort((a, b) => a - b);
  let below = 0;
  let at = 0;
  for (const score of [...inside].sort((a, b) => a - b)) {
    while (at < sorted.length && (sorted[at] ?? 0) < score) at++;
    below += at;
  }
  return below / (inside.length * outside.length);
}

function sample(texts: readonly string[], count: number, random: () => number): string[] {
  const rest = [...texts];
  return Array.from({ length: count }, () => rest.splice(Math.floor(random() * rest.length), 1)[0] ?? "");
}

/** Mulberry32: the same seed gives the same draws. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
