/**
 * Plays scenes with the whole tree and its bot against a Bot API server of its own, and writes what was said as JSON to
 * standard output. Run by itself, since `Date.now` is put in place for all of a process: the time is the scenes' own.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createGateway } from "../../src/capabilities/comm-gateway/index.ts";
import { createNetCapability } from "../../src/capabilities/net/index.ts";
import { openTree } from "../../src/cli/compose.ts";
import { openTelegram } from "../../src/cli/telegram.ts";
import { keepMenu } from "../../src/cli/telegram-menu.ts";
import { loadConfig } from "../../src/config.ts";
import { createIds, isFailure, type FailureValue } from "../../src/envelope/index.ts";
import { createLog } from "../../src/log.ts";
import { createBotApi } from "../../test/support/bot-api/index.ts";
import { createManualClock } from "../../test/support/manual-clock.ts";
import { listen } from "../../test/support/net.ts";
import { settingsFor } from "../../test/support/program.ts";
import { createDataFolder } from "../../test/support/wire-process.ts";
import { type Await, createTranscript } from "./telegram-transcript.ts";

const BEGIN = Date.parse("2026-03-02T08:00:05Z");
const SHOWN_PORT = "8080";
const SHOWN_CODE = "483-201";
const PLACES = join(import.meta.dirname, "../../roles");

const clock = createManualClock(BEGIN);
Date.now = clock.now;

await using api = await createBotApi({
  token: "700100:AAE-token_of_the_documents_0123456789",
  username: "desk_bot",
  clock,
});
/** The shop: its front page answers as it is told, when it is told; there is no /login. */
let status = 200;
let asked = 0;
const slow = Promise.withResolvers<void>();
await using site = await listen(
  createServer(({ url }, response) => {
    asked += 1;
    void slow.promise.then(() => response.writeHead(url === "/login" ? 404 : status).end());
  }),
);
using folder = createDataFolder();
const ann = api.person({ id: 7001, firstName: "Ann" });
const bob = api.person({ id: 7002, firstName: "Bob" });
const eve = api.person({ id: 7009, firstName: "Eve" });
const withAnn = api.privateChat(ann);
const withEve = api.privateChat(eve);
const room = api.group({ title: "Ops", members: [ann, bob, eve], isSupergroup: true });
const shop = `http://shop.example:${site.port}`;

/** So long time stands still for what should come by itself; it goes on after that, lest it waits for ever. */
const PATIENCE_MS = 8000;
const QUIET_MS = 15;

/** Waits for something, with time standing still, or with so much time passing whenever nothing is under way. */
const untilThere: Await = async (something, stepMs) => {
  let isOver = false;
  const ended = something.finally(() => (isOver = true));
  ended.catch(() => undefined);
  if (stepMs === undefined) await Promise.race([ended, pause(PATIENCE_MS, undefined, { ref: false })]);
  while (!isOver) {
    await untilQuiet(() => isOver);
    if (!isOver) clock.advance(stepMs ?? 1000);
  }
  return ended;
};

/** Resolves when neither the bot has called nor a check has come for some milliseconds of real time. */
async function untilQuiet(isOver: () => boolean): Promise<void> {
  const count = (): number => api.calls.length + asked;
  for (let before = -1; before !== count() && !isOver();) {
    before = count();
    await pause(QUIET_MS);
  }
}

const told: string[] = [];
const bot = must(
  openTelegram({
    config: settings(),
    clock,
    ids: createIds(clock.now),
    log: createLog({ level: "silent" }),
    tell: (line) => void told.push(line),
  }),
);
const tree = must(
  await openTree({
    config: settings(),
    gateway: createGateway({ channels: [bot.channel], log: createLog({ level: "silent" }) }),
    log: createLog({ level: "error" }),
    clock,
    rolesDir: PLACES,
    rooms: bot.rooms,
    // The shop is the site of this process.
    capabilities: [createNetCapability({ allow: ["127.0.0.0/8"], resolve: async () => ["127.0.0.1"] })],
  }),
);
const menu = keepMenu(bot.channel, { commands: () => tree.orchestrator.top.commands(), clock });

const code = await codeThatIsShown();
const scenes = {
  pairing: await pairing(),
  check: await check(),
  reminder: await reminder(),
  watch: await watch(),
  stranger: await stranger(),
};
menu.stop();
await tree.close(0);
await bot.close();
process.stdout.write(
  JSON.stringify(Object.fromEntries(Object.entries(scenes).map(([name, text]) => [name, asShown(text)]))),
);

async function codeThatIsShown(): Promise<string> {
  const shown = (): string | undefined => /\/pair (\d{3}-\d{3})/.exec(told.join("\n"))?.[1];
  while (shown() === undefined) await pause(5);
  return shown() ?? "";
}

async function pairing(): Promise<string> {
  const chat = createTranscript(withAnn, untilThere);
  chat.says(ann, `/pair ${code}`);
  await chat.seen(/^Welcome/u);
  return [`$ npm start`, ...told, "", chat.text].join("\n");
}

async function check(): Promise<string> {
  const chat = createTranscript(withAnn, untilThere);
  chat.says(ann, `is ${shop} up?`);
  await chat.seen(/^⏳/u, 1000);
  slow.resolve();
  await chat.seen(/answers/u);
  chat.says(ann, `and ${shop}/login?`);
  await chat.seen(/answers/u);
  return chat.text;
}

async function reminder(): Promise<string> {
  clock.setWallClock(Date.parse("2026-03-02T08:40:05Z"));
  const chat = createTranscript(withAnn, untilThere);
  chat.says(ann, "remind me at 9 to call Bob");
  await chat.seen(/I will remind you/u);
  chat.note("at 9");
  const due = await chat.seen(/^⏰/u, 10_000);
  await chat.presses(ann, due, "Snooze 10 min");
  await chat.seen(/again/u);
  chat.note("ten minutes later");
  const again = await chat.seen(/^⏰/u, 10_000);
  await chat.presses(ann, again, "Done");
  await chat.seen(/^Done/u);
  return chat.text;
}

async function watch(): Promise<string> {
  clock.setWallClock(Date.parse("2026-03-02T14:00:05Z"));
  const chat = createTranscript(room, untilThere);
  chat.says(ann, `@desk_bot watch ${shop} every minute and tell us here`);
  await chat.seen(/war room/u);
  chat.note("the shop goes down");
  status = 503;
  const down = await chat.seen(/^🔴/u, 1000);
  await chat.presses(bob, down, "Ack");
  await chat.seen(/^🟠/u);
  chat.note("the shop is back");
  status = 200;
  await chat.seen(/^🟢/u, 1000);
  chat.says(ann, "/watches@desk_bot");
  await chat.seen(/1 watch/u);
  return chat.text;
}

async function stranger(): Promise<string> {
  const chat = createTranscript(withEve, untilThere);
  chat.says(eve, "hello");
  await chat.seen(/pairing code/u);
  chat.says(eve, "/tree");
  chat.note("nothing more for an hour, but for the answer to a code");
  chat.says(eve, "/pair 111-111");
  await chat.seen(/not valid/u);
  return chat.text;
}

/** What chance decides is shown as something that it could be: the port, the code, measured times, the second. */
function asShown(text: string): string {
  return text
    .replaceAll(String(site.port), SHOWN_PORT)
    .replaceAll(code, SHOWN_CODE)
    .replaceAll(/(answers \d+ in|took) [\d.]+ m?s\b/gu, "$1 42 ms")
    .replaceAll(/(?<=next in )[\d.]+ s\b/gu, "58 s")
    .replaceAll(/(\d+) min (\d+) s/gu, (_, min, s) => `${Number(min) + Math.round(Number(s) / 60)} min`)
    .replaceAll(/^( *)(?:(?:dns|tcp|first byte) [\d.]+ m?s(?:, )?)+$/gmu, "$1tcp 1.3 ms, first byte 40 ms")
    .replaceAll(/\b(\d\d:\d\d):\d\d\b/gu, "$1:05");
}

function settings() {
  const env = settingsFor({
    dataDir: folder.dir,
    env: {
      TELEGRAM_BOT_TOKEN: api.token,
      TELEGRAM_API_ROOT: api.url,
      TELEGRAM_ALLOWED_USERS: String(bob.id),
      WAR_ROOM_CHAT: String(room.id),
    },
  });
  return must(loadConfig({ env, envFile: join(folder.dir, "none.env") }));
}

function must<T>(value: T | FailureValue | undefined): T {
  if (value === undefined || isFailure(value)) throw new Error(JSON.stringify(value));
  return value;
}
