import { expect, test } from "vitest";
import type { Absence } from "../faults/agent-process.ts";
import { type Evidence, judge } from "../faults/judge.ts";
import type { Command } from "../faults/tree.ts";
import type { Question, Reply, Trace } from "../faults/world.ts";

/** A question that was asked at 100 s, as the harness's clock has it. */
function asked(command: Command, ...replies: readonly Partial<Reply>[]): Question {
  return {
    id: "id",
    command,
    subject: "n1",
    asker: "ann",
    text: `${command} n1`,
    askedAt: 100_000,
    isAccepted: true,
    replies: replies.map((reply) => ({
      at: 101_000,
      chat: "ann",
      text: "",
      code: undefined,
      isRepeat: false,
      ...reply,
    })),
  };
}

/** A step that began, ended and was finished, of one request. */
const step = (key: string): readonly Trace[] => [
  { agent: "web", at: 1, did: "begin", key, subject: "n1" },
  { agent: "web", at: 2, did: "end", key },
  { agent: "web", at: 3, did: "finished", key },
];
const bothSteps = [...step("r1/first/0"), ...step("r1/second/0")];
const changed = { text: "changed n1" };

interface Gone {
  readonly name: string;
  readonly from: number;
  readonly until: number;
  readonly why?: Absence["why"];
}

function violationsOf(
  question: Question,
  {
    trail = bothSteps,
    gone = [],
    redisAway = [],
  }: Partial<Evidence> & { readonly gone?: readonly Gone[] } = {},
): readonly string[] {
  const agents = ["root", "ops", "web", "web-2", "db"].map((name) => ({
    name,
    absences: gone
      .filter((one) => one.name === name)
      .map(({ from, until, why = "killed" }) => ({ from, until, why })),
  }));
  return judge({ questions: [question], trail, agents, redisAway }).violations;
}

test("one right answer after all of its steps is well, and so is a repeat around an end of the root that says so", () => {
  expect(violationsOf(asked("change", changed))).toEqual([]);
  const shownTwice = asked("change", changed, { ...changed, isRepeat: true });
  expect(violationsOf(shownTwice, { gone: [{ name: "root", from: 100_500, until: 102_000 }] })).toEqual([]);
});

test.each<readonly [string, Question]>([
  ["no reply", asked("change")],
  ["two replies", asked("change", changed, changed)],
  ["a repeat although the root never ended", asked("change", changed, { ...changed, isRepeat: true })],
  ["another's answer", asked("change", { text: "changed n2" })],
  ["an answer in another's chat", asked("change", { ...changed, chat: "ben" })],
  ["an unexpected code", asked("change", { code: "E_INTERNAL" })],
  ["a dead letter of what harmed nobody", asked("change", { code: "E_DEAD_LETTER" })],
  ["a deadline that was far away", asked("change", { code: "E_TIMEOUT", at: 150_000 })],
  ["a short deadline that was not there yet", asked("hang", { code: "E_TIMEOUT", at: 102_000 })],
  ["nobody there, although all were", asked("change", { code: "E_OFFLINE" })],
])("%s is a violation", (_, question) => {
  expect(violationsOf(question)).toHaveLength(1);
});

test("failures are true where what they say was so", () => {
  expect(violationsOf(asked("change", { code: "E_TIMEOUT", at: 154_000 }))).toEqual([]);
  expect(violationsOf(asked("hang", { code: "E_TIMEOUT", at: 102_900 }))).toEqual([]);
  expect(violationsOf(asked("poison", { code: "E_DEAD_LETTER" }))).toEqual([]);
});

test("nobody is offline unless all who can do it were silent for long enough, or the way to them was", () => {
  const offline = asked("change", { code: "E_OFFLINE", at: 112_000 });
  const web = { name: "web", from: 100_500, until: 130_000 };
  const twin = { name: "web-2", from: 95_000, until: 130_000 };
  expect(violationsOf(offline, { gone: [web] })).toHaveLength(1);
  expect(violationsOf(offline, { gone: [web, twin] })).toEqual([]);
  // A short absence, and one that was over long before.
  expect(violationsOf(offline, { gone: [{ ...web, until: 105_000 }, twin] })).toHaveLength(1);
  expect(violationsOf(offline, { gone: [{ ...web, from: 50_000, until: 80_000 }, twin] })).toHaveLength(1);
  // Two absences with too little between them to be heard are one.
  const again = { ...web, from: 108_000 };
  expect(violationsOf(offline, { gone: [{ ...web, until: 106_000 }, again, twin] })).toEqual([]);
  expect(violationsOf(offline, { gone: [{ name: "ops", from: 99_000, until: 130_000 }] })).toEqual([]);
});

test("a finished step that begins again, work for two requests and an answer without its work are violations", () => {
  const question = asked("change", changed);
  const begunAgain: Trace = { agent: "web", at: 9, did: "begin", key: "r1/first/0", subject: "n1" };
  expect(violationsOf(question, { trail: [...bothSteps, begunAgain] })).toHaveLength(1);
  expect(violationsOf(question, { trail: [...bothSteps, ...step("r2/first/0")] })).toHaveLength(1);
  expect(violationsOf(question, { trail: step("r1/first/0") })).toHaveLength(1);
  // Interrupted and done again with the same key is as it should be; so is looking twice.
  expect(violationsOf(question, { trail: [begunAgain, ...bothSteps] })).toEqual([]);
  const looked = asked("look", { text: "looked at n1" });
  expect(violationsOf(looked, { trail: [...step("r1/look/0"), ...step("r2/look/0")] })).toEqual([]);
});
