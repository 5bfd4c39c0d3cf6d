import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type BotApi, type Chat, createBotApi, type Person } from "../support/bot-api/index.ts";
import { healthAt } from "../support/health.ts";
import { closedPort, openSite, type Running, runVoxtree, startVoxtree } from "../support/program.ts";
import { createDataFolder } from "../support/wire-process.ts";

const SECRET = "AAF-tOpSeCrEt_tOpSeCrEt_tOpSeCrEt12";
const TOKEN = `123456789:${SECRET}`;
const STOPPED_WITHIN_MS = 10_000;
/** Processes take their time to start on a machine that has much else to do. */
const PATIENT = { timeoutMs: 60_000 };

interface Desk extends AsyncDisposable {
  readonly api: BotApi;
  readonly ann: Person;
  readonly chat: Chat;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** All that any run wrote. */
  readonly written: string[];
  start(): Promise<Running>;
}

/** A bot as a supervisor runs it: its input is a pipe on which nothing comes. */
async function openDesk(): Promise<Desk> {
  const api = await createBotApi({ token: TOKEN, username: "desk_bot" });
  const ann = api.person({ id: 7001, firstName: "Ann" });
  const folder = createDataFolder();
  const env = {
    TELEGRAM_BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: api.url,
    VOXTREE_LOG_LEVEL: "debug",
    VOXTREE_HEALTH_PORT: String(await closedPort()),
  };
  const written: string[] = [];
  const runs: Running[] = [];
  return {
    api,
    ann,
    chat: api.privateChat(ann),
    dataDir: folder.dir,
    env,
    written,
    async start() {
      const running = startVoxtree({ dataDir: folder.dir, env });
      runs.push(running);
      const polls = api.calls.filter(({ method }) => method === "getUpdates").length;
      await api.called(
        "getUpdates",
        (call) => api.calls.filter(({ method }) => method === "getUpdates").indexOf(call) >= polls,
        PATIENT,
      );
      return running;
    },
    async [Symbol.asyncDispose]() {
      for (const running of runs) await running[Symbol.asyncDispose]();
      await api.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Makes Ann the owner. */
async function pair({ chat, ann }: Desk, running: Running): Promise<void> {
  const told = await running.untilTold(/Send \/pair \d{3}-\d{3} to @desk_bot/);
  const [, code = ""] = /\/pair (\d{3}-\d{3})/.exec(told) ?? [];
  chat.says(ann, `/pair ${code}`);
  await chat.next("Welcome, Ann. You are let in as owner.", PATIENT);
}

const answers = ({ chat }: Desk, pattern: RegExp): string[] =>
  chat.messages.filter(({ isFromBot, text }) => isFromBot && pattern.test(text)).map(({ text }) => text);

test.concurrent("as a service it pairs, answers and keeps its menu; stopped and killed amid work, it answers once", async () => {
  await using desk = await openDesk();
  await using site = await openSite();
  const { api, ann, chat } = desk;
  let running = await desk.start();
  await pair(desk, running);

  chat.says(ann, `is ${site.url} up?`);
  await chat.next(/^✅ .*answers 200/, PATIENT);
  await api.called(
    "setMyCommands",
    ({ arguments: given }) => JSON.stringify(given).includes('"http"'),
    PATIENT,
  );

  chat.says(ann, `is ${site.url}/slow up?`);
  await site.seen("/slow");
  const at = performance.now();
  expect(await running.kill("SIGTERM")).toMatchObject({ code: 0, out: "" });
  expect(performance.now() - at).toBeLessThan(STOPPED_WITHIN_MS);

  desk.written.push(running.err);
  running = await desk.start();
  await site.seen("/slow", 2);
  desk.written.push((await running.kill("SIGKILL")).err);
  running = await desk.start();
  await site.seen("/slow", 3);
  site.release();
  await chat.next(/^✅ .*\/slow answers 200/, PATIENT);
  chat.says(ann, "thanks");
  await chat.next("You are welcome.", PATIENT);
  expect(answers(desk, /\/slow answers 200/)).toHaveLength(1);
  expect(answers(desk, /⏳/)).toEqual([]);

  expect((await healthAt(Number(desk.env["VOXTREE_HEALTH_PORT"])))?.health).toMatchObject({
    state: "ACTIVE",
    telegram: { state: "ok", toSend: 0, givenUp: 0, lastGoodPoll: expect.stringMatching(/^\d{4}-/) },
  });
  desk.written.push((await running.kill("SIGTERM")).err);
  expect(desk.written.join("")).not.toContain(SECRET);
  for (const file of readdirSync(desk.dataDir, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name)).includes(SECRET)).toBe(false);
  }
});

test.concurrent("strangers get a hint and nothing else, and who was let in by the settings is answered", async () => {
  await using desk = await openDesk();
  const eve = desk.api.person({ id: 7009, firstName: "Eve" });
  const theirs = desk.api.privateChat(eve);
  const running = startVoxtree({
    dataDir: desk.dataDir,
    env: { ...desk.env, TELEGRAM_ALLOWED_USERS: "7001" },
  });
  await using _running = running;
  await desk.api.called("getUpdates", undefined, PATIENT);
  theirs.says(eve, "/help");
  await theirs.next("I do not know you yet.", PATIENT);
  theirs.says(eve, "/tree");
  desk.chat.says(desk.ann, "thanks");
  await desk.chat.next("You are welcome.", PATIENT);
  expect(theirs.messages.filter(({ isFromBot }) => isFromBot)).toHaveLength(1);
});

test.concurrent("the doctor says whether the token is taken, and who is the owner", async () => {
  await using desk = await openDesk();
  const found = async (env: Readonly<Record<string, string>>) => {
    const { out } = await runVoxtree(["doctor", "--json"], {
      dataDir: desk.dataDir,
      env: { ...desk.env, ...env },
    });
    const { checks } = JSON.parse(out) as { checks: { name: string; state: string; text: string }[] };
    return checks.filter(({ name }) => name === "telegram" || name === "people");
  };
  expect(await found({})).toMatchObject([
    { name: "telegram", state: "ok", text: "@desk_bot answers" },
    { name: "people", state: "warn", text: "the bot has no owner yet" },
  ]);
  const [refused] = await found({ TELEGRAM_BOT_TOKEN: "123456789:AAF-another_another_another_anoth12" });
  expect(refused).toMatchObject({
    name: "telegram",
    state: "fail",
    text: "the token is refused (401 Unauthorized)",
  });
  const [away] = await found({ TELEGRAM_API_ROOT: `http://127.0.0.1:${await closedPort()}` });
  expect(away).toMatchObject({ name: "telegram", state: "fail" });
  expect(away?.text).toContain("cannot be reached");
});
