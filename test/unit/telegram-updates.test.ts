import { describe, expect, test } from "vitest";
import { timeOfId } from "../../src/envelope/ids.ts";
import { readUpdate, type Reading } from "../../src/capabilities/comm-gateway/telegram/updates.ts";
import {
  ANN,
  entitiesOf,
  FORUM,
  GROUP,
  inGroup,
  message,
  NOON,
  press,
  SELF,
  update,
} from "../support/telegram-updates.ts";

const read = (raw: unknown): Reading => readUpdate(raw, SELF);
const idOf = (reading: Reading): string | undefined => ("id" in reading ? reading.id : undefined);

describe("ids", () => {
  const one = {
    update_id: 9,
    message: { message_id: 4, date: NOON, chat: { id: 7001, type: "private" }, from: ANN, text: "hi" },
  };

  test("T1 a repeated update has the id that it had, and the id tells when the words were written", () => {
    const id = idOf(read(one));
    expect(id).toBe(idOf(read(structuredClone(one))));
    expect(timeOfId(id ?? "")).toBe(1_772_366_400_000);
  });

  test("T3 the same numbers from another bot, or for another message, make another id", () => {
    const ids = [
      idOf(read(one)),
      idOf(readUpdate(one, { ...SELF, id: 42 })),
      idOf(read({ ...one, update_id: 10 })),
      idOf(read({ ...one, message: { ...one.message, message_id: 5 } })),
      idOf(read({ ...one, message: { ...one.message, chat: { id: 7002, type: "private" } } })),
    ];
    expect(new Set(ids).size).toBe(5);
  });

  test("a press is known by its callback query", () => {
    const raw = press("abc");
    expect(idOf(read(raw))).toBe(idOf(read({ ...raw, update_id: 1 })));
    expect(idOf(read(raw))).not.toBe(idOf(read(press("abc"))));
  });
});

describe("T7 every kind of update has its policy", () => {
  test.each([
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "business_connection",
    "business_message",
    "edited_business_message",
    "deleted_business_messages",
    "message_reaction",
    "inline_query",
    "poll_answer",
    "chat_member",
    "chat_join_request",
  ])("%s is ignored by name", (kind) => {
    const reading = read(update({ [kind]: { anything: [1, null] } }));
    expect(reading).toMatchObject({ kind: "ignored", why: expect.stringContaining(`${kind}: `) });
    expect(reading).not.toHaveProperty("isStrange");
  });

  test.each([
    ["a kind that is not known", update({ telepathy: {} })],
    ["a kind called like something of every object", update({ constructor: {} })],
    ["a message without a chat", update({ message: { message_id: 1, date: NOON } })],
    ["a message that is none", update({ message: "hi" })],
    ["a press without its person", update({ callback_query: { id: "1" } })],
    ["an update without an id", { message: {} }],
    ["something that is no update", null],
  ])("%s is ignored and told", (_, raw) => {
    expect(read(raw)).toMatchObject({ kind: "ignored", isStrange: true });
  });

  test("blocking, adding and removing the bot is news of the chat", () => {
    const membership = (status: string) =>
      read(update({ my_chat_member: { chat: GROUP, date: NOON, from: ANN, new_chat_member: { status } } }));
    expect(membership("kicked")).toMatchObject({ kind: "membership", chatId: -4001, isOpen: false });
    expect(membership("left")).toMatchObject({ isOpen: false });
    expect(membership("member")).toMatchObject({ isOpen: true });
  });

  test("T16 a group that became a supergroup says so from both sides", () => {
    const moved = { kind: "moved", from: -4001, to: -1001234567890 };
    expect(read(message({ chat: GROUP, migrate_to_chat_id: -1001234567890 }))).toEqual(moved);
    expect(read(message({ chat: FORUM, migrate_from_chat_id: -4001 }))).toEqual(moved);
  });

  test("words of bots, of channels and of nobody in particular are nobody's", () => {
    expect(read(message({ text: "hi", from: { ...ANN, is_bot: true } }))).toMatchObject({ kind: "ignored" });
    expect(read(inGroup("/status", { sender_chat: GROUP }))).toMatchObject({ kind: "ignored" });
    expect(read(message({ text: "hi", from: undefined }))).toMatchObject({ kind: "ignored" });
    expect(read(message({ new_chat_title: "New" }))).toMatchObject({ kind: "ignored" });
  });
});

describe("to whom words go in a group", () => {
  test.each([
    ["by the name in front", "@vox_bot is example.com up?", "is example.com up?"],
    ["by the name in the middle", "hey @vox_bot, is it up?", "hey is it up?"],
    ["by the name at the end", "is it up? @vox_bot", "is it up?"],
    ["by the name in other letters", "@Vox_Bot: status", "status"],
    ["by a command", "/status now", "/status now"],
    ["by a command with the name", "/status@vox_bot now", "/status now"],
    ["by a command with the name further on", "please /status@Vox_Bot", "please /status"],
    ["by the name alone", "@vox_bot", ""],
  ])("%s", (_, text, words) => {
    expect(read(inGroup(text))).toMatchObject({
      kind: "words",
      isAddressed: true,
      isCalled: true,
      text: words,
    });
  });

  test("offsets count UTF-16 units, so emoji before the name do not matter", () => {
    expect(read(inGroup("👩‍👩‍👧‍👦🔥 @vox_bot status"))).toMatchObject({ isAddressed: true, text: "👩‍👩‍👧‍👦🔥 status" });
  });

  test("by a mention of a person without a user name, which carries the id", () => {
    const entities = [{ type: "text_mention", offset: 0, length: 3, user: { id: SELF.id } }];
    expect(read(inGroup("Vox status", { entities }))).toMatchObject({ isAddressed: true, text: "status" });
  });

  test("by the caption of a picture", () => {
    const caption = "@vox_bot what is this?";
    const fields = {
      caption,
      caption_entities: entitiesOf(caption),
      photo: [{}],
      text: undefined,
      entities: undefined,
    };
    expect(read(inGroup("", fields))).toMatchObject({
      isAddressed: true,
      text: "what is this?",
      hasMedia: true,
    });
  });

  test("by an answer to one of the bot's messages", () => {
    const from = { id: SELF.id, is_bot: true };
    expect(read(inGroup("and now?", { reply_to_message: { from } }))).toMatchObject({
      isAddressed: true,
      isCalled: false,
    });
    // What opens a topic is answered by everything in the topic.
    const opening = { from, forum_topic_created: { name: "Shop" } };
    expect(read(inGroup("lunch?", { reply_to_message: opening }))).toMatchObject({ isAddressed: false });
    expect(read(inGroup("no", { reply_to_message: { from: ANN } }))).toMatchObject({ isAddressed: false });
  });

  test("not by talk, by another's name or by an address that looks like the name", () => {
    expect(read(inGroup("lunch?"))).toMatchObject({ isAddressed: false });
    expect(read(inGroup("@vox_bot2 status"))).toMatchObject({ isAddressed: false });
    expect(
      read(inGroup("mail x@vox_bot", { entities: [{ type: "email", offset: 5, length: 9 }] })),
    ).toMatchObject({
      isAddressed: false,
    });
  });

  test("T9 a command for another bot is ignored, even as an answer to this one", () => {
    const reply = { reply_to_message: { from: { id: SELF.id, is_bot: true } } };
    expect(read(inGroup("/start@OtherBot"))).toMatchObject({ kind: "ignored" });
    expect(read(inGroup("/start@OtherBot", reply))).toMatchObject({ kind: "ignored" });
    expect(read(inGroup("/start@vox_bot2"))).toMatchObject({ kind: "ignored" });
    expect(read(inGroup("/start@Vox_Bot"))).toMatchObject({ isAddressed: true, text: "/start" });
  });

  test("entities that lie beyond the text or cut a character do no harm", () => {
    const entities = [
      { type: "mention", offset: 900, length: 8 },
      { type: "bot_command", offset: 1, length: 900 },
    ];
    expect(read(inGroup("🔥 hi", { entities }))).toMatchObject({ kind: "words", text: "🔥 hi" });
    expect(read(inGroup("hi", { entities: [{ type: 3 }] }))).toMatchObject({ kind: "words", text: "hi" });
  });
});

describe("where words come from", () => {
  test("a topic of a forum is a chat of its own; the general one and plain threads are not", () => {
    const chatOf = (fields: object) => read(inGroup("/status", { chat: FORUM, ...fields }));
    expect(chatOf({ message_thread_id: 12, is_topic_message: true })).toMatchObject({
      chat: "-1001234567890/12",
    });
    expect(chatOf({ message_thread_id: 1, is_topic_message: true })).toMatchObject({
      chat: "-1001234567890",
    });
    expect(chatOf({ message_thread_id: 12 })).toMatchObject({ chat: "-1001234567890" });
    const from = { message_id: 5, chat: FORUM, message_thread_id: 12, is_topic_message: true };
    expect(read(press("x", { message: from }))).toMatchObject({ chat: "-1001234567890/12", isGroup: true });
  });

  test("half of a character, which no reader could store, is mended", () => {
    expect(read(message({ text: "a\ud83d" }))).toMatchObject({ text: "a\ufffd" });
  });

  test("a press of an inline message, or without anything behind it, is ignored", () => {
    expect(read(press("x", { message: undefined, inline_message_id: "1" }))).toMatchObject({
      kind: "ignored",
    });
    expect(read(press("x", { data: undefined, game_short_name: "g" }))).toMatchObject({ kind: "ignored" });
  });
});
