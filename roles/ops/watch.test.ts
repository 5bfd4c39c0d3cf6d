import type { Markup } from "#sdk";
import { createMemoryStore, tryCommand, tryEvent, type ChildAnswer } from "#sdk/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import watch from "./watch.ts";

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

type Given = Readonly<Record<string, unknown>>;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

/** A coordinator that watches: what its children answer is set by `answers`, what it has put down stands in `planned`. */
function begin() {
  let answer = OK;
  const planned = new Map<string, object>();
  const asked: object[] = [];
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
    },
    delegate(command: string, params: object) {
      asked.push({ command, params });
      return answer;
    },
    request: { zone: "Europe/Berlin" },
  };
  return {
    planned,
    asked,
    answers: (next: ChildAnswer) => void (answer = next),
    add: (given: Given = {}) => tryCommand(watch, "watch_add", { check: SHOP, by: "Ann", ...given }, handles),
    list: () => tryCommand(watch, "watches", {}, handles),
    ask: (name: "watch_pause" | "watch_resume" | "watch_rm" | "watch_run", id: number) =>
      tryCommand(watch, name, { id }, handles),
    /** The next due time of the first watch has come. */
    due(missed = 0) {
      vi.setSystemTime(Date.now() + MINUTE_MS);
      return tryEvent(watch, "check", { id: 1, missed, lateMs: 0 }, handles);
    },
  };
}

function wordsOf({ text }: { readonly text: string | Markup }): string {
  if (typeof text === "string") return text;
  return text.markup.map((run) => Object.values(run)[0]).join("");
}

describe("adding a watch", () => {
  test("checks once, says what it found, when it looks next, and where alerts go", async () => {
    const { add, planned, asked } = begin();
    const reply = await add();
    expect(wordsOf(reply)).toBe(
      [
        "Watching https://shop.example every 1 min (watch 1)",
        "now: ✅ https://shop.example answers 200 in 46 ms",
        "crit after 3 fails in a row, over after 2 good results in a row",
        "next runs: Tue 1 Dec 2026, 09:01:00 Europe/Berlin; Tue 1 Dec 2026, 09:02:00 Europe/Berlin; Tue 1 Dec 2026, 09:03:00 Europe/Berlin",
        "Alerts go to the war room.",
        "added by Ann",
      ].join("\n"),
    );
    expect(reply.data).toEqual({ id: 1, verdict: "ok", next: "2026-12-01T08:01:00.000Z" });
    expect(asked).toEqual([{ command: "http", params: { url: "https://shop.example" } }]);
    expect([...planned]).toEqual([
      [
        "watch 1",
        { everyMs: 60_000, jitterMs: 6000, zone: "Europe/Berlin", event: "check", payload: { id: 1 } },
      ],
    ]);
  });

  test("the jitter is never more than ten seconds", async () => {
    const { add, planned } = begin();
    await add({ everyMs: 3_600_000 });
    expect(planned.get("watch 1")).toMatchObject({ jitterMs: 10_000 });
  });

  test.each([
    [{ failure: "E_UNKNOWN_COMMAND", text: 'Nobody here offers "http".' }, 'Nobody here offers "http".'],
    [
      { text: "some weather" },
      "The answer to /http url=https://shop.example does not say whether all is well: “some weather”. Watch something that does, such as a web page or a port.",
    ],
  ])("what cannot be watched is refused: %j", async (answer, text) => {
    const { add, answers, planned, list } = begin();
    answers(answer);
    expect(await add()).toMatchObject({ failure: expect.stringMatching(/^E_/), text });
    expect([...planned]).toEqual([]);
    expect((await list()).data?.watches).toEqual([]);
  });

  test("what could not be checked just now is watched all the same", async () => {
    const { add, answers } = begin();
    answers(OFFLINE);
    expect(wordsOf(await add())).toContain("now: ❔ The agent that can do this is not running.");
  });

  test("the same is not watched twice, something else of it is", async () => {
    const { add } = begin();
    await add();
    expect(await add()).toMatchObject({ failure: "E_ALREADY_WATCHED" });
    const other = { ...SHOP, params: { expect: 404, url: "https://shop.example" } };
    expect((await add({ check: other })).data).toMatchObject({ id: 2 });
    const turned = { ...SHOP, params: { url: "https://shop.example", expect: 404 } };
    expect(await add({ check: turned })).toMatchObject({ failure: "E_ALREADY_WATCHED" });
  });

  test.each([{ everyMs: 9999 }, { everyMs: 86_400_001 }, { fails: 0 }, { severity: "bad" }])(
    "%j is refused",
    async (given) => {
      expect(await begin().add(given)).toMatchObject({ failure: "E_BAD_PARAMS" });
    },
  );
});

test("the list says how each one is, when it is looked at next, what was missed and who added it", async () => {
  const { add, due, answers, list } = begin();
  await add({ fails: 1, name: "the shop" });
  await due(3);
  answers(DOWN);
  await due();
  expect(wordsOf(await list())).toBe(
    [
      "1 watch, 1 alerting",
      "❌ 1 the shop: alerting",
      "    alerting since Tue 1 Dec 2026, 09:02:00 Europe/Berlin",
      "    https://shop.example answers 503 in 212 ms, an error (Tue 1 Dec 2026, 09:02:00 Europe/Berlin)",
      "    every 1 min, crit, next in 1 min, last 3: 2 ok, 1 failed, 0 not clear, 3 runs missed while away, by Ann",
      "    /http url=https://shop.example",
    ].join("\n"),
  );
});

test.each(["watch_pause", "watch_resume", "watch_rm", "watch_run"] as const)(
  "%s of a watch that is not there is refused",
  async (command) => {
    expect(await begin().ask(command, 7)).toMatchObject({
      failure: "E_NOT_FOUND",
      text: "There is no watch 7. /watches lists those that there are.",
    });
  },
);
