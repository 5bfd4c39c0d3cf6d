import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { createGateway } from "../../src/capabilities/comm-gateway/index.ts";
import { openTree } from "../../src/cli/compose.ts";
import { openTelegram } from "../../src/cli/telegram.ts";
import { loadConfig } from "../../src/config.ts";
import { createIds, isFailure, systemClock } from "../../src/envelope/index.ts";
import { createLog } from "../../src/log.ts";
import { createBotApi, type BotApi } from "../support/bot-api/index.ts";
import { settingsFor } from "../support/program.ts";
import { createDataFolder } from "../support/wire-process.ts";

const TOKEN = "123456789:AAF-a_token_of_a_test_0123456789abcd";
const PATIENT = { timeoutMs: 60_000 };

afterEach(() => vi.useRealTimers());

/** The whole tree with its bot in this process, by the machine's clock. */
async function start(api: BotApi, dataDir: string): Promise<{ stop(): Promise<void> }> {
  const env = settingsFor({
    dataDir,
    env: {
      TZ: "Europe/Berlin",
      TELEGRAM_BOT_TOKEN: TOKEN,
      TELEGRAM_API_ROOT: api.url,
      TELEGRAM_ALLOWED_USERS: "7001",
    },
  });
  const config = loadConfig({ env, envFile: join(dataDir, `${randomUUID()}.env`) });
  if (isFailure(config)) throw new Error(config.text);
  const [clock, ids, log] = [systemClock(), createIds(Date.now), createLog({ level: "silent" })];
  const telegram = openTelegram({ config, clock, ids, log, tell: () => undefined });
  if (telegram === undefined || isFailure(telegram)) throw new Error("there is no bot");
  const gateway = createGateway({ channels: [telegram.channel], log });
  const rolesDir = join(import.meta.dirname, "../../roles");
  const tree = await openTree({ config, gateway, log, ids, clock, rolesDir });
  if (isFailure(tree)) throw new Error(tree.text);
  return {
    async stop() {
      await tree.close(0);
      await telegram.close();
    },
  };
}

test(
  "a reminder for the morning after the clocks change comes at that hour of the wall clock, once, although all was stopped at that moment",
  { timeout: 120_000 },
  async () => {
    // Time stands where it is put; timers run on.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2027-03-27T20:00:00+01:00") });
    await using api = await createBotApi({ token: TOKEN, username: "desk_bot" });
    const ann = api.person({ id: 7001, firstName: "Ann" });
    const [chat, other] = [
      api.privateChat(ann, { isStarted: true }),
      api.group({ title: "Office", members: [ann] }),
    ];
    using folder = createDataFolder();
    const told = (): string[] =>
      [...chat.messages, ...other.messages]
        .filter(({ isFromBot, text }) => isFromBot && text.includes("call Bob"))
        .map(({ text }) => text);

    const first = await start(api, folder.dir);
    chat.says(ann, "remind me tomorrow at 9 to call Bob");
    const noted = await chat.next(/call Bob/u, PATIENT);
    expect(noted.text).toContain("Sun 28 Mar 2027, 09:00 Europe/Berlin");
    expect(noted.text).toContain("(in 12 h)");
    vi.setSystemTime(Date.parse("2027-03-28T08:59:59+02:00"));
    await first.stop();

    vi.setSystemTime(Date.parse("2027-03-28T09:00:00+02:00"));
    const second = await start(api, folder.dir);
    const due = await chat.next(({ text, id }) => id !== noted.id && text.includes("call Bob"), PATIENT);
    expect(due.buttons.flat()).toEqual(["Done", "Snooze 10 min", "1 h"]);
    expect(due.text).not.toContain("late");
    await second.stop();

    vi.setSystemTime(Date.parse("2027-03-28T09:01:00+02:00"));
    const third = await start(api, folder.dir);
    chat.says(ann, "/reminders");
    await chat.next(({ text }) => text.includes("call Bob"), PATIENT);
    await third.stop();
    // The promise, the reminder, and the list.
    expect(told()).toHaveLength(3);
    // The specialist has never heard of the chat, of who asked, or of the root.
    for (const file of ["ledger.db", "ledger.db-wal"].map((name) => join(folder.dir, "reminders", name))) {
      const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
      for (const secret of ["telegram:", "7001", "Ann", "019ad000-0000-7000-8000-000000000001", '"root"']) {
        expect(bytes.includes(secret), `${secret} in ${file}`).toBe(false);
      }
    }
  },
);
