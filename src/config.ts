import { dirname, resolve } from "node:path";
import { parseEnv } from "node:util";
import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { failure, type FailureValue } from "./envelope/failures.ts";
import { readRegularFile } from "./envelope/regular-file.ts";
import { SETTINGS, type SettingName } from "./settings.ts";

const NAMES: readonly string[] = SETTINGS.map(({ name }) => name);

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** How each setting is read from its text; the message says what is expected. */
const Environment = z.strictObject({
  VOXTREE_DATA_DIR: z.string(),
  VOXTREE_LOG_LEVEL: z.enum(LOG_LEVELS, `expected one of ${LOG_LEVELS.join(", ")}`),
  VOXTREE_KEEP_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, "expected a whole number of days from 1 to 9999")
    .transform(Number),
  VOXTREE_DURABILITY: z.enum(["normal", "full"], "expected normal or full"),
  TZ: z
    .string()
    .transform((zone) => zone.replace(/^:/, "") || systemZone())
    .refine(isZone, "expected an IANA time zone such as Europe/Berlin or UTC"),
  NET_ALLOW: z.string().transform((list) => list.split(/[\s,]+/).filter((entry) => entry !== "")),
  REDIS_URL: z
    .string()
    .refine(isRedisUrl, "expected redis:// or rediss://, a host and nothing after the database's number")
    .transform((url) => url || undefined),
  VOXTREE_HEALTH_PORT: z
    .string()
    .refine(
      (port) => /^\d{0,5}$/.test(port) && (port === "" || isPort(Number(port))),
      "expected a port from 1 to 65535",
    )
    .transform((port) => (port === "" ? undefined : Number(port))),
  TELEGRAM_BOT_TOKEN: z
    .string()
    .regex(
      /^(?:\d{3,20}:[\w-]{20,100})?$/,
      "expected a bot's token as @BotFather gives it, such as 123456789:AAF…",
    )
    .transform((token) => token || undefined),
  TELEGRAM_ALLOWED_USERS: z
    .string()
    .transform((list) => list.split(/[\s,]+/).filter((entry) => entry !== ""))
    .refine(
      (ids) => ids.every((id) => /^[1-9]\d{0,15}$/.test(id)),
      "expected numbers of Telegram users; @userinfobot tells people theirs",
    ),
  WAR_ROOM_CHAT: z
    .string()
    .regex(
      /^(?:-?[1-9]\d{0,15}(?:\/[1-9]\d{0,15})?)?$/,
      "expected a chat's id such as -1001234567890, or -1001234567890/7 for a topic",
    )
    .transform((chat) => chat || undefined),
  TELEGRAM_API_ROOT: z
    .string()
    .refine(
      isPlainAddress,
      "expected http:// or https:// and a host, without a password, a query or a fragment",
    )
    .transform((root) => root.replace(/\/+$/, "")),
} satisfies Record<SettingName, z.ZodType>);

/** The settings of one process. */
export interface Config {
  /** Absolute path. */
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  readonly keepDays: number;
  readonly durability: "normal" | "full";
  /** IANA time zone. */
  readonly zone: string;
  /** Entries as they were written; what they mean is the net capability's to say. */
  readonly netAllow: readonly string[];
  /** Redis through which agents in processes of their own reach each other; a password may stand in it. */
  readonly redisUrl?: string | undefined;
  /** Port of the loopback for /healthz. */
  readonly healthPort?: number | undefined;
  /** Undefined without a token. */
  readonly telegram?: TelegramSettings | undefined;
}

export interface TelegramSettings {
  /** A secret. */
  readonly token: string;
  /** Ids of users. */
  readonly allowedUsers: readonly string[];
  /** `<chat id>` or `<chat id>/<topic>`. */
  readonly warRoomChat?: string | undefined;
  /** Without a slash at its end. */
  readonly apiRoot: string;
}

/** Settings whose value may hold a secret: it is repeated nowhere. */
const SECRET: ReadonlySet<string> = new Set<SettingName>(["REDIS_URL", "TELEGRAM_BOT_TOKEN"]);

/**
 * Reads the settings from `env` and from the file `envFile`, if there is one; the environment wins, and empty is not set.
 * Fails with E_CONFIG and every fault at once: a line for each with its key, its value and what is expected.
 * The value of an unknown key is not repeated: it may be a secret under a misspelt name.
 */
export function loadConfig(sources: {
  env: Readonly<Record<string, string | undefined>>;
  envFile: string;
}): Config | FailureValue {
  const file = readEnvFile(sources.envFile);
  if ("failure" in file) return file;
  const faults = [
    ...file.faults,
    ...Object.keys(file.values).flatMap((key) => unknownKey(key, sources.envFile)),
    ...Object.keys(sources.env).flatMap((key) =>
      isMeantForUs(key) ? unknownKey(key, "the environment") : [],
    ),
  ];
  const texts = Object.fromEntries(
    SETTINGS.map(({ name, default: byDefault }) => [
      name,
      sources.env[name] || file.values[name] || byDefault,
    ]),
  );
  const parsed = Environment.safeParse(texts);
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) {
      const name = String(path[0]);
      const origin = sources.env[name] ? "the environment" : sources.envFile;
      const shown = SECRET.has(name) ? name : `${name}=${JSON.stringify(texts[name])}`;
      faults.push(`${shown} in ${origin}: ${message}`);
    }
  }
  if (!parsed.success || faults.length > 0) return failure("E_CONFIG", faults.join("\n"));
  const settings = parsed.data;
  return {
    dataDir: resolve(dirname(sources.envFile), settings.VOXTREE_DATA_DIR),
    logLevel: settings.VOXTREE_LOG_LEVEL,
    keepDays: settings.VOXTREE_KEEP_DAYS,
    durability: settings.VOXTREE_DURABILITY,
    zone: settings.TZ,
    netAllow: settings.NET_ALLOW,
    redisUrl: settings.REDIS_URL,
    healthPort: settings.VOXTREE_HEALTH_PORT,
    ...(settings.TELEGRAM_BOT_TOKEN === undefined
      ? {}
      : {
          telegram: {
            token: settings.TELEGRAM_BOT_TOKEN,
            allowedUsers: settings.TELEGRAM_ALLOWED_USERS,
            warRoomChat: settings.WAR_ROOM_CHAT,
            apiRoot: settings.TELEGRAM_API_ROOT,
          },
        }),
  };
}

interface EnvFile {
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly faults: readonly string[];
}

function readEnvFile(path: string): EnvFile | FailureValue {
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : (error as Error).message;
    if (code === "ENOENT") return { values: {}, faults: [] };
    return failure("E_CONFIG", `${path} cannot be read (${code}): make it a readable file, or remove it`);
  }
  // parseEnv passes over what it cannot read; a setting that has no effect must not look as if it had.
  const faults = text.split(/\r?\n/).flatMap((line, index) => {
    const isSetting = /^\s*(?:export\s+)?[\w.-]+\s*=/.test(line);
    return isSetting || /^\s*(?:#|$)/.test(line)
      ? []
      : [`${path}, line ${index + 1}: expected KEY=value on one line, or a comment that begins with #`];
  });
  return { values: parseEnv(text), faults };
}

/** A fault for a key that is not a setting, with the setting that was probably meant. */
function unknownKey(key: string, origin: string): string[] {
  if (NAMES.includes(key)) return [];
  const nearest = closest(key.toUpperCase(), NAMES);
  const isNear = distance(key.toUpperCase(), nearest) <= Math.max(1, nearest.length / 3);
  const hint = isNear ? `did you mean ${nearest}?` : `the settings are ${NAMES.join(", ")}`;
  return [`${key} in ${origin}: there is no such setting; ${hint}`];
}

/**
 * Whether a variable of the environment can only be meant for Voxtree. NET_, REDIS_ and TELEGRAM_ are prefixes that others
 * use as well, so there only what is a slip of the keyboard away from one of ours counts.
 */
function isMeantForUs(key: string): boolean {
  const name = key.toUpperCase();
  if (name.startsWith("VOXTREE_") || name.startsWith("WAR_ROOM")) return true;
  if (/^NET_?/.test(name)) return distance(name, "NET_ALLOW") <= 2;
  if (!/^(?:REDIS|TELEGRAM)/.test(name)) return false;
  return NAMES.some((ours) => /^(?:REDIS|TELEGRAM)/.test(ours) && distance(name, ours) <= 2);
}

/** Whether an address holds a scheme of the web and a host, and nothing that calls would trip over or a log would tell. */
function isPlainAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "" || /\s/.test(text)) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}

/** Whether an address is one of Redis as far as its text tells: `redis://[user:password@]host[:port][/number]`, or none. */
function isRedisUrl(text: string): boolean {
  if (text === "") return true;
  const url = URL.parse(text);
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === "") return false;
  if (/\s/.test(text) || !isDecodable(url.username) || !isDecodable(url.password)) return false;
  return url.search === "" && url.hash === "" && /^\/?\d{0,5}$/.test(url.pathname);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}

/** A container is told of no zone, or of an empty one, which Intl calls Etc/Unknown: that is UTC. */
function systemZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return isZone(timeZone) ? timeZone : "UTC";
}

function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false; // Intl takes offsets such as +01:00 as well; they know no summer time
  try {
    Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
