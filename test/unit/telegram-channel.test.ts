import { createServer } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ChannelInbound } from "../../src/capabilities/comm-gateway/ports.ts";
import {
  createTelegramChannel,
  type TelegramChannel,
} from "../../src/capabilities/comm-gateway/telegram/index.ts";
import { createIds, systemClock } from "../../src/envelope/index.ts";
import { createBotApi } from "../support/bot-api/index.ts";
import { listen } from "../support/net.ts";
import { SILENT } from "../support/silent-log.ts";
import { TOKEN } from "../support/telegram-output.ts";

/** A channel in which person 7001 may write. */
function channelOf(apiRoot: string): {
  channel: TelegramChannel;
  heard: ChannelInbound[];
  start(): Promise<void>;
} {
  const folder = mkdtempSync(join(tmpdir(), "telegram-channel-"));
  const channel = createTelegramChannel({
    path: join(folder, "telegram.db"),
    durability: "normal",
    token: TOKEN,
    apiRoot,
    door: {
      find: (_, userId) => (userId === "7001" ? { language: "de", zone: "Europe/Berlin" } : undefined),
      isPairing: (text) => text.startsWith("/pair"),
      knock: (_, { text }) =>
        text === "/pair 111-111" ? { kind: "paired", text: "Welcome, owner." } : { kind: "silent" },
    },
    clock: systemClock(),
    ids: createIds(Date.now),
    random: Math.random,
    log: SILENT,
  });
  if ("failure" in channel) throw new Error(channel.text);
  onTestFinished(async () => {
    await channel.close();
    rmSync(folder, { recursive: true });
  });
  const heard: ChannelInbound[] = [];
  return { channel, heard, start: () => channel.start(async (inbound) => void heard.push(inbound)) };
}

const until = (look: () => boolean) => expect.poll(look, { timeout: 20_000, interval: 10 }).toBe(true);

test("words come in with who wrote them, and the reply goes where they came from", async () => {
  await using api = await createBotApi({ token: TOKEN, username: "voxtree_bot" });
  const ann = api.person({ id: 7001, firstName: "Ann" });
  const chat = api.privateChat(ann);
  const { channel, heard, start } = channelOf(api.url);
  await start();
  chat.says(ann, "is it up?");
  await until(() => heard.length === 1);
  const [inbound] = heard;
  expect(inbound).toMatchObject({
    chat: "7001",
    person: "7001",
    name: "Ann",
    text: "is it up?",
    language: "de",
    zone: "Europe/Berlin",
  });
  await channel.deliver({
    requestId: inbound?.id ?? "",
    chat: "7001",
    reply: { text: "it is" },
    isRepeat: false,
  });
  expect(chat.messages.map(({ text }) => text)).toEqual(["is it up?", "it is"]);
  expect(channel.health()).toMatchObject({ poll: { state: "ok" }, output: { isHalted: false, open: 0 } });
});

test("a press of a button says its words, and its question loses the buttons", async () => {
  await using api = await createBotApi({ token: TOKEN, username: "voxtree_bot" });
  const ann = api.person({ id: 7001, firstName: "Ann" });
  const chat = api.privateChat(ann, { isStarted: true });
  const { channel, heard, start } = channelOf(api.url);
  await start();
  const reply = { text: "Which?", buttons: [{ label: "Web", say: "check web" }] };
  await channel.deliver({ requestId: "q", chat: "7001", reply, ending: { kind: "asked" }, isRepeat: false });
  await api.called("getUpdates");
  const question = await chat.next("Which?");
  expect(await chat.presses(ann, question, "Web")).toEqual({ text: "", isAlert: false });
  await until(() => heard.length === 1);
  expect(heard[0]).toMatchObject({ chat: "7001", person: "7001", text: "check web" });
  await chat.next(({ buttons }) => buttons.length === 0);
});

test("a pairing code is for the door, also from whoever is let in already", async () => {
  await using api = await createBotApi({ token: TOKEN, username: "voxtree_bot" });
  const ann = api.person({ id: 7001, firstName: "Ann" });
  const chat = api.privateChat(ann);
  const { heard, start } = channelOf(api.url);
  await start();
  chat.says(ann, "/pair 111-111");
  await chat.next("Welcome, owner.");
  expect(heard).toEqual([]);
});

test("it starts while Telegram cannot be reached, goes on trying, and closes within five seconds", async () => {
  const gone = await listen(createServer());
  const root = `http://127.0.0.1:${gone.port}`;
  await gone[Symbol.asyncDispose]();
  const { channel, start } = channelOf(root);
  await start();
  await until(() => channel.health().poll.text.includes("ECONNREFUSED"));
  expect(channel.health().poll).toMatchObject({ state: "unreachable", lastGoodPollAt: undefined });
  const owed = expect(
    channel.deliver({ requestId: "r", chat: "7001", reply: { text: "x" }, isRepeat: false }),
  ).rejects.toMatchObject({ name: "NotDeliveredError" });
  const began = performance.now();
  await channel.close();
  await owed;
  expect(performance.now() - began).toBeLessThan(5000);
  await channel.finished;
});

test("the menu shows what it is told to, also when it was told before Telegram was reached", async () => {
  await using api = await createBotApi({ token: TOKEN, username: "voxtree_bot" });
  const { channel, start } = channelOf(api.url);
  channel.showCommands([{ name: "http", description: "Look at a page" }]);
  await start();
  await until(() => api.menu().length > 0);
  expect(api.menu()).toEqual([{ command: "http", description: "Look at a page" }]);
  channel.showCommands([{ name: "tls", description: "Look at a certificate" }]);
  await until(() => api.menu()[0]?.command === "tls");
});

test("a file goes behind the words, as a file", async () => {
  const forms: FormData[] = [];
  const server = await listen(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => void chunks.push(chunk));
      request.on("end", () => {
        const type = request.headers["content-type"] ?? "";
        const answer = (result: unknown): void =>
          void response
            .writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify({ ok: true, result }));
        if (request.url?.endsWith("getUpdates")) return;
        if (request.url?.endsWith("getMe"))
          return answer({ id: 1, is_bot: true, first_name: "b", username: "b" });
        if (!request.url?.endsWith("sendDocument")) return answer({ message_id: 1 });
        void new Response(Buffer.concat(chunks), { headers: { "content-type": type } })
          .formData()
          .then((form) => {
            forms.push(form);
            answer({ message_id: 2 });
          });
      });
    }),
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { channel, start } = channelOf(`http://127.0.0.1:${server.port}`);
  await start();
  const attachments = [{ name: "report.csv", contentType: "text/csv", base64: "YSxiCjEsMgo=" }];
  await channel.deliver({
    requestId: "r",
    chat: "7001",
    reply: { text: "here", attachments },
    isRepeat: false,
  });
  const [form] = forms;
  expect(form?.get("chat_id")).toBe("7001");
  const file = [...(form?.values() ?? [])].find((value) => value instanceof File);
  expect(file?.name).toBe("report.csv");
  expect(await file?.text()).toBe("a,b\n1,2\n");
});
