import { describe, expect, it } from "vitest";
import { createClassifier, shippedBackground } from "../../src/intent/index.ts";

const background = shippedBackground();
const SYLLABLES = [
  "ba",
  "ce",
  "di",
  "fo",
  "gu",
  "ha",
  "je",
  "ki",
  "lo",
  "mu",
  "na",
  "pe",
  "ri",
  "so",
  "tu",
  "va",
];

/** Made-up commands: each has words of its own, and every text says two of them among words that all share. */
function madeUp(count: number, texts: number) {
  const word = (n: number): string =>
    [n >> 12, n >> 8, n >> 4, n].map((part) => SYLLABLES[part & 15]).join("");
  return Array.from({ length: count }, (_, c) => ({
    name: `command_${c}`,
    descriptions: [],
    prompts: Array.from(
      { length: texts },
      (_, t) =>
        `please show ${word(c * 40 + (t % 40))} of the ${word(c * 40 + ((t * 7 + 3) % 40))} and ${word(60_000 + (t % 9))}`,
    ),
    effect: "read" as const,
  }));
}

/** Processor time of this thread in ms: other work on the machine does not count. */
function processorMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const learn = (count: number, texts: number) =>
  createClassifier({ commands: madeUp(count, texts), background });

describe("learning many commands", () => {
  it("takes a moment for 150 commands in two languages", () => {
    learn(150, 4);
    // Elimination over all 2700 texts takes several seconds.
    expect(processorMs(() => learn(150, 18))).toBeLessThan(2000);
  });

  it("stays bounded for more commands and texts than anybody has", () => {
    expect(processorMs(() => learn(1500, 20))).toBeLessThan(8000);
    expect(processorMs(() => learn(20, 1000))).toBeLessThan(8000);
  });

  it("loses no text where there are too many for each to count alone", () => {
    const commands = madeUp(100, 18);
    const classifier = createClassifier({ commands, background });
    const wrong = commands.flatMap(({ name, prompts }) =>
      prompts.filter((prompt) => classifier.classify(prompt).command !== name),
    );
    expect(wrong).toEqual([]);
  });
});

describe("what is learnt", () => {
  it("gives a text that shares nothing with others what the ridge leaves of 1", () => {
    const classifier = createClassifier({
      background: { weights: new Map() },
      commands: [
        { name: "a", descriptions: [], prompts: ["磁", "盘"], effect: "read" },
        { name: "b", descriptions: [], prompts: ["网"], effect: "read" },
      ],
    });
    // Each prompt is a unit vector that shares nothing with the others: its score is 1 / (1 + 0.5).
    expect(classifier.classify("磁").score).toBeCloseTo(2 / 3, 9);
    expect(classifier.classify("网").score).toBeCloseTo(2 / 3, 9);
    expect(classifier.classify("网").second).toBeCloseTo(0, 9);
  });
});
