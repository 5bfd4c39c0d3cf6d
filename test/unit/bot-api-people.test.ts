import { describe, expect, test } from "vitest";
import { callBot } from "../support/bot-api/caller.ts";
import { createBotApi, type BotApi } from "../support/bot-api/index.ts";

const BOT = { token: "700100:AAE-secret_of-the-bot", username: "voxtree_bot" };

interface WrittenUpdate {
  readonly update_id: number;
  readonly message?: { readonly text?: string };
}

async function updates(api: BotApi): Promise<readonly WrittenUpdate[]> {
  return (await callBot(api, "getUpdates")).result as WrittenUpdate[];
}

describe("what people type", () => {
  test.each<[text: string, entities: readonly (readonly [type: string, offset: number, length: number])[]]>([
    ["/start", [["bot_command", 0, 6]]],
    ["🌳 /status@voxtree_bot now", [["bot_command", 3, 19]]],
    [
      "@voxtree_bot and /help",
      [
        ["mention", 0, 12],
        ["bot_command", 17, 5],
      ],
    ],
    ["ada@example.org, https://a.example/path, 1/2", []],
  ])("%s is marked as a client marks it", async (text, entities) => {
    await using api = await createBotApi(BOT);
    const ada = api.person({ id: 501, firstName: "Ada" });
    api.privateChat(ada).says(ada, text);
    expect(await updates(api)).toMatchObject([
      {
        message: {
          text,
          ...(entities.length > 0 && {
            entities: entities.map(([type, offset, length]) => ({ type, offset, length })),
          }),
        },
      },
    ]);
  });

  test("an album is several messages of one group, with photos and a caption", async () => {
    await using api = await createBotApi(BOT);
    const ada = api.person({ id: 501, firstName: "Ada" });
    const chat = api.privateChat(ada);
    chat.says(ada, "/report these", { mediaGroupId: "77" });
    chat.says(ada, "", { mediaGroupId: "77" });
    const told = await updates(api);
    expect(told).toMatchObject([
      {
        message: {
          media_group_id: "77",
          caption: "/report these",
          caption_entities: [{ type: "bot_command", offset: 0, length: 7 }],
          photo: [{ width: 90 }],
        },
      },
      { message: { media_group_id: "77", photo: [{ width: 90 }] } },
    ]);
    expect(told[1]?.message).not.toHaveProperty("caption");
    expect(told[1]?.message).not.toHaveProperty("text");
  });

  test("an edit is an update of its own kind", async () => {
    await using api = await createBotApi(BOT);
    const ada = api.person({ id: 501, firstName: "Ada" });
    const chat = api.privateChat(ada);
    const message = chat.says(ada, "statsu");
    chat.edits(ada, message, "status");
    expect(await updates(api)).toMatchObject([
      { message: { message_id: 1, text: "statsu" } },
      { edited_message: { message_id: 1, text: "status", edit_date: expect.any(Number) as number } },
    ]);
  });

  test("a message in a topic says so", async () => {
    await using api = await createBotApi({ ...BOT, canReadAll: true });
    const ada = api.person({ id: 501, firstName: "Ada" });
    const forum = api.group({ title: "Ops", members: [ada], isForum: true });
    const threadId = forum.opensTopic("Deploys");
    forum.says(ada, "hello", { threadId });
    expect(await updates(api)).toMatchObject([
      { message: { message_thread_id: threadId, is_topic_message: true, chat: { is_forum: true } } },
    ]);
  });
});

describe("privacy in a group", () => {
  const texts = ["hello all", "/status", "/start@other_bot", "@other_bot hi", "@VoxTree_Bot hi"];

  async function reached(canReadAll: boolean): Promise<unknown[]> {
    await using api = await createBotApi({ ...BOT, canReadAll });
    const ada = api.person({ id: 501, firstName: "Ada" });
    const group = api.group({ title: "Ops", members: [ada] });
    for (const text of texts) group.says(ada, text);
    await callBot(api, "sendMessage", { chat_id: group.id, text: "I am here" });
    group.says(ada, "good", { replyTo: await group.next("I am here") });
    group.says(ada, "not to you", { replyTo: { id: 1 } });
    return (await updates(api)).map(({ message }) => message?.text);
  }

  test("a bot sees commands, its mentions and replies to it", async () => {
    expect(await reached(false)).toEqual(["/status", "/start@other_bot", "@VoxTree_Bot hi", "good"]);
  });

  test("a bot that may read everything sees everything", async () => {
    expect(await reached(true)).toEqual([...texts, "good", "not to you"]);
  });
});

describe("presses", () => {
  const keyboard = {
    inline_keyboard: [[{ text: "Ack", callback_data: "a" }], [{ text: "Docs", url: "https://a.example/" }]],
  };

  test("a press by place in a group says who pressed what where", async () => {
    await using api = await createBotApi(BOT);
    const bob = api.person({ id: 502, firstName: "Bob" });
    const group = api.group({ title: "Ops", members: [bob] });
    await callBot(api, "sendMessage", { chat_id: group.id, text: "Down", reply_markup: keyboard });
    const toast = group.presses(bob, await group.next(), 0);
    const [update] = await updates(api);
    expect(update).toMatchObject({
      callback_query: { from: { id: 502 }, data: "a", message: { message_id: 1, chat: { id: group.id } } },
    });
    const { id } = (update as unknown as { callback_query: { id: string } }).callback_query;
    const answer = { callback_query_id: id, text: "Not yours", show_alert: true };
    expect((await callBot(api, "answerCallbackQuery", answer)).result).toBe(true);
    expect(await toast).toEqual({ text: "Not yours", isAlert: true });
  });

  test("an answer to an unknown press, or one that comes too late, is refused", async () => {
    await using api = await createBotApi(BOT);
    const ada = api.person({ id: 501, firstName: "Ada" });
    const chat = api.privateChat(ada, { isStarted: true });
    await callBot(api, "sendMessage", { chat_id: 501, text: "Down", reply_markup: keyboard });
    const toast = chat.presses(ada, { id: 1 }, "Ack");
    const [update] = await updates(api);
    const { id } = (update as unknown as { callback_query: { id: string } }).callback_query;
    api.expirePresses();
    expect(await toast).toBeUndefined();
    for (const callback_query_id of [id, "12345"]) {
      expect((await callBot(api, "answerCallbackQuery", { callback_query_id })).outcome).toEqual({
        ok: false,
        error_code: 400,
        description: "Bad Request: query is too old and response timeout expired or query ID is invalid",
      });
    }
  });

  test("nobody presses what is not there, what is a link, or in a group of others", async () => {
    await using api = await createBotApi(BOT);
    const ada = api.person({ id: 501, firstName: "Ada" });
    const eve = api.person({ id: 666, firstName: "Eve" });
    const chat = api.privateChat(ada, { isStarted: true });
    await callBot(api, "sendMessage", { chat_id: 501, text: "Down", reply_markup: keyboard });
    await expect(chat.presses(ada, { id: 1 }, "Mute")).rejects.toThrow(
      'No button Mute to press on #1 the bot: "Down" [Ack] [Docs]',
    );
    await expect(chat.presses(ada, { id: 1 }, "Docs")).rejects.toThrow("No button Docs");
    await expect(chat.presses(eve, { id: 1 }, "Ack")).rejects.toThrow("Eve is no member of chat 501");
  });
});

describe("waiting for what the bot does", () => {
  test("a message is given as it was when it was sent, then as it was edited and deleted", async () => {
    await using api = await createBotApi(BOT);
    const chat = api.privateChat(api.person({ id: 501, firstName: "Ada" }), { isStarted: true });
    const about = { chat_id: 501, message_id: 1 };
    await callBot(api, "sendMessage", { chat_id: 501, text: "⏳", disable_notification: true });
    await callBot(api, "editMessageText", { ...about, text: "Done" });
    await callBot(api, "deleteMessage", about);
    expect(await chat.next()).toMatchObject({ text: "⏳", isSilent: true, history: [] });
    expect(await chat.next(/^Do/)).toMatchObject({
      text: "Done",
      history: [{ text: "⏳" }],
      isDeleted: false,
    });
    expect(await chat.next(({ isDeleted }) => isDeleted)).toMatchObject({ id: 1 });
  });

  test("what comes later is waited for, and nothing is given twice", async () => {
    await using api = await createBotApi(BOT);
    const chat = api.privateChat(api.person({ id: 501, firstName: "Ada" }), { isStarted: true });
    await callBot(api, "sendMessage", { chat_id: 501, text: "Well" });
    expect(await chat.next("Well")).toMatchObject({ id: 1 });
    const second = chat.next("Well");
    await callBot(api, "sendMessage", { chat_id: 501, text: "Well" });
    expect(await second).toMatchObject({ id: 2 });
  });

  test("whoever waits in vain is told what there was", async () => {
    await using api = await createBotApi(BOT);
    const ada = api.person({ id: 501, firstName: "Ada" });
    const chat = api.privateChat(ada);
    chat.says(ada, "status");
    await callBot(api, "sendMessage", { chat_id: 501, text: "Fine", reply_parameters: { message_id: 1 } });
    await expect(chat.next("Broken", { timeoutMs: 1 })).rejects.toThrow(
      [
        "a message in chat 501 that is Broken did not come within 1 ms. There was:",
        '  #1 Ada: "status"',
        '  #2 the bot: "Fine" (reply to #1)',
      ].join("\n"),
    );
  });

  test("a call is found whether it came before or comes later", async () => {
    await using api = await createBotApi(BOT);
    const later = api.called("getChat", ({ status }) => status === 400);
    await callBot(api, "getMe");
    await callBot(api, "getchat", { chat_id: 5 });
    expect(await later).toMatchObject({ arguments: { chat_id: 5 } });
    expect(await api.called("getMe")).toMatchObject({ status: 200 });
    await expect(api.called("sendMessage", () => true, { timeoutMs: 1 })).rejects.toThrow(
      [
        "a call of sendMessage that suits did not come within 1 ms. There was:",
        "  getMe {} → 200",
        '  getchat {"chat_id":5} → 400',
      ].join("\n"),
    );
  });
});
