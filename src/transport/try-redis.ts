import { Redis } from "ioredis";
import { failure, type FailureValue } from "../envelope/index.ts";
import { whyTlsMismatch } from "./tls-mismatch.ts";
import { whyUnwritable } from "./unwritable.ts";

/** How a Redis was found: it answers, or it is away and may come. */
export type RedisFound = { readonly isThere: true } | { readonly isThere: false; readonly reason: string };

const WITHIN_MS = 2000;

/** What goes by: nobody listens yet, a name is not known yet, the line is cut, the server still reads its files. */
const PASSING =
  /ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|Connection is closed|^LOADING|max number of clients/;

/**
 * Asks a Redis once whether it answers and takes writes. What somebody has to mend is E_TRANSPORT: a wrong user or
 * password, a right that is missing, somebody else at that port, TLS on one side alone, a certificate that does not hold,
 * a replica that is read-only, memory that is used up, a disk that takes nothing.
 */
export async function tryRedis(url: string): Promise<RedisFound | FailureValue> {
  const client = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    connectTimeout: WITHIN_MS,
    commandTimeout: WITHIN_MS,
  });
  // The connection's own errors say more than those of the command that it takes along.
  let cause: Error | undefined;
  client.on("error", (error: Error) => (cause = error));
  try {
    await client.ping();
    // A database that does not exist is told apart from the answer, which comes from the first one.
    if (cause) return judge(url, cause);
    const why = await tryWriting(client);
    return why === undefined ? { isThere: true } : refuse(url, why);
  } catch (error) {
    const found = cause ?? (error as Error);
    // Each side waits for the other one's first word, or hangs up at it: that alone looks like a Redis that is away.
    const why = found.name === "ReplyError" ? undefined : await whyTlsMismatch(url);
    return why === undefined ? judge(url, found) : refuse(url, why);
  } finally {
    client.disconnect();
  }
}

/** Writes nothing at no place, which whoever takes no writes refuses all the same; says why it does. */
async function tryWriting(client: Redis): Promise<string | undefined> {
  try {
    await client.setrange("vx:epoch", 0, "");
    return undefined;
  } catch (error) {
    // A user that may not write just there has other places.
    if ((error as Error).name === "ReplyError") return whyUnwritable(error as Error);
    throw error;
  }
}

/** Where a Redis is, without user and password. */
export function shownRedis(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function judge(url: string, error: Error): RedisFound | FailureValue {
  const code = "code" in error ? String(error.code) : "";
  if (PASSING.test(`${code} ${error.message}`) || PASSING.test(error.message)) {
    return { isThere: false, reason: code || error.message };
  }
  if (error.message.includes("Command timed out")) return { isThere: false, reason: "it does not answer" };
  return refuse(url, explain(error));
}

function explain(error: Error): string {
  const { message } = error;
  // One that cannot save its files refuses even to say that it is there.
  const why = whyUnwritable(error);
  if (why !== undefined) return why;
  if (message.startsWith("WRONGPASS")) return "it does not know the user and password in REDIS_URL";
  if (message.startsWith("NOAUTH")) return "it wants a password, and REDIS_URL has none";
  if (message.startsWith("NOPERM")) return "the user in REDIS_URL may not do what is needed";
  if (message.includes("DB index is out of range")) return "it has no database of this number";
  if (/^(?:Protocol error|Unknown RESP type)/.test(message)) return "who answers there is no Redis";
  return message;
}

function refuse(url: string, why: string): FailureValue {
  return failure("E_TRANSPORT", `Redis at ${shownRedis(url)} cannot be used: ${why}.`);
}
