import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTelegramClient } from "../../src/capabilities/comm-gateway/telegram/client.ts";
import { createMenu, type Menu } from "../../src/capabilities/comm-gateway/telegram/menu.ts";
import { openTelegramDatabase } from "../../src/capabilities/comm-gateway/telegram/store.ts";
import { type BotApi, createBotApi } from "../support/bot-api/index.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { SILENT } from "../support/silent-log.ts";

const SELF = { id: 123_456_789, username: "vox_bot" };

interface Bench extends AsyncDisposable {
  readonly api: BotApi;
  readonly clock: ManualClock;
  menu: Menu;
  /** A menu on the same file, as after a restart. */
  restart(): Promise<void>;
  /** How many commands each call of setMyCommands brought. */
  calls(): readonly number[];
  until(isThere: () => boolean): Promise<void>;
}

async function openBench(): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), "telegram-menu-"));
  const api = await createBotApi({
    token: "123456789:AAF-tOpSeCrEt_tOpSeCrEt_tOpSeCrEt12",
    username: "vox_bot",
  });
  const clock = createManualClock();
  const client = createTelegramClient({ token: api.token, apiRoot: api.url, clock: createManualClock() });
  const db = openTelegramDatabase({ path: join(folder, "telegram.db") });
  if ("failure" in db) throw new Error(db.text);
  const open = (): Menu => createMenu({ client, db, clock, log: SILENT });
  const bench: Bench = {
    api,
    clock,
    menu: open(),
    async restart() {
      await bench.menu.close();
      bench.menu = open();
    },
    calls: () =>
      api.calls
        .filter(({ method }) => method === "setMyCommands")
        .map((call) => (call.arguments.commands as readonly unknown[]).length),
    async until(isThere) {
      while (!isThere()) await new Promise(setImmediate);
    },
    async [Symbol.asyncDispose]() {
      await bench.menu.close();
      client.close();
      await api.close();
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return bench;
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await new Promise(setImmediate);
};

test("the menu is set once, again when it is to be another, and not because of a restart", async () => {
  await using bench = await openBench();
  const first = [{ name: "help", description: "What I can do" }];
  bench.menu.follow(first, SELF);
  await bench.until(() => bench.api.menu().length === 1);
  expect(bench.api.menu()).toEqual([{ command: "help", description: "What I can do" }]);
  await turns();
  bench.menu.follow(first, SELF);
  await turns();
  await bench.restart();
  bench.menu.follow(first, SELF);
  await turns();
  expect(bench.calls()).toEqual([1]);
  bench.menu.follow([...first, { name: "http", description: "Look at a page" }], SELF);
  await bench.until(() => bench.api.menu().length === 2);
  // Another bot on the same file has a menu of its own.
  bench.menu.follow(first, { id: 42, username: "other_bot" });
  await bench.until(() => bench.calls().length === 3);
  await turns();
  bench.menu.follow([...first, { name: "http", description: "Look at a page" }], SELF);
  await turns();
  expect(bench.calls()).toEqual([1, 2, 1]);
});

test("what Telegram does not take is left out or shortened", async () => {
  await using bench = await openBench();
  bench.menu.follow(
    [
      { name: "ok_1", description: `  two\nlines  ` },
      { name: "ok_1", description: "twice" },
      { name: "not-ok", description: "x" },
      { name: "Upper", description: "x" },
      { name: "n".repeat(33), description: "x" },
      { name: "empty", description: " " },
      { name: "long", description: "🔥".repeat(300) },
    ],
    SELF,
  );
  await bench.until(() => bench.api.menu().length > 0);
  expect(bench.api.menu()).toEqual([
    { command: "ok_1", description: "two lines" },
    { command: "empty", description: "empty" },
    { command: "long", description: `${"🔥".repeat(255)}…` },
  ]);
});

const many = (count: number): { name: string; description: string }[] =>
  Array.from({ length: count }, (_, i) => ({ name: `command_${i}`, description: `Does ${i}` }));

test("of too many commands the first hundred are shown, and fewer when the server says so", async () => {
  await using bench = await openBench();
  bench.api.faults.refuse({
    method: "setMyCommands",
    error_code: 400,
    description: "Bad Request: BOT_COMMANDS_TOO_MUCH",
    times: 2,
  });
  bench.menu.follow(many(130), SELF);
  await bench.until(() => bench.api.menu().length > 0);
  expect(bench.calls()).toEqual([100, 75, 56]);
  expect(bench.api.menu()[0]?.command).toBe("command_0");
});

test("trouble is waited out, the newest wish counts, and a refusal is no endless loop", async () => {
  await using bench = await openBench();
  const cut = bench.api.faults.cut({ method: "setMyCommands", times: 2 });
  bench.menu.follow(many(1), SELF);
  await cut.happened(1);
  bench.menu.follow(many(2), SELF);
  while (bench.api.menu().length === 0) {
    bench.clock.advance(1_000);
    await new Promise(setImmediate);
  }
  expect(bench.calls()).toEqual([1, 2, 2]);
  bench.api.faults.refuse({
    method: "setMyCommands",
    error_code: 400,
    description: "Bad Request: BOT_COMMAND_INVALID",
    times: Infinity,
  });
  await turns();
  bench.menu.follow(many(3), SELF);
  await bench.until(() => bench.api.calls.at(-1)?.status === 400);
  await turns();
  bench.clock.advance(3_600_000);
  await turns();
  expect(bench.calls()).toEqual([1, 2, 2, 3]);
});
