import { describe, expect, test } from "vitest";
import { ANN, BOB, EVE, GROUP, inGroup, message, NOON, press, update } from "../support/telegram-updates.ts";
import { type IntakeBench, openIntake } from "../support/telegram-intake.ts";

const texts = (bench: IntakeBench): string[] => bench.handed.map(({ text }) => text);

describe("stored before it is handed over", () => {
  test("words go to the core with their chat and who wrote them", async () => {
    await using bench = openIntake();
    bench.begin();
    bench.take(message({ text: "is example.com up?", message_id: 31 }));
    await bench.settle();
    expect(bench.handed).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-.{4}-7/),
        chat: "7001",
        person: "7001",
        name: "Ann Lee",
        text: "is example.com up?",
      },
    ]);
    expect(bench.asked).toEqual([{ id: bench.handed[0]?.id, chat: "7001", messageId: 31, isGroup: false }]);
  });

  test("T4 a kill right after a hundred updates came leaves none out", async () => {
    await using bench = openIntake();
    bench.take(...Array.from({ length: 100 }, (_, i) => message({ text: `question ${i}` })));
    bench.restart();
    bench.begin();
    await bench.settle();
    await bench.settle();
    expect(texts(bench)).toEqual(Array.from({ length: 100 }, (_, i) => `question ${i}`));
  });

  test("T1 what was handed over and is sent again by Telegram is handed over once, also after a restart", async () => {
    await using bench = openIntake();
    const raw = message({ text: "once" });
    bench.begin();
    bench.take(raw, raw);
    await bench.settle();
    bench.take(raw);
    bench.restart();
    bench.begin();
    bench.take(raw);
    await bench.settle();
    expect(texts(bench)).toEqual(["once"]);
  });

  test("T1 a kill between the handover and its record hands over under the same id", async () => {
    await using bench = openIntake();
    const raw = message({ text: "twice" });
    bench.accept = async () => bench.restart();
    bench.begin();
    bench.take(raw);
    await bench.settle();
    bench.accept = () => Promise.resolve();
    bench.begin();
    await bench.settle();
    expect(texts(bench)).toEqual(["twice", "twice"]);
    expect(new Set(bench.handed.map(({ id }) => id)).size).toBe(1);
  });

  test("T2 what a later update overtakes before a crash is handed over after it", async () => {
    await using bench = openIntake();
    bench.accept = ({ text }) => (text === "slow" ? new Promise(() => undefined) : Promise.resolve());
    bench.begin();
    bench.take(message({ text: "slow" }), message({ text: "fast" }, BOB));
    await bench.settle();
    expect(texts(bench)).toEqual(["fast"]);
    bench.restart();
    bench.accept = () => Promise.resolve();
    bench.begin();
    await bench.settle();
    expect(texts(bench)).toEqual(["fast", "slow"]);
  });

  test("T3 ids that begin again lower are new updates", async () => {
    await using bench = openIntake();
    bench.begin();
    bench.take({ ...message({ text: "high" }), update_id: 900_000 });
    bench.take({ ...message({ text: "low" }), update_id: 17 });
    await bench.settle();
    expect(texts(bench)).toEqual(["high", "low"]);
  });

  test("T7 a batch with things that nobody can read brings the rest", async () => {
    await using bench = openIntake();
    bench.begin();
    bench.take(
      update({ edited_message: { text: "x" } }),
      update({ telepathy: {} }),
      { nonsense: true },
      message({ text: "here" }),
      update({ message: 5 }),
    );
    await bench.settle();
    expect(texts(bench)).toEqual(["here"]);
  });
});

describe("each chat for itself", () => {
  test("a chat whose words cannot be recorded waits, keeps its order and holds up nobody", async () => {
    await using bench = openIntake();
    let isBroken = true;
    bench.accept = ({ chat }) =>
      chat === "7001" && isBroken ? Promise.reject(new Error("disk full")) : Promise.resolve();
    bench.begin();
    bench.take(
      message({ text: "1" }),
      message({ text: "2" }),
      message({ text: "a" }, BOB),
      message({ text: "b" }, BOB),
    );
    await bench.settle();
    expect(texts(bench)).toEqual(["a", "b"]);
    isBroken = false;
    bench.clock.advance(1_000);
    await bench.settle();
    expect(texts(bench)).toEqual(["a", "b", "1", "2"]);
  });

  test("three hundred queued words of one person let another's through after the first", async () => {
    await using bench = openIntake();
    bench.take(...Array.from({ length: 300 }, (_, i) => message({ text: `flood ${i}` })));
    bench.take(message({ text: "and me?" }, BOB));
    bench.begin();
    for (let i = 0; i < 30; i++) await bench.settle();
    expect(bench.handed).toHaveLength(301);
    expect(texts(bench).indexOf("and me?")).toBeLessThan(3);
  });

  test("closing hands nothing more over and keeps the rest", async () => {
    await using bench = openIntake();
    const under = Promise.withResolvers<void>();
    bench.accept = () => under.promise;
    bench.begin();
    bench.take(message({ text: "1" }), message({ text: "2" }));
    await bench.settle();
    const closed = bench.close();
    under.resolve();
    await closed;
    expect(texts(bench)).toEqual(["1"]);
    bench.restart();
    bench.begin();
    await bench.settle();
    expect(texts(bench)).toEqual(["1", "2"]);
  });

  test("closing does not wait for pieces, for a retry or for Telegram", async () => {
    await using bench = openIntake();
    bench.accept = () => Promise.reject(new Error("disk full"));
    bench.begin();
    bench.take(message({ text: "a".repeat(4_000) }), message({ text: "b" }, BOB), press("b1"));
    await bench.settle();
    await bench.close();
    expect(bench.handed).toEqual([]);
  });
});

describe("T8 what belongs together", () => {
  const long = (letter: string, length = 4_000): string => letter.repeat(length);

  test("a long paste in three messages is one request", async () => {
    await using bench = openIntake();
    bench.begin();
    bench.take(message({ text: long("a", 4_096) }));
    await bench.settle();
    bench.clock.advance(900);
    bench.take(message({ text: long("b") }));
    await bench.settle();
    bench.clock.advance(900);
    bench.take(message({ text: "c" }));
    await bench.settle();
    expect(texts(bench)).toEqual([`${long("a", 4_096)}${long("b")}\nc`]);
  });

  test("a long message that nothing follows is handed over after a second", async () => {
    await using bench = openIntake();
    bench.begin();
    bench.take(message({ text: long("a", 3_900) }));
    await bench.settle();
    bench.clock.advance(999);
    await bench.settle();
    expect(bench.handed).toHaveLength(0);
    bench.clock.advance(1);
    await bench.settle();
    expect(texts(bench)).toEqual([long("a", 3_900)]);
    bench.take(message({ text: "later" }));
    await bench.settle();
    expect(texts(bench)).toEqual([long("a", 3_900), "later"]);
  });

  test("a message that is shorter than a piece waits for nothing", async () => {
    await using bench = openIntake();
    bench.begin();
    bench.take(message({ text: long("a", 3_899) }), message({ text: "b" }));
    await bench.settle();
    expect(bench.handed).toHaveLength(2);
  });

  test("a piece never joins over another person, another chat, a command or a pause", async () => {
    await using bench = openIntake();
    bench.begin();
    const named = (text: string) => `@vox_bot ${text}`;
    // In one group: Ann's piece, something of Bob's that is not even for the bot, then Ann again.
    bench.take(
      inGroup(named(long("a"))),
      inGroup("lunch?", {}, BOB),
      inGroup("mine"),
      inGroup(named("next")),
    );
    bench.take(inGroup(named(long("b"))), inGroup(named("Bob here"), {}, BOB));
    bench.take(message({ text: long("c") }), message({ text: "d" }, BOB));
    await bench.settle();
    bench.take(message({ text: "/cancel", entities: [{ type: "bot_command", offset: 0, length: 7 }] }));
    bench.take(message({ text: long("e") }), message({ text: "f", date: NOON + 6 }));
    await bench.settle();
    expect(texts(bench).toSorted()).toEqual(
      [long("a"), "next", long("b"), "Bob here", long("c"), "d", "/cancel", long("e"), "f"].toSorted(),
    );
  });

  test("in a group the further pieces need not name the bot", async () => {
    await using bench = openIntake();
    bench.begin();
    bench.take(inGroup(`@vox_bot ${long("a")}`), inGroup("the end"));
    await bench.settle();
    expect(texts(bench)).toEqual([`${long("a")}\nthe end`]);
  });

  test("an album is one request with its caption, wherever that stands", async () => {
    await using bench = openIntake();
    bench.begin();
    const picture = (fields: object) => message({ photo: [{}], media_group_id: "g1", ...fields });
    bench.take(picture({}), picture({ caption: "what is broken here?" }), picture({}));
    await bench.settle();
    expect(bench.handed).toHaveLength(0);
    bench.clock.advance(1_000);
    await bench.settle();
    expect(texts(bench)).toEqual(["what is broken here?"]);
    expect(bench.told).toEqual([]);
  });

  test("an album without a caption is told once what can be read, and so is a single picture", async () => {
    await using bench = openIntake();
    bench.begin();
    bench.take(...[1, 2, 3].map(() => message({ photo: [{}], media_group_id: "g2" })));
    bench.take(message({ voice: {} }, BOB));
    bench.clock.advance(1_000);
    await bench.settle();
    expect(bench.told.map(([chat]) => chat).toSorted()).toEqual(["7001", "7002"]);
    expect(bench.told[0]?.[1]).toMatch(/^I can read text only/);
    expect(bench.handed).toEqual([]);
  });

  test("pieces that a kill left behind are joined at once", async () => {
    await using bench = openIntake();
    bench.begin();
    bench.take(message({ text: long("a") }));
    bench.take(message({ text: long("b") }));
    await bench.settle();
    bench.restart();
    bench.begin();
    await bench.settle();
    expect(texts(bench)).toEqual([`${long("a")}\n${long("b")}`]);
  });

  test("more than can be an envelope is refused with words, and the chat goes on", async () => {
    await using bench = openIntake();
    bench.begin();
    bench.take(
      ...Array.from({ length: 17 }, () => message({ text: long("a", 4_096) })),
      message({ text: "end" }),
    );
    bench.take(message({ text: "next" }));
    await bench.settle();
    expect(bench.told.map(([, text]) => text)).toEqual([expect.stringContaining("longer than 64 KiB")]);
    expect(texts(bench)).toEqual(["next"]);
  });
});

describe("who may use the bot", () => {
  const hint = { kind: "hint", text: "Ask the owner for a code." } as const;

  test("a stranger's words get the hint and go nowhere", async () => {
    await using bench = openIntake();
    const knocks: unknown[] = [];
    bench.knock = (channel, stranger) => {
      knocks.push([channel, stranger]);
      return knocks.length === 1 ? hint : { kind: "silent" };
    };
    bench.begin();
    bench.take(message({ text: "hello" }, EVE), message({ text: "hello?" }, EVE));
    await bench.settle();
    expect(bench.told).toEqual([["7666", "Ask the owner for a code."]]);
    expect(knocks[0]).toEqual(["telegram", { userId: "7666", name: "Eve", text: "hello" }]);
    expect(bench.handed).toEqual([]);
    expect(bench.asked).toEqual([]);
  });

  test("who is paired is welcomed, and the next words are heard", async () => {
    await using bench = openIntake();
    bench.knock = (_, { userId }) => {
      bench.people.add(userId);
      return { kind: "paired", text: "Welcome, Eve." };
    };
    bench.begin();
    bench.take(message({ text: "/pair 483-201" }, EVE), message({ text: "status" }, EVE));
    await bench.settle();
    expect(bench.told).toEqual([["7666", "Welcome, Eve."]]);
    expect(texts(bench)).toEqual(["status"]);
  });

  test("in a group a stranger gets nothing but for a command or the bot's name", async () => {
    await using bench = openIntake();
    bench.knock = () => hint;
    bench.begin();
    bench.take(
      inGroup("lunch?", {}, EVE),
      inGroup("me too", { reply_to_message: { from: { id: 123456789, is_bot: true } } }, EVE),
    );
    await bench.settle();
    expect(bench.told).toEqual([]);
    bench.take(inGroup("/status", {}, EVE), inGroup("@vox_bot hello", {}, EVE));
    await bench.settle();
    expect(bench.told.map(([chat]) => chat)).toEqual(["-4001", "-4001"]);
    expect(bench.handed).toEqual([]);
  });

  test("T11 a stranger's press is refused by a toast, and what the button means is not looked up", async () => {
    await using bench = openIntake();
    bench.buttons.set("b1", { kind: "say", text: "restart everything" });
    bench.begin();
    bench.take(press("b1", { id: "p1" }, EVE), press("wr.ack.5", { id: "p2" }, EVE));
    await bench.settle();
    expect(bench.answers).toEqual([
      ["p1", "You may not use this bot. Ask its owner to let you in."],
      ["p2", "You may not use this bot. Ask its owner to let you in."],
    ]);
    expect(bench.order.filter((what) => what.startsWith("looked"))).toEqual([]);
    expect(bench.handed).toEqual([]);
    expect(bench.told).toEqual([]);
  });
});

describe("presses", () => {
  test("T19 a press is answered first, then looked up, then handed over; that the answer came late is no matter", async () => {
    await using bench = openIntake();
    bench.buttons.set("b1", { kind: "say", text: "check example.com" });
    bench.begin();
    bench.take(press("b1", { id: "p1" }));
    await bench.settle();
    expect(bench.order).toEqual(["answerCallbackQuery p1", "looked up b1", "handed check example.com"]);
    expect(bench.answers).toEqual([["p1", undefined]]);
    expect(bench.handed).toMatchObject([{ chat: "7001", person: "7001" }]);
  });

  test("T19 a press is answered at once even while its chat waits", async () => {
    await using bench = openIntake();
    bench.accept = () => new Promise(() => undefined);
    bench.begin();
    bench.take(message({ text: "slow" }));
    await bench.settle();
    bench.take(press("b1", { id: "p1" }));
    expect(bench.answers).toEqual([["p1", undefined]]);
    bench.restart();
  });

  test("T18 what a button means is looked up in the store, and one that is gone is told so", async () => {
    await using bench = openIntake();
    bench.buttons.set("shown", { kind: "done" });
    bench.begin();
    bench.take(press("no such id"), press("shown"));
    await bench.settle();
    expect(bench.told).toEqual([["7001", "That button is out of date. Ask again to get a new one."]]);
    expect(bench.handed).toEqual([]);
  });

  test("the war room's buttons are commands in the chat of whoever presses, and need no look-up", async () => {
    await using bench = openIntake();
    bench.begin();
    bench.take(press("wr.ack.17", { message: { message_id: 9, date: NOON, chat: GROUP } }));
    await bench.settle();
    expect(bench.handed).toMatchObject([
      { chat: "-4001", person: "7001", text: "/incident_press wr.ack.17" },
    ]);
    expect(bench.order).not.toContain("looked up wr.ack.17");
  });

  test("T1 a press that Telegram repeats, and one that a kill left behind, are done once", async () => {
    await using bench = openIntake();
    bench.buttons.set("b1", { kind: "say", text: "go" });
    const raw = press("b1", { id: "p1" });
    bench.take(raw);
    bench.restart();
    bench.begin();
    bench.take(raw, raw);
    await bench.settle();
    expect(texts(bench)).toEqual(["go"]);
  });
});

describe("what is told of chats", () => {
  test("blocked, let in, moved, and written in again", async () => {
    await using bench = openIntake();
    bench.begin();
    const membership = (status: string) =>
      update({
        my_chat_member: {
          chat: { id: ANN.id, type: "private" },
          date: NOON,
          from: ANN,
          new_chat_member: { status },
        },
      });
    bench.take(membership("kicked"), membership("member"));
    bench.take(message({ chat: GROUP, migrate_to_chat_id: -1001234567890 }));
    bench.take(message({ text: "hi" }), inGroup("not for the bot"));
    expect(bench.chats).toEqual(["7001 shut", "7001 open", "-4001 is -1001234567890", "7001 open"]);
  });
});
