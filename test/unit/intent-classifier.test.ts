import { describe, expect, it } from "vitest";
import { type ClassifiedCommand, createClassifier, shippedBackground } from "../../src/intent/index.ts";

const background = shippedBackground();
const classifierOf = (...commands: readonly Partial<ClassifiedCommand>[]) =>
  createClassifier({
    background,
    commands: commands.map(({ name, descriptions = [], prompts = [], effect = "read" }, i) => ({
      name: name ?? `command_${i}`,
      descriptions,
      prompts,
      effect,
    })),
  });

const bot = classifierOf(
  { name: "disks", prompts: ["how full are the disks?", "is there disk space left", "show disk usage"] },
  { name: "memory", prompts: ["how much memory is free?", "show memory usage", "are we out of memory"] },
  {
    name: "web",
    prompts: ["is example.com up?", "check https://example.com"],
    descriptions: ["Ask a web page whether it answers"],
  },
);

describe("the classifier", () => {
  it.each([
    ["how full are the disks?", "disks"],
    ["HOW FULL ARE THE DISKS", "disks"],
    ["disk space?", "disks"],
    ["how much free memory is there", "memory"],
    ["is http://127.0.0.1:8080/x up", "web"],
    ["chekc 10.0.0.7", "web"],
    // By the description alone.
    ["does the web page answer", "web"],
    // One sentence of several says it.
    [
      "Good morning, I hope that you slept well. How full are the disks? Thank you so much for all of your work.",
      "disks",
    ],
  ])("carries out %j by %s", (text, command) => {
    expect(bot.classify(text)).toMatchObject({ zone: "fire", command });
  });

  it("asks where two commands are as likely, and gives the three best in order", () => {
    const { zone, candidates, score, second } = bot.classify("show usage");
    expect(zone).toBe("ask");
    expect(candidates.map(({ command }) => command).sort()).toEqual(["disks", "memory", "web"]);
    expect(score).toBe(candidates[0]?.score);
    expect(second).toBe(candidates[1]?.score);
    expect(score - second).toBeLessThan(0.1);
  });

  it.each([
    "what is the meaning of life",
    "tell me a joke",
    "book a table for two",
    "¿qué tiempo hace?",
    "",
    "?!",
    "\ue010\ue010",
  ])("refuses %j", (text) => {
    expect(bot.classify(text).zone).toBe("refuse");
  });

  it("wants to be surer before something is changed", () => {
    const prompts = ["restart the web server", "restart nginx"];
    const text = "please nginx should start now";
    const read = classifierOf({ prompts });
    const change = classifierOf({ prompts, effect: "change" });
    const { score } = read.classify(text);
    expect(score).toBeGreaterThan(0.3);
    expect(score).toBeLessThan(0.4);
    expect(read.classify(text).zone).toBe("fire");
    expect(change.classify(text).zone).toBe("ask");
  });

  it("reads prompts in other scripts", () => {
    const chinese = classifierOf(
      { name: "磁盘", prompts: ["磁盘还有多少空间", "磁盘满了吗"] },
      { prompts: ["网站正常吗", "检查网站"] },
    );
    expect(chinese.classify("磁盘空间还剩多少")).toMatchObject({ zone: "fire", command: "磁盘" });
  });

  it("has nothing to offer without commands", () => {
    expect(classifierOf().classify("how are you")).toEqual({
      zone: "refuse",
      command: undefined,
      score: 0,
      second: 0,
      candidates: [],
    });
  });

  it("says what decided", () => {
    const explanation = bot.explain("chekc http://127.0.0.1:8080");
    expect(explanation).toMatchObject(bot.classify("chekc http://127.0.0.1:8080"));
    expect(explanation.scored).toBe("chekc <site>");
    expect(explanation.features[0]?.feature).toBe("<site>");
    const shown = explanation.features.reduce((sum, { contribution }) => sum + contribution, 0);
    expect(shown).toBeCloseTo(explanation.score, 2);
    expect(explanation.entities).toMatchObject([{ kind: "url", value: "http://127.0.0.1:8080" }]);
  });
});
