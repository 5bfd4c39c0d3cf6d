import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { envExample, SETTINGS, settingsTable } from "../../src/settings.ts";

let folder: string;
let envFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "voxtree-config-"));
  envFile = join(folder, ".env");
});
afterEach(() => rmSync(folder, { recursive: true }));

function faultsOf(env: Record<string, string>, file = ""): string[] {
  writeFileSync(envFile, file);
  const config = loadConfig({ env, envFile });
  if (!("failure" in config)) throw new Error("the settings were taken");
  expect(config.failure).toBe("E_CONFIG");
  return config.text.split("\n");
}

describe("settings", () => {
  it("have defaults when neither the environment nor a file says anything", () => {
    expect(loadConfig({ env: {}, envFile })).toEqual({
      dataDir: join(folder, "data"),
      logLevel: "warn",
      keepDays: 30,
      durability: "normal",
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      netAllow: [],
    });
  });

  it("come from .env, and the environment wins", () => {
    writeFileSync(
      envFile,
      '# ours\nVOXTREE_KEEP_DAYS=7\nexport TZ="Europe/Berlin"\nVOXTREE_DURABILITY=full # safe\n',
    );
    expect(loadConfig({ env: { VOXTREE_KEEP_DAYS: "90" }, envFile })).toMatchObject({
      keepDays: 90,
      zone: "Europe/Berlin",
      durability: "full",
    });
  });

  it("are not set when they are empty", () => {
    writeFileSync(envFile, "VOXTREE_KEEP_DAYS=7\nVOXTREE_LOG_LEVEL=\n");
    expect(loadConfig({ env: { VOXTREE_KEEP_DAYS: "" }, envFile })).toMatchObject({
      keepDays: 7,
      logLevel: "warn",
    });
  });

  it("keep an absolute data folder and put a relative one beside .env", () => {
    expect(loadConfig({ env: { VOXTREE_DATA_DIR: "/var/lib/voxtree" }, envFile })).toMatchObject({
      dataDir: "/var/lib/voxtree",
    });
    expect(loadConfig({ env: { VOXTREE_DATA_DIR: "ledgers" }, envFile })).toMatchObject({
      dataDir: join(folder, "ledgers"),
    });
  });

  it.each([
    "redis://localhost",
    "redis://127.0.0.1:6379/2",
    "rediss://web:s%40fe@redis.example:6380",
    "redis://[::1]:6379",
  ])("take %s for a Redis", (url) => {
    expect(loadConfig({ env: { REDIS_URL: url }, envFile })).toMatchObject({ redisUrl: url });
  });

  it("take a port for /healthz", () => {
    expect(loadConfig({ env: { VOXTREE_HEALTH_PORT: "8787" }, envFile })).toMatchObject({ healthPort: 8787 });
  });

  const TOKEN = "123456789:AAF-tOpSeCrEt_tOpSeCrEt_tOpSeCrEt12";

  it("open Telegram by a token, and by nothing else", () => {
    const others = { TELEGRAM_ALLOWED_USERS: "7001, 7002 7003", WAR_ROOM_CHAT: "-1001234567890/7" };
    expect(loadConfig({ env: others, envFile })).not.toHaveProperty("telegram");
    expect(loadConfig({ env: { ...others, TELEGRAM_BOT_TOKEN: TOKEN }, envFile })).toMatchObject({
      telegram: {
        token: TOKEN,
        allowedUsers: ["7001", "7002", "7003"],
        warRoomChat: "-1001234567890/7",
        apiRoot: "https://api.telegram.org",
      },
    });
    const own = { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_API_ROOT: "http://127.0.0.1:8081/" };
    expect(loadConfig({ env: own, envFile })).toMatchObject({
      telegram: { allowedUsers: [], warRoomChat: undefined, apiRoot: "http://127.0.0.1:8081" },
    });
  });

  it("split NET_ALLOW at commas and spaces", () => {
    expect(loadConfig({ env: { NET_ALLOW: "127.0.0.0/8, intranet.example,  ::1" }, envFile })).toMatchObject({
      netAllow: ["127.0.0.0/8", "intranet.example", "::1"],
    });
  });
});

describe("faults of the settings", () => {
  it.each([
    ["VOXTREE_LOG_LEVEL", "loud", "expected one of fatal, error, warn, info, debug, trace, silent"],
    ["VOXTREE_KEEP_DAYS", "abc", "expected a whole number of days from 1 to 9999"],
    ["VOXTREE_KEEP_DAYS", "0", "expected a whole number of days from 1 to 9999"],
    ["VOXTREE_KEEP_DAYS", "1e3", "expected a whole number of days from 1 to 9999"],
    ["VOXTREE_DURABILITY", "Full", "expected normal or full"],
    ["TZ", "Europe/Berlln", "expected an IANA time zone such as Europe/Berlin or UTC"],
    ["TZ", "+02:00", "expected an IANA time zone such as Europe/Berlin or UTC"],
    ["VOXTREE_HEALTH_PORT", "0", "expected a port from 1 to 65535"],
    ["VOXTREE_HEALTH_PORT", "65536", "expected a port from 1 to 65535"],
    ["VOXTREE_HEALTH_PORT", "0x50", "expected a port from 1 to 65535"],
    [
      "TELEGRAM_ALLOWED_USERS",
      "@ann",
      "expected numbers of Telegram users; @userinfobot tells people theirs",
    ],
    [
      "TELEGRAM_ALLOWED_USERS",
      "7001;7002",
      "expected numbers of Telegram users; @userinfobot tells people theirs",
    ],
    ["WAR_ROOM_CHAT", "@ops", "expected a chat's id such as -1001234567890, or -1001234567890/7 for a topic"],
    [
      "WAR_ROOM_CHAT",
      "-100/",
      "expected a chat's id such as -1001234567890, or -1001234567890/7 for a topic",
    ],
    [
      "TELEGRAM_API_ROOT",
      "api.telegram.org",
      "expected http:// or https:// and a host, without a password, a query or a fragment",
    ],
    [
      "TELEGRAM_API_ROOT",
      "https://api.telegram.org?x=1",
      "expected http:// or https:// and a host, without a password, a query or a fragment",
    ],
  ])("name %s, its value %s and what is expected", (name, value, expected) => {
    expect(faultsOf({ [name]: value })).toEqual([`${name}="${value}" in the environment: ${expected}`]);
  });

  it.each([
    "hunter2",
    "http://:hunter2@127.0.0.1:6379",
    "redis:hunter2@127.0.0.1",
    "redis://:hunter2@",
    "redis://:hunter2%zz@127.0.0.1:6379",
    " redis://:hunter2@127.0.0.1:6379 ",
    "redis://:hunter2@127.0.0.1:99999",
    "redis://:hunter2@127.0.0.1/first",
    "redis://127.0.0.1?password=hunter2",
  ])("say that REDIS_URL is none, and do not repeat it: %s", (url) => {
    const expected = "expected redis:// or rediss://, a host and nothing after the database's number";
    expect(faultsOf({ REDIS_URL: url })).toEqual([`REDIS_URL in the environment: ${expected}`]);
  });

  it.each([
    "hunter2",
    "123:hunter2",
    "bot123456789:hunter2hunter2hunter2hunter2",
    " 123456789:hunter2hunter2hunter2 ",
  ])("say that TELEGRAM_BOT_TOKEN is none, and do not repeat it: %s", (token) => {
    expect(faultsOf({ TELEGRAM_BOT_TOKEN: token })).toEqual([
      "TELEGRAM_BOT_TOKEN in the environment: expected a bot's token as @BotFather gives it, such as 123456789:AAF…",
    ]);
  });

  it("are told all at once, with where each stands", () => {
    expect(faultsOf({ VOXTREE_DURABILITY: "some" }, "VOXTREE_KEEP_DAYS=x\nVOXTREE_DATADIR=/tmp\n")).toEqual([
      `VOXTREE_DATADIR in ${envFile}: there is no such setting; did you mean VOXTREE_DATA_DIR?`,
      `VOXTREE_KEEP_DAYS="x" in ${envFile}: expected a whole number of days from 1 to 9999`,
      'VOXTREE_DURABILITY="some" in the environment: expected normal or full',
    ]);
  });

  it.each([
    ["VOXTREE_DATADIR", "VOXTREE_DATA_DIR"],
    ["voxtree_keep_days", "VOXTREE_KEEP_DAYS"],
    ["NET_ALOW", "NET_ALLOW"],
    ["NETALLOW", "NET_ALLOW"],
    ["NET_ALLOWED", "NET_ALLOW"],
    ["REDISURL", "REDIS_URL"],
    ["TELEGRAM_BOTTOKEN", "TELEGRAM_BOT_TOKEN"],
    ["WAR_ROOMCHAT", "WAR_ROOM_CHAT"],
    ["redis_url", "REDIS_URL"],
  ])("tell that %s in the environment was meant to be %s", (typed, meant) => {
    expect(faultsOf({ [typed]: "1" })).toEqual([
      `${typed} in the environment: there is no such setting; did you mean ${meant}?`,
    ]);
  });

  it("leave foreign variables of the environment alone", () => {
    const env = {
      NET_ADMIN: "1",
      NET_INTERFACE: "eth0",
      NETWORK: "x",
      REDIS_HOST: "r",
      REDIS_PASSWORD: "p",
      PATH: "/bin",
      npm_config_x: "y",
    };
    expect(loadConfig({ env, envFile })).toMatchObject({ keepDays: 30 });
  });

  it("list the settings for a key of .env that is like none of them, and do not repeat its value", () => {
    const [fault] = faultsOf({}, "MY_PASSWORD=hunter2\n");
    expect(fault).toBe(
      `MY_PASSWORD in ${envFile}: there is no such setting; the settings are VOXTREE_DATA_DIR, VOXTREE_LOG_LEVEL, VOXTREE_KEEP_DAYS, VOXTREE_DURABILITY, TZ, NET_ALLOW, REDIS_URL, VOXTREE_HEALTH_PORT, TELEGRAM_BOT_TOKEN, TELEGRAM_ALLOWED_USERS, WAR_ROOM_CHAT, TELEGRAM_API_ROOT`,
    );
    expect(fault).not.toContain("hunter2");
  });

  it("name the line of .env that is not a setting at all", () => {
    expect(faultsOf({}, "# days\nVOXTREE_KEEP_DAYS 7\n")).toEqual([
      `${envFile}, line 2: expected KEY=value on one line, or a comment that begins with #`,
    ]);
  });

  it("say that .env cannot be read", () => {
    expect(loadConfig({ env: {}, envFile: folder })).toEqual({
      failure: "E_CONFIG",
      text: `${folder} cannot be read (EISDIR): make it a readable file, or remove it`,
      retryable: false,
    });
  });
});

describe("the settings' documentation", () => {
  it("stands in .env.example word for word", () => {
    expect(readFileSync(new URL("../../.env.example", import.meta.url), "utf8")).toBe(envExample());
  });

  it("is a .env without effect until a # is taken off", () => {
    writeFileSync(envFile, envExample());
    expect(loadConfig({ env: {}, envFile })).toMatchObject({ keepDays: 30 });
    writeFileSync(envFile, envExample().replaceAll(/^#(?=\S)/gm, ""));
    expect(loadConfig({ env: {}, envFile })).toMatchObject({ keepDays: 30, dataDir: join(folder, "data") });
  });

  it("is a table with one row a setting", () => {
    expect(settingsTable().split("\n")).toHaveLength(2 + SETTINGS.length);
    expect(settingsTable()).toContain(
      "| `VOXTREE_KEEP_DAYS` | `30` | Days that finished requests stay in the ledgers; fewer than 8 count as 8 |",
    );
  });
});
