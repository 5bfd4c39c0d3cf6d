import { expect, test } from "vitest";
import { callBot } from "../support/bot-api/caller.ts";
import { createBotApi } from "../support/bot-api/index.ts";

const BOT = { token: "700100:AAE-secret_of-the-bot", username: "voxtree_bot", random: () => 0.5 };

test("a person writes, the bot polls and answers with a button, and the press comes back", async () => {
  await using api = await createBotApi(BOT);
  const ada = api.person({ id: 501, firstName: "Ada", username: "ada", languageCode: "en" });
  const chat = api.privateChat(ada);
  const polled = callBot(api, "getUpdates", { timeout: 30 });
  await api.called("getUpdates");
  chat.says(ada, "/status now");
  expect((await polled).result).toMatchObject([
    {
      update_id: 450_000_001,
      message: {
        message_id: 1,
        from: { id: 501, is_bot: false, first_name: "Ada", username: "ada", language_code: "en" },
        chat: { id: 501, type: "private", first_name: "Ada", username: "ada" },
        text: "/status now",
        entities: [{ type: "bot_command", offset: 0, length: 7 }],
      },
    },
  ]);

  const sent = await callBot(api, "sendMessage", {
    chat_id: 501,
    text: "<b>All</b> well",
    parse_mode: "HTML",
    reply_parameters: { message_id: 1 },
    reply_markup: { inline_keyboard: [[{ text: "Again", callback_data: "a1" }]] },
  });
  expect(sent.result).toMatchObject({ message_id: 2, text: "All well", reply_to_message: { message_id: 1 } });
  const seen = await chat.next("All well");
  expect(seen).toMatchObject({
    id: 2,
    isFromBot: true,
    entities: [{ type: "bold", offset: 0, length: 3 }],
    buttons: [["Again"]],
    replyTo: 1,
  });

  const toast = chat.presses(ada, seen, "Again");
  const { result } = await callBot(api, "getUpdates", { offset: 450_000_002, timeout: 30 });
  const [{ callback_query }] = result as [{ callback_query: { id: string; data: string } }];
  expect(callback_query).toMatchObject({ data: "a1", from: { id: 501 }, message: { message_id: 2 } });
  await callBot(api, "answerCallbackQuery", { callback_query_id: callback_query.id, text: "Asked" });
  expect(await toast).toEqual({ text: "Asked", isAlert: false });
});
