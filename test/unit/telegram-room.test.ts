import { expect, onTestFinished, test } from "vitest";
import { createTelegramClient } from "../../src/capabilities/comm-gateway/telegram/client.ts";
import { parseChatName } from "../../src/capabilities/comm-gateway/telegram/chat-name.ts";
import { createTelegramRoom } from "../../src/capabilities/comm-gateway/telegram/room.ts";
import { systemClock } from "../../src/envelope/index.ts";
import { md } from "../../src/sdk/markup.ts";
import type { Room } from "../../src/warroom/ports.ts";
import { type BotApi, type Chat, createBotApi } from "../support/bot-api/index.ts";
import { SILENT } from "../support/silent-log.ts";
import { TOKEN } from "../support/telegram-output.ts";

interface Bench {
  readonly api: BotApi;
  readonly group: Chat;
  readonly room: Room;
  roomIn(name: string): Room;
}

async function openRoom(
  options: { readonly isForum?: boolean; readonly isSupergroup?: boolean } = {},
): Promise<Bench> {
  const api = await createBotApi({ token: TOKEN, username: "voxtree_bot" });
  const ann = api.person({ id: 7001, firstName: "Ann" });
  const group = api.group({ title: "Ops", members: [ann], ...options });
  const client = createTelegramClient({ token: TOKEN, apiRoot: api.url, clock: systemClock() });
  onTestFinished(async () => {
    client.close();
    await api.close();
  });
  const roomIn = (name: string): Room => {
    const address = parseChatName(name);
    if (!address) throw new Error(`${name} is no chat`);
    return createTelegramRoom({ client, name: "general", address, log: SILENT });
  };
  return { api, group, room: roomIn(String(group.id)), roomIn };
}

const FIRING = {
  text: md`🔴 CRIT  **shop.example**: HTTP 503`,
  buttons: [
    { label: "Ack", token: "wr.a.142" },
    { label: "Silence 1h", token: "wr.s.142" },
  ],
  isSilent: false,
};
const RESOLVED = { text: md`🟢 RESOLVED  shop.example`, buttons: [] };

test("one message is posted, edited, and edited again without harm", async () => {
  const { group, room } = await openRoom();
  const posted = await room.post(FIRING);
  const message = await group.next("503");
  expect(posted).toEqual({ kind: "sent", ref: `${group.id}:${message.id}` });
  expect(message).toMatchObject({
    text: "🔴 CRIT  shop.example: HTTP 503",
    entities: [{ type: "bold", offset: 9, length: 12 }],
    buttons: [["Ack", "Silence 1h"]],
    isSilent: false,
  });
  expect(message.keyboard[0]?.[0]?.callback_data).toBe("wr.a.142");
  const ref = `${group.id}:${message.id}`;
  expect(await room.edit(ref, RESOLVED)).toEqual({ kind: "sent", ref });
  expect(await room.edit(ref, RESOLVED)).toEqual({ kind: "sent", ref });
  expect(group.messages).toMatchObject([{ text: "🟢 RESOLVED  shop.example", buttons: [] }]);
});

test("a reminder answers its message, silently if so wished, and comes without it when that is gone", async () => {
  const { group, room } = await openRoom();
  await room.post(FIRING);
  const message = await group.next("503");
  const replyTo = `${group.id}:${message.id}`;
  await room.post({ ...RESOLVED, isSilent: true, replyTo });
  expect(await group.next("RESOLVED")).toMatchObject({ replyTo: message.id, isSilent: true });
  group.deletes(message);
  expect(await room.post({ ...RESOLVED, isSilent: true, replyTo })).toMatchObject({ kind: "sent" });
  expect(await room.edit(replyTo, RESOLVED)).toMatchObject({ kind: "failed", why: { kind: "message_gone" } });
});

test("T16 a group that became a supergroup is followed, and its messages can no longer be edited", async () => {
  const { group, room } = await openRoom();
  const posted = await room.post(FIRING);
  const raised = group.migrates({ isTold: false });
  const after = await room.post(FIRING);
  expect(after).toMatchObject({ kind: "sent", ref: expect.stringMatching(`^${raised.id}:`) });
  expect(raised.messages).toHaveLength(1);
  const ref = posted.kind === "sent" ? posted.ref : "";
  expect(await room.edit(ref, RESOLVED)).toMatchObject({ kind: "failed", why: { kind: "message_gone" } });
});

test("a topic is written to, and its end is told from the chat's", async () => {
  const { api, group, roomIn } = await openRoom({ isForum: true });
  const [ann] = [api.person({ id: 7003, firstName: "Cid" })];
  expect(ann.id).toBe(7003);
  const first = group.opensTopic("first");
  const topic = group.opensTopic("alerts");
  expect(first).not.toBe(topic);
  const room = roomIn(`${group.id}/${topic}`);
  await room.post(FIRING);
  expect(await group.next("503")).toMatchObject({ threadId: topic });
  group.deletesTopic(topic);
  expect(await room.post(FIRING)).toMatchObject({ kind: "failed", why: { kind: "topic_gone" } });
});

test.each([
  ["kicked", (bench: Bench) => bench.group.stands("kicked")],
  ["too_many", (bench: Bench) => bench.api.faults.flood({ retryAfter: 8 })],
  ["unreachable", (bench: Bench) => bench.api.faults.restart()],
  ["unreachable", (bench: Bench) => bench.api.faults.rejectToken()],
  ["ambiguous", (bench: Bench) => bench.api.faults.loseResponse()],
  ["ambiguous", (bench: Bench) => bench.api.faults.badGateway()],
  [
    "bad_request",
    (bench: Bench) =>
      bench.api.faults.refuse({ error_code: 400, description: "Bad Request: BUTTON_DATA_INVALID" }),
  ],
] as const)("a post that ends as %s says so", async (kind, order) => {
  const bench = await openRoom();
  order(bench);
  const outcome = await bench.room.post(FIRING);
  expect(outcome).toMatchObject({ kind: "failed", why: { kind } });
  if (kind === "too_many") expect(outcome).toMatchObject({ why: { retryAfterMs: 8000 } });
});

test("a chat that does not exist, and a message that shows nothing", async () => {
  const { room, roomIn } = await openRoom();
  expect(await roomIn("-99").post(FIRING)).toMatchObject({ why: { kind: "chat_gone" } });
  expect(await room.post({ ...FIRING, text: md` ` })).toMatchObject({ why: { kind: "bad_request" } });
  expect(await room.edit("log:1", RESOLVED)).toMatchObject({ why: { kind: "message_gone" } });
});
