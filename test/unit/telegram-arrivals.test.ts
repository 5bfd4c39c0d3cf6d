import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ChannelInbound } from "../../src/capabilities/comm-gateway/ports.ts";
import {
  createTelegramChannel,
  type TelegramChannel,
} from "../../src/capabilities/comm-gateway/telegram/index.ts";
import { createIds, systemClock } from "../../src/envelope/index.ts";
import type { Log } from "../../src/sdk/context.ts";
import { type BotApi, createBotApi, type Person } from "../support/bot-api/index.ts";

const TOKEN = "123456789:AAF-tOpSeCrEt_tOpSeCrEt_tOpSeCrEt12";

interface Town {
  readonly api: BotApi;
  readonly ann: Person;
  readonly bob: Person;
  /** Not let in. */
  readonly eve: Person;
  /** Where the channel keeps its file. */
  readonly folder: string;
  readonly heard: ChannelInbound[];
  readonly lines: string[];
  readonly channel: () => TelegramChannel;
  /** Starts the channel on the file of the one before. */
  start(): Promise<void>;
  texts(): string[];
  until(isThere: () => boolean): Promise<void>;
}

/** A Bot API server, people, and a channel in which Ann and Bob may write. */
async function openTown({ canReadAll = false }: { readonly canReadAll?: boolean } = {}): Promise<Town> {
  const api = await createBotApi({ token: TOKEN, username: "vox_bot", canReadAll });
  const folder = mkdtempSync(join(tmpdir(), "telegram-arrivals-"));
  const heard: ChannelInbound[] = [];
  const lines: string[] = [];
  const line = (text: string, facts?: unknown): void => void lines.push(`${text} ${JSON.stringify(facts)}`);
  const log: Log = { debug: line, info: line, warn: line, error: line };
  let channel: TelegramChannel | undefined;
  onTestFinished(async () => {
    await channel?.close();
    await api.close();
    rmSync(folder, { recursive: true });
  });
  const town: Town = {
    api,
    ann: api.person({ id: 7001, firstName: "Ann" }),
    bob: api.person({ id: 7002, firstName: "Bob" }),
    eve: api.person({ id: 7666, firstName: "Eve" }),
    folder,
    heard,
    lines,
    channel() {
      if (!channel) throw new Error("The channel has not been started");
      return channel;
    },
    async start() {
      await channel?.close();
      const opened = createTelegramChannel({
        path: join(folder, "telegram.db"),
        durability: "normal",
        token: TOKEN,
        apiRoot: api.url,
        door: {
          find: (_, userId) => (userId === "7666" ? undefined : {}),
          isPairing: () => false,
          knock: () => ({ kind: "hint", text: "Ask the owner for a code." }),
        },
        clock: systemClock(),
        ids: createIds(Date.now),
        random: Math.random,
        log,
      });
      if ("failure" in opened) throw new Error(opened.text);
      channel = opened;
      await channel.start(async (inbound) => void heard.push(inbound));
    },
    texts: () => heard.map(({ text }) => text),
    until: (isThere) => expect.poll(isThere, { timeout: 20_000, interval: 10 }).toBe(true),
  };
  return town;
}

test("T1 what was handed over but never confirmed is handed over once across restarts", async () => {
  const town = await openTown();
  const chat = town.api.privateChat(town.ann);
  chat.says(town.ann, "one");
  town.api.faults.duplicateUpdates({ isForgetful: true, times: Infinity });
  await town.start();
  await town.until(() => town.heard.length === 1);
  await town.start();
  chat.says(town.ann, "two");
  await town.until(() => town.texts().includes("two"));
  expect(town.texts()).toEqual(["one", "two"]);
});

test("T1 an answer that carries its updates twice and in reverse is handed over once each", async () => {
  const town = await openTown();
  const [ann, bob] = [town.api.privateChat(town.ann), town.api.privateChat(town.bob)];
  ann.says(town.ann, "a");
  bob.says(town.bob, "b");
  town.api.faults.duplicateUpdates();
  town.api.faults.reorderUpdates();
  await town.start();
  await town.until(() => town.heard.length >= 2);
  ann.says(town.ann, "c");
  await town.until(() => town.texts().includes("c"));
  expect(town.texts().toSorted()).toEqual(["a", "b", "c"]);
});

test("T4 a hundred updates and more are all handed over, in the order of their chat", async () => {
  const town = await openTown();
  const chat = town.api.privateChat(town.ann);
  const wanted = Array.from({ length: 230 }, (_, i) => `question ${i}`);
  for (const text of wanted) chat.says(town.ann, text);
  await town.start();
  await town.until(() => town.heard.length === 230);
  expect(town.texts()).toEqual(wanted);
  await town.until(() => town.api.pending === 0);
});

test("T7 edits, posts of channels and kinds that nobody knows pass by", async () => {
  const town = await openTown();
  const chat = town.api.privateChat(town.ann);
  const first = chat.says(town.ann, "first");
  chat.edits(town.ann, first, "first, edited");
  town.api.push({
    channel_post: { message_id: 1, date: 1, chat: { id: -5, type: "channel" }, text: "news" },
  });
  town.api.push({ telepathy: { from: 7 } });
  town.api.push({ message: "broken" });
  chat.says(town.ann, "second");
  await town.start();
  await town.until(() => town.texts().includes("second"));
  expect(town.texts()).toEqual(["first", "second"]);
  await town.until(() => town.api.pending === 0);
  expect(town.lines.some((line) => line.includes("telepathy: unknown kind of update"))).toBe(true);
});

test("T8 a paste that the client cut, and an album with one caption, are one request each", async () => {
  const town = await openTown();
  const [ann, bob] = [town.api.privateChat(town.ann), town.api.privateChat(town.bob)];
  await town.start();
  await town.api.called("getUpdates");
  ann.says(town.ann, "x".repeat(4_096));
  ann.says(town.ann, "y".repeat(4_000));
  ann.says(town.ann, "z");
  for (const caption of ["", "what is wrong here?", ""])
    bob.says(town.bob, caption, { mediaGroupId: "album" });
  await town.until(() => town.heard.length === 2);
  expect(town.texts().toSorted()).toEqual([
    "what is wrong here?",
    `${"x".repeat(4_096)}${"y".repeat(4_000)}\nz`,
  ]);
  expect(bob.messages.filter(({ isFromBot }) => isFromBot)).toEqual([]);
});

test("T9 in a group /start@OtherBot is ignored, and /start@vox_bot, a name, an answer and a command are heard", async () => {
  const town = await openTown({ canReadAll: true });
  const { ann, bob } = town;
  const group = town.api.group({ title: "Ops", members: [ann, bob] });
  await town.start();
  for (const text of ["lunch?", "/start@OtherBot", "/start@vox_bot", "is it up, @vox_bot ?", "/status"]) {
    group.says(ann, text);
  }
  await town.until(() => town.heard.length === 3);
  expect(town.texts()).toEqual(["/start", "is it up, ?", "/status"]);
  const [started] = town.heard;
  await town.channel().deliver({
    requestId: started?.id ?? "",
    chat: String(group.id),
    reply: { text: "Started." },
    isRepeat: false,
  });
  group.says(bob, "and now?", { replyTo: await group.next("Started.") });
  await town.until(() => town.heard.length === 4);
  expect(town.heard[3]).toMatchObject({ chat: String(group.id), person: "7002", text: "and now?" });
});

test("words in a forum's topic come from that topic, and the reply goes there", async () => {
  const town = await openTown();
  const forum = town.api.group({ title: "Ops", members: [town.ann], isForum: true });
  const topic = forum.opensTopic("Shop");
  await town.start();
  forum.says(town.ann, "/status", { threadId: topic });
  await town.until(() => town.heard.length === 1);
  const [inbound] = town.heard;
  expect(inbound?.chat).toBe(`${forum.id}/${topic}`);
  await town.channel().deliver({
    requestId: inbound?.id ?? "",
    chat: inbound?.chat ?? "",
    reply: { text: "All well." },
    isRepeat: false,
  });
  expect(await forum.next("All well.")).toMatchObject({ threadId: topic });
});

test("T11 a stranger who presses another's button sees a refusal, and nothing else happens", async () => {
  const town = await openTown();
  const group = town.api.group({ title: "Ops", members: [town.ann, town.eve] });
  await town.start();
  const reply = { text: "Sure?", buttons: [{ label: "Yes", say: "restart everything" }] };
  await town.channel().deliver({ requestId: "q", chat: String(group.id), reply, isRepeat: false });
  const question = await group.next("Sure?");
  expect(await group.presses(town.eve, question, "Yes")).toEqual({
    text: "You may not use this bot. Ask its owner to let you in.",
    isAlert: false,
  });
  expect(await group.presses(town.ann, question, "Yes")).toMatchObject({ text: "" });
  await town.until(() => town.heard.length === 1);
  expect(town.heard).toMatchObject([{ person: "7001", text: "restart everything" }]);
});

test("T18 what a button says may be longer than Telegram lets a button carry, and outlives a restart", async () => {
  const town = await openTown();
  const chat = town.api.privateChat(town.ann, { isStarted: true });
  await town.start();
  const say = `check ${"https://shop.example/".padEnd(900, "x")}`;
  await town.channel().deliver({
    requestId: "q",
    chat: "7001",
    reply: { text: "Again?", buttons: [{ label: "Again", say }] },
    isRepeat: false,
  });
  const question = await chat.next("Again?");
  await town.start();
  await chat.presses(town.ann, question, "Again");
  await town.until(() => town.heard.length === 1);
  expect(town.texts()).toEqual([say]);
});

test("T19 a press that is too old to be answered is done all the same", async () => {
  const town = await openTown();
  const chat = town.api.privateChat(town.ann, { isStarted: true });
  await town.start();
  const reply = { text: "Again?", buttons: [{ label: "Again", say: "check it" }] };
  await town.channel().deliver({ requestId: "q", chat: "7001", reply, isRepeat: false });
  const question = await chat.next("Again?");
  await town.channel().close();
  const pressed = chat.presses(town.ann, question, "Again");
  town.api.expirePresses();
  expect(await pressed).toBeUndefined();
  await town.start();
  await town.until(() => town.heard.length === 1);
  expect(town.texts()).toEqual(["check it"]);
  const answer = await town.api.called("answerCallbackQuery", ({ status }) => status === 400);
  expect(answer.arguments.callback_query_id).toBeDefined();
});

test("a stranger is hinted in private, and in a group only when the bot is called", async () => {
  const town = await openTown({ canReadAll: true });
  const chat = town.api.privateChat(town.eve);
  const group = town.api.group({ title: "Ops", members: [town.eve, town.ann] });
  await town.start();
  group.says(town.eve, "lunch?");
  chat.says(town.eve, "hello");
  await chat.next("Ask the owner for a code.");
  expect(group.messages.filter(({ isFromBot }) => isFromBot)).toEqual([]);
  const call = group.says(town.eve, "@vox_bot hello");
  expect(await group.next("Ask the owner for a code.")).toMatchObject({ replyTo: call.id });
  expect(town.heard).toEqual([]);
});

test("the token stands in no line of the log and in no file, whatever goes wrong", async () => {
  const town = await openTown();
  const chat = town.api.privateChat(town.ann);
  const { faults } = town.api;
  const holding = `Bad Request: https://api.telegram.org/bot${TOKEN}/x and ${encodeURIComponent(TOKEN)}`;
  faults.refuse({ method: "sendMessage", error_code: 400, description: holding, times: 2 });
  faults.refuse({ method: "setMyCommands", error_code: 400, description: holding });
  faults.refuse({ method: "getUpdates", error_code: 409, description: `${holding} webhook` });
  faults.refuse({ method: "deleteWebhook", error_code: 400, description: holding });
  await town.start();
  town.channel().showCommands([{ name: "help", description: "Help" }]);
  chat.says(town.ann, `my token is ${TOKEN}`);
  await town.until(() => town.heard.length === 1);
  await town.channel().deliver({ requestId: "r", chat: "7001", reply: { text: "x" }, isRepeat: false });
  const told = JSON.stringify([
    town.lines,
    town.heard,
    town.channel().health(),
    chat.messages.filter(({ isFromBot }) => isFromBot),
  ]);
  expect(told).toContain("[token]");
  for (const file of readdirSync(town.folder)) {
    expect(readFileSync(join(town.folder, file), "latin1").toLowerCase()).not.toContain("topsecret");
  }
  expect(told.toLowerCase()).not.toContain("topsecret");
});
