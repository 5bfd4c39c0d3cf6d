import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { AgentRole } from "../../src/agent/index.ts";
import type { ReplyShape } from "../../src/sdk/reply.ts";
import { copyAsCrashed, startChain, type TestAgent, type TestChain } from "../support/agents.ts";
import { settled, until } from "../support/event-loop.ts";
import { readRows } from "../support/ledger-rows.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { loadShippedRole } from "../support/shipped-role.ts";

const START = Date.parse("2026-12-01T08:00:00Z");
const OK: ReplyShape = { verdict: "ok", text: "https://shop.example answers 200 in 46 ms", data: {} };
const DOWN: ReplyShape = { verdict: "fail", text: "https://shop.example answers 503, an error", data: {} };
const SHOP = {
  command: "http",
  params: { url: "https://shop.example" },
  words: "/http url=https://shop.example",
};
const ADD = `watch_add ${JSON.stringify({ check: SHOP, fails: 2, recoveries: 2, by: "Ann" })}`;

let watch: AgentRole;
beforeAll(async () => {
  watch = await loadShippedRole("ops", "watch");
});
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: START }));
afterEach(() => void vi.useRealTimers());

/** Below the root the coordinator that watches, and below it the specialist that checks: what it answers is for the test to say. */
function treeOf(web: { http: () => ReplyShape | Promise<ReplyShape> }): readonly TestAgent[] {
  return [
    { name: "root" },
    { name: "ops", role: watch },
    { name: "web", commands: { http: () => web.http() } },
  ];
}

/** Lets time pass second by second, so that agents hear of each other meanwhile. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) {
    vi.setSystemTime(clock.now() + 1000);
    clock.advance(1000);
    await settled();
  }
}

const alertsIn = (dir: string): readonly string[] =>
  readRows(dir, "ops", "SELECT body FROM alert ORDER BY seq").map(({ body }) => {
    const { payload, details = payload } = JSON.parse(String(body)) as Record<string, Record<string, string>>;
    return `${details?.["state"]} ${details?.["kind"]}: ${details?.["summary"]}`;
  });

const historyIn = async (chain: TestChain): Promise<readonly string[]> => {
  const { reply } = await chain.ask("watches");
  const [seen] = (reply.data?.["watches"] ?? []) as { history: string[] }[];
  return seen?.history ?? [];
};

test("a watch lives through a fall and a recovery, and the ledger owes the war room one alert for each", async () => {
  const clock = createManualClock(START);
  const web = { http: () => OK };
  await using chain = await startChain(treeOf(web), { clock });
  expect((await chain.ask(ADD)).reply).toMatchObject({ data: { id: 1, verdict: "ok" } });
  await pass(clock, 125_000);
  expect(alertsIn(chain.dir)).toEqual([]);
  web.http = () => DOWN;
  await pass(clock, 300_000);
  const fallen = "firing watch.http: https://shop.example answers 503, an error";
  expect(alertsIn(chain.dir)).toEqual([fallen]);
  web.http = () => OK;
  await pass(clock, 300_000);
  expect(alertsIn(chain.dir)).toEqual([
    fallen,
    "resolved watch.http: https://shop.example answers 200 in 46 ms",
  ]);
  expect(await historyIn(chain)).toEqual([
    "ok",
    "ok",
    "ok",
    ...Array(5).fill("fail"),
    ...Array(5).fill("ok"),
  ]);
});

test("a crash in the middle of a check neither loses its result nor counts it twice, and alerts once", async () => {
  const clock = createManualClock(START);
  const web: { http: () => ReplyShape | Promise<ReplyShape> } = { http: () => DOWN };
  await using chain = await startChain(treeOf(web), { clock });
  await chain.ask(ADD);
  const asked = Promise.withResolvers<undefined>();
  const answer = Promise.withResolvers<ReplyShape>();
  web.http = () => (asked.resolve(undefined), answer.promise);
  await pass(clock, 70_000);
  await asked.promise;
  using crashed = copyAsCrashed(chain);
  const again = { http: () => DOWN };
  const later = createManualClock(clock.now() + 2000);
  await using second = await startChain(treeOf(again), { clock: later, dir: crashed.dir });
  await until(() => alertsIn(crashed.dir).length > 0);
  const alert = ["firing watch.http: https://shop.example answers 503, an error"];
  expect(await historyIn(second)).toEqual(["fail", "fail"]);
  using crashedAgain = copyAsCrashed(second);
  const last = createManualClock(later.now() + 1000);
  await using third = await startChain(treeOf(again), { clock: last, dir: crashedAgain.dir });
  await pass(last, 180_000);
  expect(alertsIn(crashedAgain.dir)).toEqual(alert);
  expect((await historyIn(third)).slice(0, 3)).toEqual(["fail", "fail", "fail"]);
  answer.resolve(DOWN);
});

test("what the coordinator missed while it was away is told, and not made up for", async () => {
  const clock = createManualClock(START);
  const web = { http: () => OK };
  await using chain = await startChain(treeOf(web), { clock });
  await chain.ask(ADD);
  await pass(clock, 5000);
  using crashed = copyAsCrashed(chain);
  const later = createManualClock(START + 3_600_000);
  vi.setSystemTime(later.now());
  await using second = await startChain(treeOf(web), { clock: later, dir: crashed.dir });
  await pass(later, 10_000);
  // The first one, the late one, and the one that is due by now.
  expect(await historyIn(second)).toEqual(["ok", "ok", "ok"]);
  const { reply } = await second.ask("watches");
  expect(JSON.stringify(reply.text)).toMatch(/5[89] runs missed while away, by Ann/);
});

test("a watch of what nobody below can check is refused", async () => {
  await using chain = await startChain(treeOf({ http: () => OK }), { clock: createManualClock(START) });
  const check = { command: "dns", params: {}, words: "/dns" };
  const { reply } = await chain.ask(`watch_add ${JSON.stringify({ check })}`);
  expect(reply.text).toBe('E_UNKNOWN_COMMAND: Nobody here offers "dns".');
});
