import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type BotApi, type Chat, createBotApi, type Person } from "../support/bot-api/index.ts";
import { closedPort, type Ran, settingsFor, startProcess } from "../support/program.ts";
import { createProjectFolder } from "../support/project-folder.ts";
import { KEY, openTerminal, type Terminal } from "../support/terminal.ts";

// Each test starts the program several times, and others run at its side.
vi.setConfig({ testTimeout: 120_000 });

const PROJECT = join(import.meta.dirname, "../..");
const SECRET = "AAF-tOpSeCrEt_tOpSeCrEt_tOpSeCrEt12";
const TOKEN = `123456789:${SECRET}`;
const PATIENT = { timeoutMs: 60_000 };
const TEST_MESSAGE = "This is Voxtree's war room. Alerts come here.";

type Env = Readonly<Record<string, string | undefined>>;

interface Desk extends AsyncDisposable {
  readonly api: BotApi;
  readonly ann: Person;
  readonly chat: Chat;
  readonly envFile: string;
  /** What stands in `.env`. */
  readonly written: () => string;
  readonly run: (args?: readonly string[], env?: Env) => Promise<Ran>;
  readonly start: (args?: readonly string[], env?: Env) => ReturnType<typeof startProcess>;
  readonly sit: (env?: Env) => Terminal;
}

/** A copy of the project, whose `.env` is the test's own, and a Bot API. */
async function openDesk(): Promise<Desk> {
  const api = await createBotApi({ token: TOKEN, username: "desk_bot" });
  const ann = api.person({ id: 7001, firstName: "Ann" });
  const folder = await createProjectFolder();
  for (const part of ["bin", "src", "package.json"]) {
    await cp(join(PROJECT, part), join(folder.dir, part), { recursive: true });
  }
  const program = join(folder.dir, "bin/voxtree.js");
  const options = (env: Env) => ({
    dataDir: join(folder.dir, "data"),
    env: { TELEGRAM_API_ROOT: api.url, ...env },
  });
  const start: Desk["start"] = (args = [], env = {}) =>
    startProcess(process.execPath, [program, "init", ...args], options(env));
  const envFile = join(folder.dir, ".env");
  return {
    api,
    ann,
    chat: api.privateChat(ann),
    envFile,
    written: () => readFileSync(envFile, "utf8"),
    start,
    run: (args, env) => start(args, env).end(),
    sit: (env = {}) => openTerminal(`'${process.execPath}' '${program}' init`, settingsFor(options(env))),
    async [Symbol.asyncDispose]() {
      await api.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const PAIR = /Send \/pair (\d{3}-\d{3}) to @desk_bot to become its owner/;
const codeIn = (told: string): string => PAIR.exec(told)?.[1] ?? "";

/** Makes Ann the owner, by the pipe form. */
async function pair(desk: Desk): Promise<void> {
  const running = desk.start(["--wait"], { TELEGRAM_BOT_TOKEN: TOKEN });
  const code = codeIn(await running.until(PAIR));
  desk.chat.says(desk.ann, `/pair ${code}`);
  await desk.chat.next("Welcome, Ann. You are let in as owner.", PATIENT);
  expect((await running.end()).out).toContain("Owner: Ann.\n");
}

test.concurrent("at a terminal it takes the token, pairs the owner and makes the group where /here is written the war room", async () => {
  await using desk = await openDesk();
  const { api, ann, chat } = desk;
  const group = api.group({ title: "Ops", members: [ann] });
  await using terminal = desk.sit();
  await terminal.until(/\/newbot to @BotFather.*\(it is not shown\):/s);
  terminal.press("no token", KEY.enter);
  await terminal.until(/That is no token/);
  await terminal.until(/\(it is not shown\):/);
  terminal.press("123456789:AAF-another_another_another_anoth12", KEY.enter);
  await terminal.until(/Telegram refuses this token \(401 Unauthorized\)/);
  await terminal.until(/\(it is not shown\):/);
  terminal.press(TOKEN, KEY.enter);
  await terminal.until(/Bot: @desk_bot\. Its token was written in/);
  expect(desk.written()).toBe(`TELEGRAM_BOT_TOKEN=${TOKEN}\n`);
  const code = codeIn(await terminal.until(PAIR));
  chat.says(ann, `/pair ${code}`);
  await terminal.until(/Owner: Ann\./);
  await terminal.until(/write \/here@desk_bot there, or press Enter/);
  chat.says(ann, "hello");
  await chat.next("I am still being set up.", PATIENT);
  group.says(ann, "/here@desk_bot");
  await group.next("Taken down", PATIENT);
  await group.next(TEST_MESSAGE, PATIENT);
  await terminal.until(/The test message has arrived there\.\s+Next: `npm start`\./);
  expect(await terminal.exited).toBe(0);
  expect(desk.written()).toBe(`TELEGRAM_BOT_TOKEN=${TOKEN}\nWAR_ROOM_CHAT=${group.id}\n`);
  expect(terminal.raw()).not.toContain(SECRET);
  expect(terminal.raw()).not.toContain("another_another");
});

test.concurrent("Ctrl-C leaves what is done and says how to go on; then Enter makes the private chat the war room", async () => {
  await using desk = await openDesk();
  const { ann, chat } = desk;
  {
    await using terminal = desk.sit();
    await terminal.until(/\(it is not shown\):/);
    terminal.press(TOKEN, KEY.enter);
    await terminal.until(PAIR);
    terminal.press(KEY.ctrlC);
    await terminal.until(/Stopped\. .*`voxtree init` goes on from there\./s);
    expect(await terminal.exited).toBe(130);
  }
  await using terminal = desk.sit();
  await terminal.until(/Its token stands in/);
  chat.says(ann, `/pair ${codeIn(await terminal.until(PAIR))}`);
  await terminal.until(/or press Enter/);
  await terminal.until(/Waiting…/);
  terminal.press(KEY.enter);
  await chat.next(TEST_MESSAGE, PATIENT);
  expect(await terminal.exited).toBe(0);
  expect(desk.written()).toContain("WAR_ROOM_CHAT=7001\n");
});

test.concurrent("without a terminal it does what it is told, keeps every other line of .env, and changes nothing the second time", async () => {
  await using desk = await openDesk();
  const { api, ann, envFile } = desk;
  const group = api.group({ title: "Ops", members: [ann], isSupergroup: true });
  const rest = "# mine\nNET_ALLOW='10.0.0.0/8'   # keep\n\n#WAR_ROOM_CHAT=\n# last";
  writeFileSync(envFile, rest, { mode: 0o644 });
  await pair(desk);
  expect(desk.written()).toBe(`${rest}\nTELEGRAM_BOT_TOKEN=${TOKEN}\n`);
  expect(statSync(envFile).mode & 0o777).toBe(0o600);

  const args = ["--war-room", String(group.id)];
  const first = await desk.run(args, { TELEGRAM_BOT_TOKEN: TOKEN });
  expect(first).toEqual({
    code: 0,
    err: "",
    out: `Bot: @desk_bot. Its token stands in ${envFile}.\nOwner: Ann, as before.\nWar room: chat ${group.id}. The test message has arrived there.\nNext: \`npm start\`.\n`,
  });
  await group.next(TEST_MESSAGE, PATIENT);
  const written = desk.written();
  expect(written).toBe(
    `${rest.replace("#WAR_ROOM_CHAT=\n", `#WAR_ROOM_CHAT=\nWAR_ROOM_CHAT=${group.id}\n`)}\nTELEGRAM_BOT_TOKEN=${TOKEN}\n`,
  );

  for (const again of [args, []]) {
    expect((await desk.run(again)).out).toContain(
      `War room: chat ${group.id}, as before. The bot may write there.`,
    );
  }
  expect(desk.written()).toBe(written);
  expect(group.messages).toHaveLength(1);
});

test.concurrent("a group that became a supergroup is followed, and its new id is written", async () => {
  await using desk = await openDesk();
  const { api, ann, envFile } = desk;
  const group = api.group({ title: "Ops", members: [ann] });
  writeFileSync(envFile, `TELEGRAM_BOT_TOKEN=${TOKEN}\r\nWAR_ROOM_CHAT=${group.id}\r\n`);
  const raised = group.migrates();
  const ran = await desk.run();
  expect(ran.out).toContain(`the group has become chat ${raised.id}, which was written down`);
  expect(desk.written()).toBe(`TELEGRAM_BOT_TOKEN=${TOKEN}\r\nWAR_ROOM_CHAT=${raised.id}\r\n`);
});

test.concurrent("a war room that cannot be written to is told with what to do, and not written down", async () => {
  await using desk = await openDesk();
  const group = desk.api.group({ title: "Ops", members: [desk.ann] });
  group.stands("kicked");
  const env = { TELEGRAM_BOT_TOKEN: TOKEN };
  for (const [id, why] of [
    [String(group.id), /403 Forbidden.*add the bot to the group/],
    ["-1009", /400 Bad Request: chat not found.*check the id/],
    ["7001", /write to the bot there first/],
  ] as const) {
    const ran = await desk.run(["--war-room", id], env);
    expect(ran.code).toBe(7);
    expect(ran.err).toMatch(/^E_TELEGRAM: The war room, chat /);
    expect(ran.err).toMatch(why);
  }
  expect(await desk.run(["--war-room", "ops"], env)).toMatchObject({
    code: 2,
    err: /^E_USAGE: --war-room expects/,
  });
  expect(await desk.run(["--war-room", "-100"], { ...env, WAR_ROOM_CHAT: "-200" })).toMatchObject({
    code: 2,
    err: /^E_USAGE: WAR_ROOM_CHAT=-200 in the environment wins/,
  });
  expect(desk.written()).toBe(`TELEGRAM_BOT_TOKEN=${TOKEN}\n`);
});

test.concurrent("what keeps it from beginning is told, and nothing is written", async () => {
  await using desk = await openDesk();
  const seen = await desk.run(["--token", TOKEN]);
  expect(seen).toMatchObject({ code: 2, out: "", err: /^E_USAGE: A token on a command line/ });
  expect(seen.err).not.toContain(SECRET);
  expect(await desk.run()).toMatchObject({ code: 2, err: /^E_USAGE: There is no token yet/ });
  expect(
    await desk.run([], { TELEGRAM_BOT_TOKEN: "123456789:AAF-another_another_another_anoth12" }),
  ).toMatchObject({ code: 5, err: /^E_CONFIG: Telegram refuses this token \(401 Unauthorized\)/ });
  const away = await desk.run([], {
    TELEGRAM_BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: `http://127.0.0.1:${await closedPort()}`,
  });
  expect(away).toMatchObject({ code: 7, err: /^E_TELEGRAM: 127\.0\.0\.1:\d+ could not be asked/ });
  expect(away.err).not.toContain(SECRET);
  expect(existsSync(desk.envFile)).toBe(false);
});

test.concurrent("beside another program that polls, and beside a root that runs, it waits for nobody and says what to stop", async () => {
  await using desk = await openDesk();
  const env = { TELEGRAM_BOT_TOKEN: TOKEN };
  await using waiting = desk.start(["--wait"], env);
  await waiting.until(PAIR);
  expect(await desk.run(["--wait"], env)).toMatchObject({
    code: 4,
    err: /^E_ALREADY_RUNNING: .*is in use by process \d+.*: stop it, run `voxtree init`/,
  });
  desk.api.faults.conflict();
  const ran = await waiting.end();
  expect(ran.code).toBe(7);
  expect(ran.err).toMatch(/E_TELEGRAM: Another program polls with the same token \(409 .*: stop it/);
});
