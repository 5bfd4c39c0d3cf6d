import { describe, expect, test } from "vitest";
import { callBot } from "../support/bot-api/caller.ts";
import { createBotApi, type BotApi, type Chat, type Person } from "../support/bot-api/index.ts";

const BOT = { token: "700100:AAE-secret_of-the-bot", username: "voxtree_bot" };

interface Scene extends AsyncDisposable {
  readonly api: BotApi;
  readonly ada: Person;
  readonly chat: Chat;
}

async function openScene(): Promise<Scene> {
  const api = await createBotApi(BOT);
  const ada = api.person({ id: 501, firstName: "Ada" });
  return {
    api,
    ada,
    chat: api.privateChat(ada, { isStarted: true }),
    [Symbol.asyncDispose]: () => api.close(),
  };
}

/** What the bot is told when it sends: "sent", or the description of the error. */
async function send(api: BotApi, given: Record<string, unknown>): Promise<string> {
  const { outcome } = await callBot(api, "sendMessage", { chat_id: 501, ...given });
  return outcome.ok ? "sent" : outcome.description;
}

describe("the limits of a text", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["4096 characters pass", { text: "x".repeat(4096) }, "sent"],
    ["4097 do not", { text: "x".repeat(4097) }, "Bad Request: message is too long"],
    ["4096 emoji pass, although they are twice as many UTF-16 units", { text: "🌳".repeat(4096) }, "sent"],
    ["4097 emoji do not", { text: "🌳".repeat(4097) }, "Bad Request: message is too long"],
    ["marks do not count", { text: `<b>${"x".repeat(4096)}</b>`, parse_mode: "HTML" }, "sent"],
    ["a character reference counts as one", { text: "&lt;".repeat(4096), parse_mode: "HTML" }, "sent"],
    [
      "32,768 bytes are looked at, and are too long in another way",
      { text: "x".repeat(32_768) },
      "Bad Request: message is too long",
    ],
    ["32,769 bytes are not even looked at", { text: "x".repeat(32_769) }, "Bad Request: text is too long"],
    ["no text", {}, "Bad Request: message text is empty"],
    ["only white space", { text: " \n\t " }, "Bad Request: text must be non-empty"],
    [
      "nothing but empty marks",
      { text: "<b> </b>", parse_mode: "HTML" },
      "Bad Request: text must be non-empty",
    ],
  ])("%s", async (_what, given, told) => {
    await using scene = await openScene();
    expect(await send(scene.api, given)).toBe(told);
    expect(scene.chat.messages).toHaveLength(told === "sent" ? 1 : 0);
  });
});

describe("HTML", () => {
  test.each<[text: string, what: string]>([
    ["<x>a</x>", 'Unsupported start tag "x" at byte offset 0'],
    ["é <x>", 'Unsupported start tag "x" at byte offset 3'],
    ["<b>a</a>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</a>"'],
    ["a</b>", "Unexpected end tag at byte offset 1"],
    ["ab <b", "Unclosed start tag at byte offset 3"],
    ['<a href="x', "Unclosed start tag at byte offset 0"],
  ])("%s is refused", async (text, what) => {
    await using scene = await openScene();
    expect(await send(scene.api, { text, parse_mode: "HTML" })).toBe(
      `Bad Request: can't parse entities: ${what}`,
    );
  });

  test("nested marks become entities whose offsets count UTF-16 units", async () => {
    await using scene = await openScene();
    await send(scene.api, {
      text: '🌳 <b>big <i>tree</i></b> &lt;3 <a href="https://a.example/?x=1&amp;y=2">here</a> <pre><code class="language-ts">x</code></pre>',
      parse_mode: "html",
    });
    expect(scene.chat.messages).toMatchObject([
      {
        text: "🌳 big tree <3 here x",
        entities: [
          { type: "bold", offset: 3, length: 8 },
          { type: "italic", offset: 7, length: 4 },
          { type: "text_link", offset: 15, length: 4, url: "https://a.example/?x=1&y=2" },
          { type: "pre", offset: 20, length: 1, language: "ts" },
        ],
      },
    ]);
  });
});

describe("MarkdownV2", () => {
  test.each<[text: string, what: string]>([
    ["Done.", "Character '.' is reserved and must be escaped with the preceding '\\'"],
    ["a-b", "Character '-' is reserved and must be escaped with the preceding '\\'"],
    ["é *bold", "Can't find end of Bold entity at byte offset 3"],
    ["_it", "Can't find end of Italic entity at byte offset 0"],
  ])("%s is refused", async (text, what) => {
    await using scene = await openScene();
    expect(await send(scene.api, { text, parse_mode: "MarkdownV2" })).toBe(
      `Bad Request: can't parse entities: ${what}`,
    );
  });

  test("marks become entities, and what is escaped is itself", async () => {
    await using scene = await openScene();
    await send(scene.api, {
      text: "*big _tree_* `a.b` [here](https://a.example/\\)) 1\\.5 ||no||",
      parse_mode: "MarkdownV2",
    });
    expect(scene.chat.messages).toMatchObject([
      {
        text: "big tree a.b here 1.5 no",
        entities: [
          { type: "bold", offset: 0, length: 8 },
          { type: "italic", offset: 4, length: 4 },
          { type: "code", offset: 9, length: 3 },
          { type: "text_link", offset: 13, length: 4, url: "https://a.example/)" },
          { type: "spoiler", offset: 22, length: 2 },
        ],
      },
    ]);
  });
});

describe("given entities", () => {
  test.each<[string, { offset: number; length: number }, string]>([
    ["around a pair", { offset: 1, length: 2 }, "sent"],
    ["up to the end", { offset: 0, length: 4 }, "sent"],
    [
      "that begin within a pair",
      { offset: 2, length: 1 },
      "Bad Request: entity begins in a middle of a UTF-16 symbol at byte offset 5",
    ],
    [
      "that end within a pair",
      { offset: 0, length: 2 },
      "Bad Request: entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 5",
    ],
    [
      "that end beyond the text",
      { offset: 3, length: 2 },
      "Bad Request: entity beginning at UTF-16 offset 3 ends after the end of the text at UTF-16 offset 5",
    ],
    ["of no length", { offset: 0, length: 0 }, "Bad Request: receive an entity with incorrect length 0"],
  ])("%s", async (_what, place, told) => {
    await using scene = await openScene();
    expect(await send(scene.api, { text: "a🌳b", entities: [{ type: "bold", ...place }] })).toBe(told);
  });

  test("half of a surrogate pair is no text", async () => {
    await using scene = await openScene();
    expect(await send(scene.api, { text: "a\uD83C" })).toBe("Bad Request: strings must be encoded in UTF-8");
  });
});

describe("keyboards", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["1 byte behind a button", { text: "Go", callback_data: "x" }, "sent"],
    ["64 bytes", { text: "Go", callback_data: "x".repeat(64) }, "sent"],
    ["65 bytes", { text: "Go", callback_data: "x".repeat(65) }, "Bad Request: BUTTON_DATA_INVALID"],
    [
      "22 characters of 66 bytes",
      { text: "Go", callback_data: "€".repeat(22) },
      "Bad Request: BUTTON_DATA_INVALID",
    ],
    ["nothing behind it", { text: "Go", callback_data: "" }, "Bad Request: BUTTON_DATA_INVALID"],
    ["a label alone", { text: "Go" }, "Bad Request: text buttons are unallowed in the inline keyboard"],
    ["a link", { text: "Go", url: "https://a.example/" }, "sent"],
  ])("%s", async (_what, button, told) => {
    await using scene = await openScene();
    expect(await send(scene.api, { text: "?", reply_markup: { inline_keyboard: [[button]] } })).toBe(told);
  });
});

describe("replies and topics", () => {
  test("a reply's target that is gone refuses the message, unless it may go without", async () => {
    await using scene = await openScene();
    const asked = scene.chat.says(scene.ada, "status");
    scene.chat.deletes(asked);
    expect(await send(scene.api, { text: "Well", reply_parameters: { message_id: 1 } })).toBe(
      "Bad Request: message to be replied not found",
    );
    const reply_parameters = { message_id: 1, allow_sending_without_reply: true };
    expect(await send(scene.api, { text: "Well", reply_parameters })).toBe("sent");
    expect(scene.chat.messages).toMatchObject([
      { id: 1, isDeleted: true },
      { id: 2, text: "Well", replyTo: undefined },
    ]);
  });

  test("a topic that is unknown or deleted, and thread 1 of a forum, are not found", async () => {
    await using scene = await openScene();
    const forum = scene.api.group({ title: "Ops", members: [scene.ada], isForum: true });
    const topic = forum.opensTopic("Deploys");
    const to = (message_thread_id: number): Promise<string> =>
      send(scene.api, { chat_id: forum.id, text: "Well", message_thread_id });
    expect(await to(topic)).toBe("sent");
    expect(forum.messages).toMatchObject([{ threadId: topic }]);
    expect(await to(1)).toBe("Bad Request: message thread not found");
    expect(await to(topic + 50)).toBe("Bad Request: message thread not found");
    forum.deletesTopic(topic);
    expect(await to(topic)).toBe("Bad Request: message thread not found");
    expect(forum.messages).toMatchObject([{ isDeleted: true }]);
  });

  test("a supergroup that is no forum ignores the thread", async () => {
    await using scene = await openScene();
    const group = scene.api.group({ title: "Ops", members: [], isSupergroup: true });
    expect(await send(scene.api, { chat_id: group.id, text: "Well", message_thread_id: 9 })).toBe("sent");
    expect(group.messages).toMatchObject([{ threadId: undefined }]);
  });
});

describe("where the bot may not write", () => {
  test.each<["blocked" | "deactivated" | "not started", string]>([
    ["blocked", "Forbidden: bot was blocked by the user"],
    ["deactivated", "Forbidden: user is deactivated"],
    ["not started", "Forbidden: bot can't initiate conversation with a user"],
  ])("a private chat that is %s", async (standing, description) => {
    await using scene = await openScene();
    scene.chat.stands(standing);
    const { status, outcome } = await callBot(scene.api, "sendMessage", { chat_id: 501, text: "Hello" });
    expect([status, outcome]).toEqual([403, { ok: false, error_code: 403, description }]);
    scene.chat.says(scene.ada, "Here I am");
    expect(await send(scene.api, { text: "Hello" })).toBe("sent");
  });

  test("somebody who never wrote", async () => {
    await using scene = await openScene();
    const bob = scene.api.person({ id: 502, firstName: "Bob" });
    const told = "Forbidden: bot can't initiate conversation with a user";
    expect(await send(scene.api, { chat_id: 502, text: "Hello" })).toBe(told);
    const chat = scene.api.privateChat(bob);
    expect(await send(scene.api, { chat_id: 502, text: "Hello" })).toBe(told);
    chat.says(bob, "/start");
    expect(await send(scene.api, { chat_id: 502, text: "Hello" })).toBe("sent");
  });

  test("a supergroup that threw it out", async () => {
    await using scene = await openScene();
    const group = scene.api.group({ title: "Ops", members: [scene.ada], isSupergroup: true });
    group.stands("kicked");
    expect(await send(scene.api, { chat_id: group.id, text: "Hello" })).toBe(
      "Forbidden: bot was kicked from the supergroup chat",
    );
    group.says(scene.ada, "/status");
    expect(scene.api.pending).toBe(0);
  });

  test("a group that was upgraded names the chat that it became", async () => {
    await using scene = await openScene();
    const group = scene.api.group({ title: "Ops", members: [scene.ada] });
    const upgraded = group.migrates();
    const old = await callBot(scene.api, "sendMessage", { chat_id: group.id, text: "Hello" });
    expect(old.outcome).toEqual({
      ok: false,
      error_code: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: { migrate_to_chat_id: upgraded.id },
    });
    expect(await send(scene.api, { chat_id: upgraded.id, text: "Hello" })).toBe("sent");
    expect((await callBot(scene.api, "getUpdates")).result).toMatchObject([
      { message: { chat: { id: group.id }, migrate_to_chat_id: upgraded.id } },
      { message: { chat: { id: upgraded.id, type: "supergroup" }, migrate_from_chat_id: group.id } },
    ]);
  });
});

describe("edits", () => {
  const NOT_MODIFIED =
    "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";
  const keyboard = { inline_keyboard: [[{ text: "Ack", callback_data: "a" }]] };

  async function edit(api: BotApi, given: Record<string, unknown>): Promise<string> {
    const method = given.text === undefined ? "editMessageReplyMarkup" : "editMessageText";
    const { outcome } = await callBot(api, method, { chat_id: 501, ...given });
    return outcome.ok ? "edited" : outcome.description;
  }

  test("a message takes its new look, and keeps the old one in its history", async () => {
    await using scene = await openScene();
    await send(scene.api, { text: "⏳", reply_markup: keyboard });
    expect(await edit(scene.api, { message_id: 1, text: "<b>Done</b>", parse_mode: "HTML" })).toBe("edited");
    expect(scene.chat.messages).toMatchObject([
      {
        text: "Done",
        entities: [{ type: "bold", offset: 0, length: 4 }],
        buttons: [],
        history: [{ text: "⏳", keyboard: [[{ text: "Ack" }]] }],
      },
    ]);
  });

  test("an edit that changes nothing is refused, one that changes the buttons alone is none of those", async () => {
    await using scene = await openScene();
    await send(scene.api, { text: "Down", reply_markup: keyboard });
    expect(await edit(scene.api, { message_id: 1, text: "Down", reply_markup: keyboard })).toBe(NOT_MODIFIED);
    expect(await edit(scene.api, { message_id: 1, reply_markup: keyboard })).toBe(NOT_MODIFIED);
    expect(await edit(scene.api, { message_id: 1, text: "Down" })).toBe("edited");
    expect(await edit(scene.api, { message_id: 1 })).toBe(NOT_MODIFIED);
  });

  test("what is not there or not the bot's own cannot be edited", async () => {
    await using scene = await openScene();
    scene.chat.says(scene.ada, "status");
    expect(await edit(scene.api, { message_id: 9, text: "x" })).toBe(
      "Bad Request: message to edit not found",
    );
    expect(await edit(scene.api, { message_id: 1, text: "x" })).toBe("Bad Request: message can't be edited");
    await send(scene.api, { text: "Well" });
    await callBot(scene.api, "deleteMessage", { chat_id: 501, message_id: 2 });
    expect(await edit(scene.api, { message_id: 2, text: "x" })).toBe(
      "Bad Request: message to edit not found",
    );
  });
});

test("message ids count within a chat", async () => {
  await using scene = await openScene();
  const bob = scene.api.person({ id: 502, firstName: "Bob" });
  scene.api.privateChat(bob, { isStarted: true });
  await send(scene.api, { text: "one" });
  await send(scene.api, { text: "two" });
  const { result } = await callBot(scene.api, "sendMessage", { chat_id: 502, text: "one" });
  expect(result).toMatchObject({ message_id: 1 });
  expect(scene.chat.messages.map(({ id }) => id)).toEqual([1, 2]);
});

test("a message is pinned, reacted to and deleted", async () => {
  await using scene = await openScene();
  scene.chat.says(scene.ada, "thanks");
  const about = { chat_id: 501, message_id: 1 };
  await callBot(scene.api, "pinChatMessage", about);
  await callBot(scene.api, "setMessageReaction", { ...about, reaction: [{ type: "emoji", emoji: "👍" }] });
  await callBot(scene.api, "deleteMessage", about);
  expect(scene.chat.messages).toMatchObject([{ isPinned: true, reactions: ["👍"], isDeleted: true }]);
});

describe("what the bot asks about", () => {
  test("a chat and who is in it", async () => {
    await using scene = await openScene();
    const group = scene.api.group({ title: "Ops", members: [scene.ada] });
    scene.api.person({ id: 502, firstName: "Bob" });
    expect((await callBot(scene.api, "getChat", { chat_id: group.id })).result).toMatchObject({
      id: group.id,
      type: "group",
      title: "Ops",
    });
    const standing = async (user_id: number): Promise<unknown> =>
      (await callBot(scene.api, "getChatMember", { chat_id: group.id, user_id })).result;
    expect(await standing(501)).toMatchObject({ status: "member", user: { first_name: "Ada" } });
    expect(await standing(502)).toMatchObject({ status: "left" });
    expect(await standing(700_100)).toMatchObject({ status: "member", user: { is_bot: true } });
  });
});

describe("the menu of commands", () => {
  const command = (name: string, description = "Says how things stand"): object => ({
    command: name,
    description,
  });

  test.each<[string, object[], string]>([
    ["100 commands", Array.from({ length: 100 }, (_, n) => command(`c${n}`)), "set"],
    ["101", Array.from({ length: 101 }, (_, n) => command(`c${n}`)), "Bad Request: BOT_COMMANDS_TOO_MUCH"],
    ["a name of 32 characters", [command("a_9".padEnd(32, "z"))], "set"],
    ["of 33", [command("a".repeat(33))], "Bad Request: BOT_COMMAND_INVALID"],
    ["a name with a capital", [command("Status")], "Bad Request: BOT_COMMAND_INVALID"],
    ["a description of 256 characters", [command("status", "x".repeat(256))], "set"],
    ["of 257", [command("status", "x".repeat(257))], "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID"],
    ["of none", [command("status", "")], "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID"],
  ])("%s", async (_what, commands, told) => {
    await using api = await createBotApi(BOT);
    const { outcome } = await callBot(api, "setMyCommands", { commands });
    expect(outcome.ok ? "set" : outcome.description).toBe(told);
  });

  test("each scope and language has one of its own", async () => {
    await using api = await createBotApi(BOT);
    const scope = { type: "chat", chat_id: 501 };
    await callBot(api, "setMyCommands", { commands: [command("status")] });
    await callBot(api, "setMyCommands", { commands: [command("estado")], language_code: "es" });
    await callBot(api, "setMyCommands", { commands: [command("mine")], scope });
    const names = async (given: Record<string, unknown>): Promise<unknown> =>
      (await callBot(api, "getMyCommands", given)).result;
    expect(await names({})).toMatchObject([{ command: "status" }]);
    expect(await names({ language_code: "es" })).toMatchObject([{ command: "estado" }]);
    expect(await names({ scope })).toMatchObject([{ command: "mine" }]);
    expect(await names({ language_code: "de" })).toEqual([]);
    expect(api.menu(scope)).toMatchObject([{ command: "mine" }]);
  });
});
