import { describe, expect, it } from "vitest";
import { z } from "zod";
import { param } from "../../src/sdk/param.ts";
import { announce, CHECKS, chatWith } from "../support/sample-bot.ts";

const WATCHES = [
  ...CHECKS,
  announce("watch_add", "Watch something, and tell the war room when it fails", {
    prompts: [
      "watch https://example.com every minute and tell us here",
      "keep an eye on example.com",
      "watch that port 443 on example.com is open every 5 min",
      "überwache https://example.com jede Minute",
    ],
    params: z.object({
      check: param.request(),
      everyMs: param.durationMs().default(60_000),
      fails: z.int().min(1).max(20).default(3),
      severity: z.enum(["crit", "warn", "info"]).default("crit"),
      by: param.asker(),
    }),
    effect: "change",
  }),
];

describe("a request within another one", () => {
  it.each<[string, Record<string, unknown>]>([
    [
      "watch https://shop.example every minute and tell us here",
      {
        check: {
          command: "http",
          params: { url: "https://shop.example" },
          words: "/http url=https://shop.example",
        },
        everyMs: 60_000,
      },
    ],
    [
      "please watch that port 5432 on db.example.com is open every 5 min",
      {
        check: {
          command: "port",
          params: { host: "db.example.com", port: 5432 },
          words: "/port host=db.example.com port=5432",
        },
        everyMs: 300_000,
      },
    ],
    [
      "/watch_add http https://shop.example expect=204 every 30 s fails=2 severity=warn",
      {
        check: {
          command: "http",
          params: { url: "https://shop.example", expect: 204 },
          words: "/http url=https://shop.example expect=204",
        },
        everyMs: 30_000,
        fails: 2,
        severity: "warn",
      },
    ],
    [
      '/watch add "is https://shop.example up?" every 2 min',
      {
        check: {
          command: "http",
          params: { url: "https://shop.example" },
          words: "/http url=https://shop.example",
        },
        everyMs: 120_000,
      },
    ],
    [
      "überwache https://shop.example jede Stunde",
      {
        check: {
          command: "http",
          params: { url: "https://shop.example" },
          words: "/http url=https://shop.example",
        },
        everyMs: 3_600_000,
      },
    ],
    [
      "/watch_add how is the machine doing hourly",
      { check: { command: "host", params: {}, words: "/host" }, everyMs: 3_600_000 },
    ],
  ])("is found in %j", (text, params) => {
    expect(chatWith(WATCHES).say(text)).toMatchObject({ kind: "run", command: "watch_add", params });
  });

  it("is asked for where the words do not say it, and read from the answer", () => {
    const chat = chatWith(WATCHES);
    expect(chat.say("/watch_add every 5 min")).toMatchObject({
      kind: "ask",
      text: "What shall I look at? For example is example.com up?. Say “cancel” to drop this.",
    });
    expect(chat.say("is port 22 open on 192.0.2.7")).toMatchObject({
      kind: "run",
      command: "watch_add",
      params: { check: { command: "port", params: { host: "192.0.2.7", port: 22 } }, everyMs: 300_000 },
    });
  });

  it("is never something that changes anything, nor another of its kind", () => {
    const chat = chatWith(WATCHES);
    expect(chat.say("/watch_add /watch_add http https://a.example every 5 min")).toMatchObject({
      kind: "ask",
    });
  });

  it("is said again by its own spelling", () => {
    const first = chatWith(WATCHES).say("watch https://shop.example every 5 min");
    if (first.kind !== "run") throw new Error(first.kind);
    expect(first.understood).toBe("/watch_add everyMs=5min http url=https://shop.example");
    expect(chatWith(WATCHES).say(first.understood)).toEqual(first);
  });

  it("leaves who asks to the root: no words can say it", () => {
    expect(chatWith(WATCHES).say("/watch_add http https://shop.example by=Mallory")).not.toMatchObject({
      params: { by: expect.anything() },
    });
  });
});

describe("a length of time without a number", () => {
  it.each([
    ["every minute", 60_000],
    ["each hour", 3_600_000],
    ["once a day", 86_400_000],
    ["jede Minute", 60_000],
    ["jeden Tag", 86_400_000],
    ["hourly", 3_600_000],
    ["täglich", 86_400_000],
  ])("%j is one", (words, everyMs) => {
    expect(chatWith(WATCHES).say(`/watch_add http https://a.example ${words}`)).toMatchObject({
      params: { everyMs },
    });
  });
});
