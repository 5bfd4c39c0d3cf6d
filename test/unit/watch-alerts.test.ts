import { createMemoryStore, tryCommand, tryEvent, type ChildAnswer } from "../../src/sdk/testing/index.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import watch from "../../roles/ops/watch.ts";
import { plainText } from "../../src/sdk/markup.ts";

const NOW = Date.UTC(2026, 11, 1, 8, 0, 0);
const MINUTE_MS = 60_000;
const OK: ChildAnswer = {
  verdict: "ok",
  text: "https://shop.example answers 200 in 46 ms\ntcp 12 ms",
  data: {},
};
const DOWN: ChildAnswer = {
  verdict: "fail",
  text: "https://shop.example answers 503 in 212 ms, an error\naddress 203.0.113.7",
  data: {},
};
const UNCLEAR: ChildAnswer = { verdict: "inconclusive", text: "the name could not be looked up", data: {} };
const OFFLINE: ChildAnswer = {
  failure: "E_OFFLINE",
  text: "The agent that can do this is not running.",
  retryable: true,
};
const SHOP = {
  command: "http",
  params: { url: "https://shop.example" },
  words: "/http url=https://shop.example",
};
const HOST = { command: "port", params: { host: "db.example", ports: [1] }, words: "/port db.example 1" };

type Given = Readonly<Record<string, unknown>>;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

/** A coordinator that watches: what its children answer is set by `answer`, what it told the war room stands in `alerts`. */
function begin() {
  let answer: ChildAnswer | Promise<ChildAnswer> = OK;
  const planned = new Map<string, object>();
  const asked: object[] = [];
  const alerts: object[] = [];
  const told: string[] = [];
  const planOf = (key: string) =>
    planned.has(key) ? { nextAt: new Date(Date.now() + MINUTE_MS).toISOString() } : undefined;
  const handles = {
    store: createMemoryStore(),
    schedule: {
      every(key: string, due: object) {
        planned.set(key, due);
        return planOf(key) ?? {};
      },
      get: planOf,
      pause: planOf,
      resume: planOf,
      cancel: (key: string) => planned.delete(key),
    },
    async delegate(command: string, params: object) {
      asked.push({ command, params });
      return await answer;
    },
    request: { zone: "Europe/Berlin", deadline: NOW + 365 * 24 * 60 * MINUTE_MS },
  };
  const keep = <T extends { readonly alerts: readonly object[] }>(tried: T): T => {
    alerts.push(...tried.alerts);
    told.push(
      ...tried.alerts.map((alert) => {
        const { kind, target, state, summary } = alert as Record<string, string>;
        return `${state} ${kind} ${target}: ${summary}`;
      }),
    );
    return tried;
  };
  const ask = async (name: "watch_pause" | "watch_resume" | "watch_rm" | "watch_run", id = 1) =>
    keep(await tryCommand(watch, name, { id }, handles));
  return {
    planned,
    asked,
    alerts,
    told,
    answers: (next: ChildAnswer | Promise<ChildAnswer>) => void (answer = next),
    add: async (given: Given = {}) =>
      keep(await tryCommand(watch, "watch_add", { check: SHOP, by: "Ann", ...given }, handles)),
    list: () => tryCommand(watch, "watches", {}, handles),
    pause: (id?: number) => ask("watch_pause", id),
    resume: (id?: number) => ask("watch_resume", id),
    rm: (id?: number) => ask("watch_rm", id),
    run: (id?: number) => ask("watch_run", id),
    /** The next due time has come, so many times. */
    async due(times = 1, { id = 1, missed = 0, lateMs = 0, deadline = handles.request.deadline } = {}) {
      for (let n = 0; n < times; n++) {
        vi.setSystemTime(Date.now() + MINUTE_MS);
        const request = { ...handles.request, deadline };
        keep(await tryEvent(watch, "check", { id, missed, lateMs }, { ...handles, request }));
      }
    },
  };
}

describe("alerts", () => {
  test("come after three fails in a row, once, with what was seen and since when; and end after two good results", async () => {
    const { add, due, answers, alerts, told } = begin();
    await add();
    answers(DOWN);
    await due(2);
    expect(told).toEqual([]);
    await due(5);
    expect(alerts).toEqual([
      {
        kind: "watch.http",
        target: "https://shop.example",
        state: "firing",
        severity: "crit",
        summary: "https://shop.example answers 503 in 212 ms, an error",
        evidence: ["address 203.0.113.7"],
        since: "2026-12-01T08:01:00.000Z",
        labels: { watch: "1" },
        next: "/http url=https://shop.example",
      },
    ]);
    answers(OK);
    await due();
    expect(told).toHaveLength(1);
    await due(4);
    expect(told.slice(1)).toEqual([
      "resolved watch.http https://shop.example: https://shop.example answers 200 in 46 ms",
    ]);
  });

  test("are repeated when something else is wrong, not when it only takes longer", async () => {
    const { add, due, answers, told } = begin();
    await add({ fails: 1, severity: "warn" });
    answers(DOWN);
    await due();
    answers({ ...DOWN, text: "https://shop.example answers 503 in 1.2 s, an error" });
    await due();
    expect(told).toHaveLength(1);
    answers({ ...DOWN, text: "https://shop.example answers 500 in 212 ms, an error" });
    await due(2);
    expect(told).toHaveLength(2);
    expect(told[1]).toContain("answers 500");
  });

  test("a good result in between begins anew; one that is not clear neither counts nor interrupts", async () => {
    const { add, due, answers, told } = begin();
    await add();
    for (const answer of [DOWN, DOWN, OK, DOWN, DOWN]) {
      answers(answer);
      await due();
    }
    answers(UNCLEAR);
    await due(3);
    expect(told).toEqual([]);
    answers(DOWN);
    await due();
    expect(told).toEqual([expect.stringMatching(/^firing watch\.http/)]);
  });

  test.each([UNCLEAR, OFFLINE])(
    "what cannot be checked is told after ten times, not as the target's trouble: %j",
    async (answer) => {
      const { add, due, answers, alerts, told } = begin();
      await add();
      answers(answer);
      await due(9);
      expect(told).toEqual([]);
      await due(20);
      expect(alerts).toMatchObject([
        { kind: "watch.inconclusive", target: "https://shop.example", severity: "warn", state: "firing" },
      ]);
      answers(OK);
      await due(3);
      expect(told.slice(1)).toEqual([
        "resolved watch.inconclusive https://shop.example: can be checked again: https://shop.example answers 200 in 46 ms",
      ]);
    },
  );

  test("half of four watches that cannot be checked are one alert about the checks, and none of each", async () => {
    const { add, due, answers, alerts, told } = begin();
    for (let n = 1; n <= 4; n++) await add({ check: { ...HOST, params: { host: `db-${n}.example` } } });
    answers(UNCLEAR);
    await due(1, { id: 1 });
    expect(told).toEqual([]);
    await due(1, { id: 2 });
    expect(alerts).toMatchObject([
      {
        kind: "prober",
        state: "firing",
        severity: "warn",
        summary: "prober suspect: 2 of 4 watches could not be checked",
        evidence: [
          "db-1.example: the name could not be looked up",
          "db-2.example: the name could not be looked up",
        ],
      },
    ]);
    for (let n = 0; n < 12; n++) for (const id of [1, 2, 3, 4]) await due(1, { id });
    expect(told).toHaveLength(1);
    answers(OK);
    for (const id of [1, 2, 3, 4]) await due(1, { id });
    expect(told.slice(1)).toEqual(["resolved prober watches: the watches can be checked again"]);
  });

  test("say nothing of passwords in addresses", async () => {
    const { add, due, answers, alerts, list } = begin();
    const url = "https://ann:secret@shop.example/x";
    const reply = await add({
      check: { command: "http", params: { url }, words: `/http url=${url}` },
      fails: 1,
    });
    answers({ ...DOWN, text: `${url} answers 503\n${url} again` });
    await due();
    expect(alerts).toMatchObject([
      { target: "https://shop.example/x", summary: "https://shop.example/x answers 503" },
    ]);
    expect(JSON.stringify([alerts, reply, await list()])).not.toContain("secret");
  });

  test("fit what the war room takes, however long the answer is", async () => {
    const { add, due, answers, alerts } = begin();
    const host = `${"x".repeat(250)}.example`;
    await add({ check: { command: "c".repeat(64), params: { host }, words: "w".repeat(900) }, fails: 1 });
    answers({ ...DOWN, text: `${"🔥".repeat(400)}\n${"line\n".repeat(60)}` });
    await due();
    expect(alerts).toHaveLength(1);
  });
});

describe("a watch that is paused or removed", () => {
  test("ends its alert, and what was being checked meanwhile counts for nothing", async () => {
    const { add, due, answers, pause, told, list } = begin();
    await add({ fails: 1 });
    answers(DOWN);
    await due();
    expect(plainText((await pause()).text)).toBe(
      "Watch 1 (https://shop.example) is paused: nobody looks until you resume it.",
    );
    expect(told.slice(1)).toEqual([
      "resolved watch.http https://shop.example: not known: watch 1 was paused",
    ]);
    await due(3);
    expect(told).toHaveLength(2);
    expect(plainText((await list()).text)).toContain("1 watch, 1 paused\n⏸ 1 https://shop.example: paused");
  });

  test("counts from the beginning when it goes on", async () => {
    const { add, due, answers, pause, resume, told } = begin();
    await add({ fails: 2 });
    answers(DOWN);
    await due();
    await pause();
    expect(plainText((await resume()).text)).toContain("next in 1 min");
    await due();
    expect(told).toEqual([]);
    await due();
    expect(told).toHaveLength(1);
  });

  test("is gone, with its alert", async () => {
    const { add, due, answers, rm, told, planned, list } = begin();
    await add({ fails: 1 });
    answers(DOWN);
    await due();
    await rm();
    expect(told.slice(1)).toEqual([
      "resolved watch.http https://shop.example: not known: watch 1 was removed",
    ]);
    expect([...planned]).toEqual([]);
    await due();
    expect(told).toHaveLength(2);
    expect(plainText((await list()).text)).toBe(
      "Nothing is watched yet. Ask for it: watch https://example.com every minute",
    );
  });

  test("what is being checked while it is removed is told to nobody", async () => {
    const { add, due, answers, rm, told, list } = begin();
    await add({ fails: 1 });
    const checking = Promise.withResolvers<ChildAnswer>();
    answers(checking.promise);
    const run = due();
    await rm();
    checking.resolve(DOWN);
    await run;
    expect(told).toEqual([]);
    expect((await list()).data?.watches).toEqual([]);
  });
});

describe("a run that takes long", () => {
  test("is not begun a second time while it is going", async () => {
    const { add, due, answers, asked } = begin();
    await add();
    const checking = Promise.withResolvers<ChildAnswer>();
    answers(checking.promise);
    const deadline = Date.now() + 200_000;
    const first = due(1, { deadline });
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    vi.setSystemTime(Date.now() - MINUTE_MS + 10_000);
    await due(1, { deadline });
    expect(asked).toHaveLength(2);
    checking.resolve(OK);
    await first;
    await due(1, { deadline });
    expect(asked).toHaveLength(3);
  });

  test("is over before its deadline, and is then not clear", async () => {
    const { add, due, answers, list } = begin();
    await add();
    answers(new Promise(() => undefined));
    await due(1, { deadline: Date.now() + MINUTE_MS + 600 });
    expect((await list()).data?.watches[0]?.history).toEqual(["ok", "inconclusive"]);
  });
});

test("a check on demand counts like any other", async () => {
  const { add, run, answers, told } = begin();
  await add({ fails: 2 });
  answers(DOWN);
  expect(await run()).toMatchObject({
    verdict: "fail",
    text: expect.stringMatching(/^https:\/\/shop\.example answers 503/),
  });
  expect(told).toEqual([]);
  await run();
  expect(told).toHaveLength(1);
});

test("what cannot be checked just after the coordinator was away counts for nothing", async () => {
  const { add, due, answers, told, list } = begin();
  for (let n = 1; n <= 4; n++) await add({ check: { ...HOST, params: { host: `db-${n}.example` } } });
  answers(OFFLINE);
  for (const id of [1, 2, 3, 4]) await due(1, { id, missed: 7, lateMs: 430_000 });
  expect(told).toEqual([]);
  expect((await list()).data?.watches[0]?.history).toEqual(["ok"]);
  expect(plainText((await list()).text)).toContain("7 runs missed while away");
});

test("the last twenty results are kept", async () => {
  const { add, due, list } = begin();
  await add();
  await due(30);
  expect((await list()).data?.watches[0]?.history).toHaveLength(20);
});
