import { tryCommand } from "#sdk/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import ops from "./overview.ts";

// Time stands still, so that answers say when they were given.
beforeEach(
  () => void vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.UTC(2031, 1, 3, 4, 5, 6) }),
);
afterEach(() => void vi.useRealTimers());

const FOOTER = "Mon 3 Feb 2031, 04:05:06 UTC, took 0 ms";

const MACHINE = {
  verdict: "ok",
  text: "The machine is fine: load 0.1\nload 0.1, 0.1, 0.1",
  data: {},
} as const;
const WEB = {
  verdict: "ok",
  text: "2 of 2 pages fine\n✅ https://a.example answers 200",
  data: {},
} as const;
const OFFLINE = { failure: "E_OFFLINE", text: "The agent that can do this is not running.", retryable: true };
const NO_PAGES = { text: "No page has been asked about yet. Ask for one first.", data: {} };

const sumUp = (host: object, pages: object) =>
  tryCommand(
    ops,
    "overview",
    {},
    { delegate: (command: string) => (command === "host" ? host : pages) as never },
  );

test("asks its children side by side and gives one line for each", async () => {
  const asked: string[] = [];
  const both = Promise.withResolvers<void>();
  const reply = await tryCommand(
    ops,
    "overview",
    {},
    {
      delegate: async (command, params) => {
        expect(params).toEqual({});
        if (asked.push(command) === 2) both.resolve();
        await both.promise;
        return command === "host" ? MACHINE : WEB;
      },
    },
  );
  expect(asked.sort()).toEqual(["host", "pages"]);
  expect(reply).toMatchObject({
    verdict: "ok",
    text: `All is well\n✅ The machine is fine: load 0.1\n✅ 2 of 2 pages fine\n${FOOTER}`,
  });
});

test.each([
  ["ok", "ok", "ok", "All is well", ["✅", "✅"]],
  ["ok", "fail", "fail", "Needs a look: web", ["✅", "❌"]],
  ["fail", "inconclusive", "fail", "Needs a look: machine", ["❌", "❔"]],
  ["fail", "fail", "fail", "Needs a look: machine and web", ["❌", "❌"]],
  ["inconclusive", "ok", "inconclusive", "Not clear: machine", ["❔", "✅"]],
])(
  "a machine that is %s and a web that is %s are %s together",
  async (...[machine, web, verdict, headline, [first, second]]) => {
    const reply = await sumUp({ ...MACHINE, verdict: machine }, { ...WEB, verdict: web });
    const lines = `${first} The machine is fine: load 0.1\n${second} 2 of 2 pages fine`;
    expect(reply).toMatchObject({ verdict, text: `${headline}\n${lines}\n${FOOTER}` });
  },
);

test("a child that is away is one line, not an error", async () => {
  expect(await sumUp(OFFLINE, WEB)).toMatchObject({
    verdict: "inconclusive",
    text: [
      "Not clear: machine",
      "❔ The machine gives no answer. The agent that can do this is not running.",
      "✅ 2 of 2 pages fine",
      FOOTER,
    ].join("\n"),
    data: {
      parts: [
        { name: "machine", failure: "E_OFFLINE" },
        { name: "web", verdict: "ok" },
      ],
    },
  });
});

test("pages that nobody has asked about make nothing unclear", async () => {
  expect(await sumUp(MACHINE, NO_PAGES)).toMatchObject({
    verdict: "ok",
    text: expect.stringContaining("• No page has been asked about yet. Ask for one first."),
  });
});
