import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { AgentRole, PersonsReply } from "../../src/agent/index.ts";
import { plainText } from "../../src/sdk/markup.ts";
import { copyAsCrashed, startChain, type TestAgent } from "../support/agents.ts";
import { settled, until } from "../support/event-loop.ts";
import { readRows } from "../support/ledger-rows.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { loadShippedRole } from "../support/shipped-role.ts";

const START = Date.parse("2026-12-01T08:00:00Z");
const REMIND = `remind ${JSON.stringify({ when: "2026-12-01T09:00:00Z", text: "remind me to call Ann" })}`;

let remind: AgentRole;
beforeAll(async () => {
  remind = await loadShippedRole("reminders", "remind");
});
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: START }));
afterEach(() => void vi.useRealTimers());

const tree = (): readonly TestAgent[] => [
  { name: "root" },
  { name: "office" },
  { name: "reminders", role: remind },
];

async function pass(clock: ManualClock, ms: number): Promise<void> {
  vi.setSystemTime(clock.now() + ms);
  clock.advance(ms);
  await settled();
}

const wordsOf = (replies: readonly PersonsReply[]): readonly string[] =>
  replies.map(({ reply }) => plainText(reply.text));

const keptBy = (dir: string): readonly number[] =>
  ["root", "office", "reminders"].map((agent) => readRows(dir, agent, "SELECT n FROM followed").length);

test("a reminder comes in the chat that asked, can be put off from there, and is over when it is done", async () => {
  const clock = createManualClock(START);
  await using chain = await startChain(tree(), { clock });
  await chain.ask(REMIND);
  await pass(clock, 3_600_000);
  await until(() => chain.replies.length === 2);
  await chain.ask('remind_snooze {"id":1}');
  await pass(clock, 600_000);
  await until(() => chain.replies.length === 4);
  expect(wordsOf(chain.replies)).toEqual([
    "I will remind you Tue 1 Dec 2026, 09:00 UTC (in 1 h)\n1: call Ann",
    "⏰ call Ann\nReminder 1",
    "I will remind you again Tue 1 Dec 2026, 09:10 UTC (in 10 min)\n1: call Ann",
    "⏰ call Ann\nReminder 1",
  ]);
  expect(keptBy(chain.dir)).toEqual([1, 1, 1]);
  await chain.ask('remind_done {"id":1}');
  await until(() => keptBy(chain.dir).every((count) => count === 0));
  await pass(clock, 600_000);
  expect(chain.replies).toHaveLength(5);
});

test("one that is due while its agent is away comes once when it is back, and says that it is late", async () => {
  const clock = createManualClock(START);
  await using chain = await startChain(tree(), { clock });
  await chain.ask(REMIND);
  using crashed = copyAsCrashed(chain);
  const later = createManualClock(START + 2 * 3_600_000);
  await using again = await startChain(tree(), { clock: later, dir: crashed.dir });
  await pass(later, 2000);
  await until(() => wordsOf(again.replies).some((text) => text.startsWith("⏰")));
  await pass(later, 60_000);
  expect(wordsOf(again.replies).filter((text) => text.startsWith("⏰"))).toEqual([
    "⏰ call Ann\nlate, was due at Tue 1 Dec 2026, 09:00 UTC\nReminder 1",
  ]);
});

test("one that nobody answers is let go after a day", async () => {
  const clock = createManualClock(START);
  await using chain = await startChain(tree(), { clock });
  await chain.ask(REMIND);
  await pass(clock, 3_600_000);
  await until(() => chain.replies.length === 2);
  await pass(clock, 24 * 3_600_000 + 2000);
  await until(() => keptBy(chain.dir).every((count) => count === 0));
  expect(wordsOf([await chain.ask("reminders")])).toEqual([
    "You have no open reminders. Ask for one: remind me tomorrow at 9 to call Ann",
  ]);
});
