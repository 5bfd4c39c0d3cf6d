import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import {
  createTelegramClient,
  type TelegramClient,
} from "../../src/capabilities/comm-gateway/telegram/client.ts";
import { createOutput, type Output } from "../../src/capabilities/comm-gateway/telegram/output.ts";
import {
  openTelegramDatabase,
  type TelegramDatabase,
} from "../../src/capabilities/comm-gateway/telegram/store.ts";
import type { Delivery } from "../../src/capabilities/comm-gateway/ports.ts";
import { createIds } from "../../src/envelope/index.ts";
import type { ReplyShape } from "../../src/sdk/reply.ts";
import { type BotApi, type Chat, createBotApi, type Message, type Person } from "./bot-api/index.ts";
import { createQuickClock } from "./quick-clock.ts";

export const TOKEN = "700100:AAE-secret_of-the-bot_0123456789abcdef";
/** How much faster time goes for the bot than for the test. */
const TIMES = 40;

/** Something that was said in the log. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The way out over a Bot API server, that can be killed and started again on the same file. */
export interface OutputBench extends AsyncDisposable {
  readonly api: BotApi;
  readonly ann: Person;
  readonly bob: Person;
  /** Ann's and Bob's chats with the bot. */
  readonly chat: Chat;
  readonly other: Chat;
  readonly output: Output;
  readonly db: TelegramDatabase;
  readonly log: LogLine[];
  /** Ms of the bot's time. */
  now(): number;
  /** Delivers a reply to Ann's chat, or another. */
  deliver(requestId: string, reply: ReplyShape, more?: Partial<Delivery>): Promise<void>;
  /** As after SIGKILL: nothing more is done by what ran, nothing is closed in order, the file is opened again. */
  restart(): Promise<void>;
  /** What the bot has written in a chat that is still there, as it looks now. */
  texts(chat?: Chat): string[];
}

export async function openOutput(): Promise<OutputBench> {
  const folder = mkdtempSync(join(tmpdir(), "telegram-output-"));
  const api = await createBotApi({ token: TOKEN, username: "voxtree_bot" });
  const ann = api.person({ id: 7001, firstName: "Ann" });
  const bob = api.person({ id: 7002, firstName: "Bob" });
  const chat = api.privateChat(ann, { isStarted: true });
  const other = api.privateChat(bob, { isStarted: true });
  const log: LogLine[] = [];
  const clients: TelegramClient[] = [];
  let life = begin();

  function begin() {
    const db = openTelegramDatabase({ path: join(folder, "telegram.db") });
    if ("failure" in db) throw new Error(db.text);
    const clock = createQuickClock(TIMES);
    const real = createTelegramClient({ token: TOKEN, apiRoot: api.url, clock });
    clients.push(real);
    let isDead = false;
    const never = new Promise<never>(() => undefined);
    const client: TelegramClient = {
      ...real,
      async call(method, args, signal) {
        if (isDead) return never;
        const outcome = await real.call(method, args, signal);
        return isDead ? never : outcome;
      },
    };
    const note =
      (level: LogLine["level"]) =>
      (message: string, facts: Readonly<Record<string, unknown>> = {}) =>
        void log.push({ level, message, facts });
    const output = createOutput({
      db,
      client,
      clock,
      ids: createIds(clock.now),
      log: { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") },
    });
    output.start();
    return {
      db,
      clock,
      output,
      kill() {
        isDead = true;
        clock.stop();
      },
    };
  }

  const bench: OutputBench = {
    api,
    ann,
    bob,
    chat,
    other,
    log,
    get output() {
      return life.output;
    },
    get db() {
      return life.db;
    },
    now: () => life.clock.now(),
    deliver: (requestId, reply, more = {}) =>
      life.output.deliver({ requestId, chat: String(chat.id), reply, isRepeat: false, ...more }),
    async restart() {
      life.kill();
      // What had just ended may not look at the file any more when somebody else writes to it.
      await setImmediate();
      life = begin();
    },
    texts: (of = chat) =>
      of.messages
        .filter(({ isFromBot, isDeleted }: Message) => isFromBot && !isDeleted)
        .map(({ text }: Message) => text),
    async [Symbol.asyncDispose]() {
      life.kill();
      for (const client of clients) client.close();
      await api.close();
      life.db.close();
      rmSync(folder, { recursive: true });
    },
  };
  return bench;
}
