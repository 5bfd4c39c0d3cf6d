import { describe, expect, test } from "vitest";
import { createScheduleCapability, type Schedule } from "../../src/capabilities/schedule/index.ts";
import { isFailure } from "../../src/envelope/index.ts";
import type { RaisedEvent } from "../../src/sdk/capability.ts";
import { createMemoryStore } from "../../src/sdk/testing/index.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { SILENT } from "../support/silent-log.ts";

const REQUEST = {
  id: "01900000-0000-7000-8000-000000000001",
  corr: "01900000-0000-7000-8000-0000000000c0",
  deadline: 0,
  askedBy: "human.x",
  language: "de",
  zone: "Europe/Berlin",
};

/** A schedule that was started at a moment, over a memory that outlives it. */
async function begin(clock: ManualClock, own = createMemoryStore()) {
  const raised: RaisedEvent[] = [];
  const mounted = await createScheduleCapability({ clock }).mount({
    agent: { id: "019ad200-0000-7000-8000-000000000001", name: "office" },
    settings: {},
    log: SILENT,
    own,
  });
  await mounted.start?.({
    raise: (event) => void raised.push(event),
    committed: () => Promise.resolve(),
    after: clock.after,
  });
  const schedule: Schedule = mounted.handle({
    role: "remind",
    request: REQUEST,
    signal: new AbortController().signal,
    store: createMemoryStore(),
    own,
    answer: () => undefined,
    say: () => undefined,
  });
  const payloads = () => raised.map(({ payload }) => payload);
  return { schedule, raised, payloads, own, close: () => mounted.close() };
}

const at = (iso: string): ManualClock => createManualClock(Date.parse(iso));

test("what happens once is raised at its moment, once, for the role that put it down and on behalf of who asked", async () => {
  const clock = at("2026-12-01T08:00:00Z");
  const { schedule, raised } = await begin(clock);
  expect(
    schedule.at("r1", { at: "2026-12-01T10:00:00+01:00", event: "due", payload: { text: "tea" } }),
  ).toEqual({
    key: "r1",
    nextAt: "2026-12-01T09:00:00.000Z",
    isPaused: false,
    event: "due",
    payload: { text: "tea" },
  });
  clock.advance(3_599_000);
  expect(raised).toEqual([]);
  clock.advance(1000);
  expect(raised).toMatchObject([
    {
      role: "remind",
      event: "due",
      payload: { text: "tea", key: "r1", dueAt: "2026-12-01T09:00:00.000Z", lateMs: 0, missed: 0 },
      cause: { id: REQUEST.id, askedBy: "human.x", language: "de", zone: "Europe/Berlin" },
    },
  ]);
  clock.advance(86_400_000);
  expect(raised).toHaveLength(1);
  expect(schedule.list()).toEqual([]);
});

test("what was due while the agent was away is raised at the start, once, and says how late it is", async () => {
  const { schedule, own, close } = await begin(at("2026-12-01T08:00:00Z"));
  schedule.at("r1", { at: "2026-12-01T09:00:00Z", event: "due", payload: {} });
  await close();
  const later = await begin(at("2026-12-01T11:30:00Z"), own);
  expect(later.payloads()).toEqual([
    { key: "r1", dueAt: "2026-12-01T09:00:00.000Z", lateMs: 9_000_000, missed: 0 },
  ]);
  await later.close();
  expect((await begin(at("2026-12-01T11:30:01Z"), own)).raised).toEqual([]);
});

test("a due time that is raised a second time bears the same id, and another one another", async () => {
  const own = createMemoryStore();
  const first = await begin(at("2026-12-01T08:00:00Z"), own);
  first.schedule.every("w", { everyMs: 60_000, zone: "UTC", event: "look", payload: {} });
  await first.close();
  const before = own.list();
  const one = await begin(at("2026-12-01T08:01:00Z"), own);
  await one.close();
  // The process was killed before any of it was durable.
  const lost = createMemoryStore(Object.fromEntries(before));
  const two = await begin(at("2026-12-01T08:01:05Z"), lost);
  expect(two.raised[0]?.id).toBe(one.raised[0]?.id);
  const clock = at("2026-12-01T08:02:00Z");
  const three = await begin(clock, lost);
  expect(three.raised[0]?.id).not.toBe(one.raised[0]?.id);
  expect(three.raised[0]?.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/);
});

test("a steady distance is kept over a restart, and due times that were missed are counted and not made up for", async () => {
  const clock = at("2026-12-01T08:00:30Z");
  const { schedule, own, payloads, close } = await begin(clock);
  schedule.every("w", { everyMs: 60_000, zone: "UTC", event: "look", payload: {} });
  clock.advance(120_000);
  expect(payloads().map(({ dueAt }) => dueAt)).toEqual([
    "2026-12-01T08:01:30.000Z",
    "2026-12-01T08:02:30.000Z",
  ]);
  await close();
  const again = at("2026-12-01T09:00:00Z");
  const later = await begin(again, own);
  again.advance(30_000);
  expect(later.payloads()).toEqual([
    { key: "w", dueAt: "2026-12-01T08:03:30.000Z", lateMs: 3_390_000, missed: 56 },
    { key: "w", dueAt: "2026-12-01T09:00:30.000Z", lateMs: 0, missed: 0 },
  ]);
});

test("nine in the morning stays nine in the morning when the clocks change, and half past two happens once on both days", async () => {
  const { schedule } = await begin(at("2027-03-26T20:00:00Z"));
  expect(schedule.preview({ cron: "0 9 * * *", zone: "Europe/Berlin" }, 3)).toEqual([
    "2027-03-27T08:00:00.000Z",
    "2027-03-28T07:00:00.000Z",
    "2027-03-29T07:00:00.000Z",
  ]);
  expect(schedule.preview({ cron: "30 2 * * *", zone: "Europe/Berlin" }, 3)).toEqual([
    "2027-03-27T01:30:00.000Z",
    "2027-03-28T01:00:00.000Z",
    "2027-03-29T00:30:00.000Z",
  ]);
  const autumn = await begin(at("2026-10-24T20:00:00Z"));
  expect(autumn.schedule.preview({ cron: "30 2 * * *", zone: "Europe/Berlin" }, 2)).toEqual([
    "2026-10-25T00:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ]);
});

test("a pause raises nothing, and what was due meanwhile is not made up for", async () => {
  const clock = at("2026-12-01T08:00:00Z");
  const { schedule, payloads } = await begin(clock);
  schedule.every("w", { everyMs: 60_000, zone: "UTC", event: "look", payload: {} });
  clock.advance(60_000);
  expect(schedule.pause("w")).toMatchObject({ isPaused: true });
  clock.advance(600_000);
  expect(payloads()).toHaveLength(1);
  expect(schedule.resume("w")).toMatchObject({ isPaused: false, nextAt: "2026-12-01T08:12:00.000Z" });
  clock.advance(60_000);
  expect(payloads()).toHaveLength(2);
  expect(schedule.cancel("w")).toBe(true);
  expect(schedule.cancel("w")).toBe(false);
  expect(schedule.pause("w")).toBeUndefined();
  clock.advance(600_000);
  expect(payloads()).toHaveLength(2);
});

test("a wall clock that is set back keeps nothing that comes at a steady distance waiting", async () => {
  const clock = at("2026-12-01T08:00:00Z");
  const { schedule, payloads } = await begin(clock);
  schedule.every("w", { everyMs: 60_000, zone: "UTC", event: "look", payload: {} });
  clock.advance(60_000);
  clock.setWallClock(Date.parse("2026-12-01T05:00:00Z"));
  clock.advance(62_000);
  expect(payloads()).toHaveLength(2);
});

test("more than a hundred that are due at once are all raised, a part at each tick", async () => {
  const clock = at("2026-12-01T08:00:00Z");
  const { schedule, raised } = await begin(clock);
  for (let n = 0; n < 250; n++)
    schedule.at(`r${n}`, { at: "2026-12-01T08:00:05Z", event: "due", payload: {} });
  clock.advance(5000);
  expect(raised).toHaveLength(100);
  clock.advance(2000);
  expect(new Set(raised.map(({ id }) => id)).size).toBe(250);
});

test("the same key shifts by the same part of its jitter, and never by more than that", async () => {
  const clock = at("2026-12-01T08:00:00Z");
  const { schedule } = await begin(clock);
  const of = (key: string): number => {
    const planned = schedule.every(key, {
      everyMs: 60_000,
      jitterMs: 10_000,
      zone: "UTC",
      event: "look",
      payload: {},
    });
    if (isFailure(planned) || !("nextAt" in planned)) throw new Error("no rhythm");
    return Date.parse(planned.nextAt) - clock.now() - 60_000;
  };
  const shifts = Array.from({ length: 50 }, (_, n) => of(`w${n}`));
  expect(of("w7")).toBe(shifts[7]);
  expect(Math.min(...shifts)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...shifts)).toBeLessThanOrEqual(10_000);
  expect(new Set(shifts).size).toBeGreaterThan(40);
});

describe("a rhythm that cannot be kept is refused when it is put down", () => {
  test.each([
    [{ cron: "0 0 30 2 *", zone: "UTC" }, '"0 0 30 2 *" is never due: no such day comes.'],
    [
      { cron: "61 * * * *", zone: "UTC" },
      '"61 * * * *" is no cron pattern: CronPattern: Invalid value for minute: 61.',
    ],
    [{ everyMs: 999, zone: "UTC" }, "Every 999 ms cannot be: from 1 second to 366 days."],
    [{ everyMs: Number.NaN, zone: "UTC" }, "Every NaN ms cannot be: from 1 second to 366 days."],
  ])("%j", async (rhythm, text) => {
    const { schedule } = await begin(at("2026-12-01T08:00:00Z"));
    const refusal = { failure: "E_BAD_PARAMS", text, retryable: false };
    expect(schedule.every("w", { ...rhythm, event: "look", payload: {} })).toEqual(refusal);
    expect(schedule.preview(rhythm, 3)).toEqual(refusal);
    expect(schedule.list()).toEqual([]);
  });
});
