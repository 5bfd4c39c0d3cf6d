import type { Capabilities, Markup } from "#sdk";
import { createMemoryStore, tryCommand, tryEvent } from "#sdk/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { thingOf } from "./_words.ts";
import reminders from "./remind.ts";

type Put = Parameters<Capabilities["schedule"]["at"]>[1];

const NOW = Date.UTC(2026, 10, 30, 18, 0, 0);
const NINE = "2026-12-01T09:00:00+01:00";
const ZONE = "Europe/Berlin";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

/** Two people with one agent that reminds them, and what it has put down for later. */
function begin() {
  const store = createMemoryStore();
  const planned = new Map<string, Put>();
  const schedule = {
    at(key: string, due: Put) {
      planned.set(key, due);
      return {};
    },
    cancel: (key: string) => planned.delete(key),
  };
  const handlesOf = (askedBy: string, id = "request-1") => ({
    store,
    schedule,
    request: { id, askedBy, zone: ZONE },
  });
  const of = (askedBy: string) => ({
    remind: (when: string, text: string, id?: string) =>
      tryCommand(reminders, "remind", { when, text }, handlesOf(askedBy, id)),
    list: () => tryCommand(reminders, "reminders", {}, handlesOf(askedBy)),
    done: (id: number) => tryCommand(reminders, "remind_done", { id }, handlesOf(askedBy, "request-9")),
    cancel: (id: number) => tryCommand(reminders, "remind_cancel", { id }, handlesOf(askedBy, "request-9")),
    snooze: (id: number, forMs?: number) =>
      tryCommand(reminders, "remind_snooze", { id, forMs }, handlesOf(askedBy, "request-9")),
  });
  const due = (id: number, dueAt: string, lateMs = 0) =>
    tryEvent(reminders, "due", { id, dueAt, lateMs }, handlesOf("human.ann"));
  const over = (id: number) => tryEvent(reminders, "over", { id }, handlesOf("human.ann"));
  return { ann: of("human.ann"), ben: of("human.ben"), due, over, planned };
}

function wordsOf({ text }: { readonly text: string | Markup }): string {
  if (typeof text === "string") return text;
  return text.markup.map((run) => Object.values(run)[0]).join("");
}

test("what is asked for is echoed with the absolute time, kept, and put down for that moment", async () => {
  const { ann, planned } = begin();
  const reply = await ann.remind(NINE, "remind me to call Ann");
  expect(wordsOf(reply)).toBe("I will remind you Tue 1 Dec 2026, 09:00 Europe/Berlin (in 14 h)\n1: call Ann");
  expect(reply).toMatchObject({
    data: { id: 1, at: "2026-12-01T08:00:00.000Z" },
    buttons: [{ label: "Cancel it", say: "/remind_cancel 1" }],
    followed: ["request-1"],
  });
  expect([...planned]).toEqual([
    ["due 1", { at: "2026-12-01T08:00:00.000Z", event: "due", payload: { id: 1 } }],
  ]);
});

test("when it is due, the request is told, with buttons to answer", async () => {
  const { ann, due, planned } = begin();
  await ann.remind(NINE, "call Ann");
  vi.setSystemTime(NINE);
  const { notices, letGo } = await due(1, "2026-12-01T08:00:00.000Z");
  expect(notices.map((notice) => [notice.requestId, wordsOf(notice)])).toEqual([
    ["request-1", "⏰ call Ann\nReminder 1"],
  ]);
  expect(notices[0]?.buttons).toEqual([
    { label: "Done", say: "/remind_done 1" },
    { label: "Snooze 10 min", say: "/remind_snooze 1 10min" },
    { label: "1 h", say: "/remind_snooze 1 1h" },
  ]);
  expect(letGo).toEqual([]);
  expect(planned.get("over 1")).toMatchObject({ at: "2026-12-02T08:00:00.000Z", event: "over" });
  expect(wordsOf(await ann.list())).toContain(
    "1 call Ann\n    told Tue 1 Dec 2026, 09:00 Europe/Berlin (a moment ago)",
  );
});

test("a late one says so", async () => {
  const { ann, due } = begin();
  await ann.remind(NINE, "call Ann");
  vi.setSystemTime("2026-12-01T08:30:00Z");
  const { notices } = await due(1, "2026-12-01T08:00:00.000Z", 1_800_000);
  expect(notices.map(wordsOf)).toEqual([
    "⏰ call Ann\nlate, was due at Tue 1 Dec 2026, 09:00 Europe/Berlin\nReminder 1",
  ]);
});

test("a snooze puts it off by ten minutes or as long as is said, and the first request is told again", async () => {
  const { ann, due, planned } = begin();
  await ann.remind(NINE, "call Ann");
  vi.setSystemTime(NINE);
  await due(1, "2026-12-01T08:00:00.000Z");
  vi.setSystemTime("2026-12-01T08:05:00Z");
  expect(wordsOf(await ann.snooze(1))).toBe(
    "I will remind you again Tue 1 Dec 2026, 09:15 Europe/Berlin (in 10 min)\n1: call Ann",
  );
  expect([...planned.keys()]).toEqual(["due 1"]);
  // What was on its way for the old time says nothing any more.
  expect((await due(1, "2026-12-01T08:00:00.000Z")).notices).toEqual([]);
  const { notices } = await due(1, "2026-12-01T08:15:00.000Z");
  expect(notices.map(({ requestId }) => requestId)).toEqual(["request-1"]);
  vi.setSystemTime("2026-12-01T08:20:00Z");
  expect(wordsOf(await ann.snooze(1, 3_600_000))).toContain("10:20 Europe/Berlin (in 1 h)");
});

test("what has not been shown yet is put off from when it would have been", async () => {
  const { ann } = begin();
  await ann.remind(NINE, "call Ann");
  expect(wordsOf(await ann.snooze(1, 3_600_000))).toContain("10:00 Europe/Berlin (in 15 h)");
});

test.each(["done", "cancel"] as const)("%s ends it: nothing more will come", async (way) => {
  const { ann, due, planned } = begin();
  await ann.remind(NINE, "call Ann");
  const reply = await ann[way](1);
  expect(reply).toMatchObject({
    text: `${way === "done" ? "Done" : "Cancelled"}: call Ann`,
    letGo: ["request-1"],
  });
  expect([...planned]).toEqual([]);
  expect((await due(1, "2026-12-01T08:00:00.000Z")).notices).toEqual([]);
  expect(await ann[way](1)).toMatchObject({ failure: "E_NOT_FOUND" });
});

test("one that was shown and not answered is over a day later", async () => {
  const { ann, due, over } = begin();
  await ann.remind(NINE, "call Ann");
  expect((await over(1)).letGo).toEqual([]);
  await due(1, "2026-12-01T08:00:00.000Z");
  expect((await over(1)).letGo).toEqual(["request-1"]);
  expect(wordsOf(await ann.list())).toBe(
    "You have no open reminders. Ask for one: remind me tomorrow at 9 to call Ann",
  );
});

test("everybody sees and changes only their own", async () => {
  const { ann, ben } = begin();
  await ann.remind(NINE, "call Ben");
  await ben.remind("2026-12-01T08:00:00+01:00", "call Ann", "request-2");
  expect(wordsOf(await ann.list())).toBe(
    [
      "1 open reminder",
      "1 call Ben",
      "    Tue 1 Dec 2026, 09:00 Europe/Berlin (in 14 h)",
      "Say /remind_done 1, /remind_snooze 1 1h or /remind_cancel 1 with its number.",
    ].join("\n"),
  );
  const notThere = {
    failure: "E_NOT_FOUND",
    text: "You have no open reminder 1. /reminders lists those that you have.",
  };
  expect(await ben.done(1)).toMatchObject(notThere);
  expect(await ben.cancel(1)).toMatchObject(notThere);
  expect(await ben.snooze(1)).toMatchObject(notThere);
  expect((await ben.list()).data?.reminders.map(({ id }) => id)).toEqual([2]);
});

describe("a time that cannot be is refused", () => {
  test.each([
    [
      "2026-11-30T18:58:59+01:00",
      "Mon 30 Nov 2026, 18:58 Europe/Berlin has passed. Say a time that is still to come, such as “tomorrow at 9” or “in 10 min”.",
    ],
    [
      "2031-12-01T09:00:00+01:00",
      "Mon 1 Dec 2031, 09:00 Europe/Berlin is more than 5 years away. Say a time within 5 years.",
    ],
  ])("%s", async (when, text) => {
    const { ann, planned } = begin();
    expect(await ann.remind(when, "call Ann")).toMatchObject({
      failure: "E_BAD_PARAMS",
      text,
      followed: [],
    });
    expect([...planned]).toEqual([]);
  });

  test("what has just passed is not: it is due at once", async () => {
    const { ann } = begin();
    expect(wordsOf(await ann.remind("2026-11-30T18:59:30+01:00", "look"))).toContain("(in a moment)");
  });
});

test("more than 200 at once for one person are refused, and others still can", async () => {
  const { ann, ben } = begin();
  for (let n = 0; n < 200; n++) await ann.remind(NINE, `thing ${n}`);
  expect(await ann.remind(NINE, "one more")).toMatchObject({ failure: "E_TOO_MANY" });
  expect(await ben.remind(NINE, "one")).toMatchObject({ data: { id: 201 } });
});

describe("the thing itself is taken out of the sentence that asks for it", () => {
  test.each([
    ["remind me to call Ann", "call Ann"],
    ["remind me that the contract ends", "the contract ends"],
    ["please remind me about the backup", "the backup"],
    ["can you remind us to switch off the lights", "switch off the lights"],
    ["set a reminder for to water the plants", "to water the plants"],
    ["reminder: tea", "tea"],
    ["erinnere mich daran, Ann anzurufen", "Ann anzurufen"],
    ["erinnere mich an den Ofen", "den Ofen"],
    ["stell mir eine Erinnerung für: Blumen gießen", "Blumen gießen"],
    ["call Ann", "call Ann"],
    ["to-do list: milk", "to-do list: milk"],
    ["remind me", ""],
  ])("%s → %s", (sentence, thing) => {
    expect(thingOf(sentence)).toBe(thing);
  });

  test("and where nothing else was said, the reminder still comes", async () => {
    const { ann } = begin();
    expect(wordsOf(await ann.remind(NINE, "remind me"))).toContain("\n1: what you had in mind");
  });
});
