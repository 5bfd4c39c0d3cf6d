import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createLaneHands, type LaneHands } from "../faults/lanes.ts";
import { createScene, type Scene } from "../faults/scene.ts";
import { startWorld, type World } from "../faults/world.ts";
import { readRows } from "../support/ledger-rows.ts";

let world: World;
let scene: Scene;
let hands: LaneHands;
beforeAll(async () => {
  world = await startWorld({ names: ["web", "db", "ops", "root"] });
  scene = createScene(world);
  hands = createLaneHands(world.admin);
}, 120_000);
afterEach(() => scene.begin());
afterAll(async () => {
  await hands[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const WORK = 12;
const WITHIN_MS = 10_000;

/** Asks for work of both children, and resolves when some of it is done and some is in work. */
async function startWork(): Promise<void> {
  scene.askMany(WORK / 2, "change", 150);
  scene.askMany(WORK / 2, "store", 150);
  await world.until("work", () => scene.count("finished") > 0 && scene.count("begin") > scene.count("end"));
}

/** What nobody may have been told: that somebody was gone. */
const alerts = () =>
  ["root", "ops"].flatMap((name) => readRows(world.folderOf(name), name, "SELECT body FROM alert"));

async function expectAllWell(counts: { readonly answers: number }): Promise<void> {
  expect(scene.verdict()).toMatchObject({
    violations: [],
    counts: { ...counts, codes: {}, repeats: 0, stepsInterrupted: 0 },
  });
  expect(alerts()).toEqual([]);
  await expect.poll(() => hands.leftovers(), { timeout: WITHIN_MS }).toEqual([]);
}

describe("Redis, with work in flight,", () => {
  test("killed and started again with its AOF: nothing is lost, and nothing is done twice", async () => {
    await startWork();
    await world.redis.kill();
    const meanwhile = scene.askMany(4, "store", 0);
    await world.until("the root's word that it has them", () => meanwhile.every((one) => one.isAccepted));
    await world.redis.restart();
    const backAt = performance.now();
    await scene.allAnswered();
    expect(performance.now() - backAt).toBeLessThan(WITHIN_MS);
    await expectAllWell({ answers: WORK + 4 });
  });

  test("wiped: what it held is sent again, and nothing is done twice", async () => {
    await startWork();
    await world.admin.flushall();
    const wipedAt = performance.now();
    scene.askMany(4, "store", 0);
    await scene.allAnswered();
    expect(performance.now() - wipedAt).toBeLessThan(WITHIN_MS);
    await expectAllWell({ answers: WORK + 4 });
    // Its reader writes it again within a second or two.
    const setting = () => world.admin.hget("bull:ops.web:meta", "opts.maxLenEvents");
    await expect.poll(setting, { timeout: WITHIN_MS }).toBe("100");
  });

  test("wiped again and again while people ask: each is answered once", async () => {
    for (let i = 0; i < 5; i++) {
      scene.askMany(2, "change", 50);
      await world.until("work", () => scene.count("begin") > i);
      await world.admin.flushall();
    }
    await scene.allAnswered();
    await expectAllWell({ answers: 10 });
  });
});

describe("Redis away: the root goes on taking words in, nobody counts as gone, and the backlog drains within seconds", () => {
  test.each([
    // Longer than the silence by which an agent would count as offline.
    {
      how: "not running for 17 s",
      ms: 17_000,
      leave: () => world.redis.kill(),
      comeBack: () => world.redis.restart(),
    },
    {
      how: "hanging for 8 s",
      ms: 8000,
      leave: () => Promise.resolve(world.redis.pause()),
      comeBack: () => Promise.resolve(world.redis.resume()),
    },
  ])("$how", { timeout: 120_000 }, async ({ ms, leave, comeBack }) => {
    await startWork();
    await leave();
    const from = performance.now();
    const until = sleep(ms);
    const meanwhile = scene.askMany(20, "store", 0);
    await world.until("the root's word that it has them", () => meanwhile.every((one) => one.isAccepted));
    expect(performance.now() - from).toBeLessThan(ms);
    await until;
    expect(meanwhile.every(({ replies }) => replies.length === 0)).toBe(true);
    await comeBack();
    const backAt = performance.now();
    await scene.allAnswered();
    const drainedMs = performance.now() - backAt;
    process.stdout.write(`20 requests answered ${Math.round(drainedMs)} ms after Redis was back\n`);
    expect(drainedMs).toBeLessThan(WITHIN_MS);
    await expectAllWell({ answers: WORK + 20 });
  });
});
