import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isFailure } from "../../src/envelope/index.ts";
import { type LedgerReading, readLedger } from "../../src/ledger/index.ts";
import { createScene, type Scene } from "../faults/scene.ts";
import type { Command, Name } from "../faults/tree.ts";
import { startWorld, type World } from "../faults/world.ts";
import { readRows } from "../support/ledger-rows.ts";

let world: World;
let scene: Scene;
beforeAll(async () => {
  world = await startWorld({ names: ["web", "db", "ops", "root"] });
  scene = createScene(world);
}, 120_000);
afterAll(() => world[Symbol.asyncDispose]());

afterEach(() => {
  world.supervise(undefined);
  scene.begin();
});

const BACK_WITHIN_MS = 10_000;

describe("an agent killed at work", () => {
  test.each<Name>(["web", "ops", "root"])(
    "(%s) goes on within ten seconds of its restart: one reply each, and no finished step again",
    async (name) => {
      const questions = scene.askMany(6, "change", 150);
      // Some steps are finished, some are in work, and more is to come.
      await world.until("a finished step", () => scene.count("finished") > 0);
      await world.agent(name).kill();
      expect(questions.every(({ replies }) => replies.length === 0)).toBe(true);
      await world.agent(name).start();
      const backAt = performance.now();
      await scene.allAnswered(questions);
      expect(performance.now() - backAt).toBeLessThan(BACK_WITHIN_MS);
      expect(scene.verdict()).toMatchObject({
        violations: [],
        counts: { requests: 6, answers: 6, codes: {} },
      });
    },
  );

  test("once it has answered, which its master has not heard of, is not asked to do it again", async () => {
    // Whoever is held takes nothing from its lanes.
    const question = world.ask("change", { ms: 300 });
    await world.until("a begun step", () => scene.count("begin") > 0);
    world.agent("ops").hold();
    await world.until("two finished steps", () => scene.count("finished") === 2);
    await world.agent("web").kill();
    await world.agent("ops").kill();
    await Promise.all([world.agent("ops").start(), world.agent("web").start()]);
    await world.answered(question);
    expect(scene.verdict()).toMatchObject({ violations: [], counts: { answers: 1, stepsInterrupted: 0 } });
  });

  test("(root) has the answers that came meanwhile, each for the chat that asked", async () => {
    const questions = scene.askMany(6, "store", 150);
    await world.until("work at the child", () => scene.count("begin") > 0);
    await world.agent("root").kill();
    await world.until("all done by the child", () => scene.count("finished") === 2 * questions.length);
    // What is asked of a root that is not there is handed over again when it is.
    const late = world.ask("find", { asker: "cleo" });
    await world.agent("root").start();
    await scene.allAnswered([...questions, late]);
    expect(scene.verdict()).toMatchObject({ violations: [], counts: { answers: 7, stepsInterrupted: 0 } });
  });
});

test("a planned stop in the middle of work loses nothing, and nobody calls the agent gone", async () => {
  const questions = scene.askMany(4, "store", 1000);
  await world.until("work", () => scene.count("begin") > 0);
  expect(await world.agent("db").stop()).toBe(0);
  await world.agent("db").start();
  await scene.allAnswered(questions);
  expect(scene.verdict()).toMatchObject({ violations: [], counts: { answers: 4, codes: {} } });
  expect(readRows(world.folderOf("ops"), "ops", "SELECT body FROM alert")).toEqual([]);
});

describe("a child that never answers", () => {
  test("is waited for until the deadline and no longer, and keeps nobody else waiting", async () => {
    const silent = world.ask("hang", { ms: 600_000 });
    await world.until("silence", () => scene.count("begin") > 0);
    const other = await world.answered(world.ask("find"));
    const { at, code } = await world.answered(silent);
    expect(code).toBe("E_TIMEOUT");
    expect(other.at).toBeLessThan(at);
    // Three seconds, of which each of the hops keeps back a tenth or less for the way.
    expect(at - silent.askedAt).toBeGreaterThan(2400);
    expect(at - silent.askedAt).toBeLessThan(10_000);
    expect(scene.verdict().violations).toEqual([]);
  });

  test("since it stands still is given up too; what it says later is recorded and changes nothing", async () => {
    const question = world.ask("hang", { ms: 500 });
    await world.until("work", () => scene.count("begin") > 0);
    world.agent("db").hold();
    const { code, text } = await world.answered(question);
    expect(code).toBe("E_TIMEOUT");
    const late = (): number => {
      const [row] = readRows(
        world.folderOf("ops"),
        "ops",
        "SELECT count(*) AS n FROM message WHERE direction = 0 AND peer = 'db' AND kind IN ('command_result', 'command_error')",
      );
      return Number(row?.["n"]);
    };
    const before = late();
    world.agent("db").letGo();
    // It comes by the same lane as what the child is asked next.
    await world.answered(world.ask("find"));
    await world.until("the late answer's record", () => late() === before + 2);
    expect(question.replies.map((reply) => reply.text)).toEqual([text]);
    expect(scene.verdict().violations).toEqual([]);
  });
});

describe("a clock that is five minutes wrong", () => {
  const FIVE_MINUTES = 5 * 60_000;
  afterEach(() => {
    for (const { skew } of world.agents) skew(0);
  });

  test.each([
    ["ahead at the root and behind at its child", FIVE_MINUTES, -FIVE_MINUTES + 1000],
    ["behind at the root and ahead at its child", -FIVE_MINUTES + 1000, FIVE_MINUTES],
  ])("%s changes no duration", async (_, atRoot, atOps) => {
    world.agent("root").skew(atRoot);
    world.agent("ops").skew(atOps);
    const good = world.ask("change", { ms: 100 });
    const silent = world.ask("hang", { ms: 600_000 });
    expect((await world.answered(good)).text).toBe(`changed ${good.subject}`);
    const { at, code } = await world.answered(silent);
    expect(code).toBe("E_TIMEOUT");
    expect(at - silent.askedAt).toBeGreaterThan(2400);
    expect(at - silent.askedAt).toBeLessThan(10_000);
    expect(scene.verdict().violations).toEqual([]);
  });

  test.each<readonly [string, Name, number]>([
    ["forward at the child that works", "web", FIVE_MINUTES],
    ["back at the child that works", "web", -FIVE_MINUTES],
    ["forward at the master that waits", "ops", FIVE_MINUTES],
    ["back at the master that waits", "ops", -FIVE_MINUTES],
    ["forward at the root", "root", FIVE_MINUTES],
  ])("that jumps there %s, which is then killed, ends no request early", async (_, name, ms) => {
    const question = world.ask("change", { ms: 1500 });
    await world.until("work", () => scene.count("begin") > 0);
    world.agent(name).skew(ms);
    // It has had time to notice when its work has gone on.
    await world.until("the next step", () => scene.count("begin") === 2);
    await world.agent(name).kill();
    await world.agent(name).start();
    expect((await world.answered(question)).text).toBe(`changed ${question.subject}`);
    expect(scene.verdict().violations).toEqual([]);
  });
});

describe("a request that is poison", () => {
  const openLedgerOf = (name: Name): LedgerReading => {
    const ledger = readLedger(join(world.folderOf(name), name, "ledger.db"), { forRepair: true });
    if (isFailure(ledger)) throw new Error(ledger.text);
    return ledger;
  };

  test.each<readonly [string, Command, string]>([
    ["ends its process", "poison", "E_DEAD_LETTER"],
    ["throws", "blunder", "E_INTERNAL"],
  ])(
    "and %s is put aside, leaves bystanders unharmed, and can be looked at and run again",
    async (_, command, code) => {
      world.supervise(() => 100);
      const bystanders = scene.askMany(5, "store", 20);
      const poison = world.ask(command, { asker: "mallory" });
      const more = scene.askMany(5, "store", 20);
      expect((await world.answered(poison)).code).toBe(code);
      await scene.allAnswered([...bystanders, ...more]);
      expect(scene.verdict()).toMatchObject({
        violations: [],
        counts: { answers: 10, codes: { [code]: 1 } },
      });

      using ledger = openLedgerOf("db");
      const dead = ledger.dead().filter(({ message }) => message.intent === `db.${command}`);
      expect(dead.map(({ failure }) => failure?.failure)).toEqual([code]);
      await world.mend(true);
      const before = scene.trail.length;
      ledger.retry(dead[0]?.n ?? 0, Date.now() + 60_000);
      // The step that was finished before is told again and not done again.
      await world.until("its next run", () => scene.trail.length > before);
      await world.answered(world.ask("find"));
      expect(
        scene.trail
          .slice(before)
          .filter((trace) => trace.did !== "begin" || trace.subject === poison.subject)
          .map(({ did }) => did)[0],
      ).toBe("finished");
      expect(ledger.dead().filter(({ message }) => message.intent === `db.${command}`)).toEqual([]);
      expect(poison.replies.length).toBe(1);
      expect(scene.verdict().violations).toEqual([]);
      await world.mend(false);
    },
  );
});
