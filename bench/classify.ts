import { createClassifier, shippedBackground } from "../src/intent/index.ts";

/** What it costs to understand one message with many commands. */
export interface ClassifyFigures {
  readonly commands: number;
  readonly buildMs: number;
  /** Microseconds a message. */
  readonly messageUs: number;
}

const COMMANDS = 150;
const PROMPTS = 5;
const ROUNDS = 5000;

/** Builds a classifier over made-up commands and lets it read messages made of their words. */
export function benchClassify(): ClassifyFigures {
  const random = createRandom(7);
  const word = (): string =>
    Array.from(
      { length: 3 + Math.floor(random() * 6) },
      () => "etaoinshrdlucmfw"[Math.floor(random() * 16)],
    ).join("");
  const vocabulary = Array.from({ length: 600 }, word);
  const sentence = (): string =>
    Array.from({ length: 4 + Math.floor(random() * 6) }, () => vocabulary[Math.floor(random() * 600)]).join(
      " ",
    );
  const commands = Array.from({ length: COMMANDS }, (_, i) => ({
    name: `command_${i}`,
    descriptions: [sentence()],
    prompts: Array.from({ length: PROMPTS }, sentence),
    effect: "read" as const,
  }));
  const begin = performance.now();
  const classifier = createClassifier({ commands, background: shippedBackground() });
  const buildMs = performance.now() - begin;
  const texts = Array.from({ length: ROUNDS }, sentence);
  for (const text of texts) classifier.classify(text);
  const start = performance.now();
  for (const text of texts) classifier.classify(text);
  return { commands: COMMANDS, buildMs, messageUs: ((performance.now() - start) / ROUNDS) * 1000 };
}

/** Repeatable numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
