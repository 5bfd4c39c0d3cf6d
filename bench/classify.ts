import { createClassifier, shippedBackground } from "../src/intent/index.ts";

/** What it costs to learn many commands, and to understand one message with them. */
export interface ClassifyFigures {
  readonly commands: number;
  /** By how many texts each command has. */
  readonly builds: readonly { readonly texts: number; readonly ms: number }[];
  /** Microseconds a message. */
  readonly messageUs: number;
}

const COMMANDS = 150;
/** One language with its description and five prompts; two languages with eight prompts each. */
const SHAPES = [
  { languages: 1, prompts: 5 },
  { languages: 2, prompts: 8 },
] as const;
const ROUNDS = 5000;
const WORDS = 600;

/** Builds classifiers over made-up commands and lets the first one read messages made of their words. */
export function benchClassify(): ClassifyFigures {
  const random = createRandom(7);
  const pick = (count: number): number => Math.floor(random() * count);
  const word = (): string => Array.from({ length: 3 + pick(6) }, () => "etaoinshrdlucmfw"[pick(16)]).join("");
  const vocabularies = [0, 1].map(() => Array.from({ length: WORDS }, word));
  const sentence = (language: number): string =>
    Array.from({ length: 4 + pick(6) }, () => vocabularies[language]?.[pick(WORDS)]).join(" ");
  const build = ({ languages, prompts }: (typeof SHAPES)[number]) => {
    const perLanguage = Array.from({ length: languages }, (_, language) => language);
    const commands = Array.from({ length: COMMANDS }, (_, i) => ({
      name: `command_${i}`,
      descriptions: perLanguage.map(sentence),
      prompts: perLanguage.flatMap((language) => Array.from({ length: prompts }, () => sentence(language))),
      effect: "read" as const,
    }));
    const begin = performance.now();
    const classifier = createClassifier({ commands, background: shippedBackground() });
    return { classifier, texts: languages * (prompts + 1), ms: performance.now() - begin };
  };
  const { classifier, ...first } = build(SHAPES[0]);
  const messages = Array.from({ length: ROUNDS }, () => sentence(0));
  for (const text of messages) classifier.classify(text);
  const start = performance.now();
  for (const text of messages) classifier.classify(text);
  const messageUs = ((performance.now() - start) / ROUNDS) * 1000;
  const { texts, ms } = build(SHAPES[1]);
  return { commands: COMMANDS, builds: [first, { texts, ms }], messageUs };
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
