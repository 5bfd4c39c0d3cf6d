import { describe, expect, test } from "vitest";
import { NotDeliveredError } from "../../src/capabilities/comm-gateway/ports.ts";
import { openOutput, type OutputBench } from "../support/telegram-output.ts";

const CUT_OFF = "I was cut off while answering, and cannot tell whether it arrived.";
/** A reply of so many messages: each line fills more than half of one. */
const lines = (...names: string[]): string => names.map((name) => `${name} ${"x".repeat(3000)}`).join("\n");
const heads = (bench: OutputBench, chat = bench.chat): string[] =>
  bench.texts(chat).map((text) => text.replace(/ x+$/, ""));
const sends = (bench: OutputBench, chat = bench.chat): number =>
  bench.api.calls.filter(
    ({ method, arguments: given }) => method === "sendMessage" && Number(given.chat_id) === chat.id,
  ).length;

describe("a reply", () => {
  test("is there when it counts as delivered, its parts in their order", async () => {
    await using bench = await openOutput();
    await bench.deliver("r1", { text: lines("one", "two", "three"), verdict: "ok" });
    expect(heads(bench)).toEqual(["✅ one", "two", "three"]);
  });

  test("that comes once more is not sent once more, after a restart either", async () => {
    await using bench = await openOutput();
    await bench.deliver("r1", { text: "once" });
    await bench.deliver("r1", { text: "once" }, { isRepeat: true });
    await bench.restart();
    await bench.deliver("r1", { text: "once" }, { isRepeat: true });
    await bench.deliver("r2", { text: "twice" });
    expect(bench.texts()).toEqual(["once", "twice"]);
  });

  test("keeps its turn in its chat, however fast others come", async () => {
    await using bench = await openOutput();
    const names = Array.from({ length: 12 }, (_, n) => `reply ${n}`);
    await Promise.all(names.map((text) => bench.deliver(text, { text })));
    expect(bench.texts()).toEqual(names);
  });

  test("in a group answers the message that asked", async () => {
    await using bench = await openOutput();
    const group = bench.api.group({ title: "Shop", members: [bench.ann] });
    const { id } = group.says(bench.ann, "@voxtree_bot is it up?");
    bench.output.asked({ id: "r1", chat: String(group.id), messageId: id, isGroup: true });
    await bench.deliver("r1", { text: lines("one", "two") }, { chat: String(group.id) });
    expect(group.messages.filter(({ isFromBot }) => isFromBot).map(({ replyTo }) => replyTo)).toEqual([
      id,
      undefined,
    ]);
  });

  test("goes to the topic in which it was asked", async () => {
    await using bench = await openOutput();
    const forum = bench.api.group({ title: "Shop", members: [bench.ann], isForum: true });
    forum.says(bench.ann, "hello");
    const topic = forum.opensTopic("ops");
    await bench.deliver("r1", { text: "here" }, { chat: `${forum.id}/${topic}` });
    expect(await forum.next("here")).toMatchObject({ threadId: topic });
    forum.deletesTopic(topic);
    await bench.deliver("r2", { text: "there" }, { chat: `${forum.id}/${topic}` });
    expect(await forum.next("there")).toMatchObject({ threadId: undefined });
  });

  test("that says nothing is a message all the same", async () => {
    await using bench = await openOutput();
    await bench.deliver("r1", { text: "  \n" });
    expect(bench.texts()).toEqual(["(This answer has no words.)"]);
  });
});

describe("what Telegram refuses", () => {
  test("T13 a part is recorded and told; those before it are not sent again, those after it are, and it is not tried again", async () => {
    await using bench = await openOutput();
    bench.api.faults.refuse({
      error_code: 400,
      description: "Bad Request: MESSAGE_SOMETHING_WRONG",
      where: ({ arguments: { text } }) => String(text).startsWith("two"),
      times: Infinity,
    });
    await bench.deliver("r1", { text: lines("one", "two", "three") });
    expect(heads(bench)).toEqual([
      "one",
      "⚠️ Telegram refused a part of this answer, and it is missing here (400 Bad Request: MESSAGE_SOMETHING_WRONG).\nE_NOT_SHOWN",
      "three",
    ]);
    expect(sends(bench)).toBe(4);
    expect(bench.log.filter(({ level }) => level === "error")).toMatchObject([
      { facts: { requestId: "r1", why: "400 Bad Request: MESSAGE_SOMETHING_WRONG" } },
    ]);
    expect(bench.output.health()).toMatchObject({ open: 0, failed: 1 });
    await bench.restart();
    await bench.deliver("r1", { text: lines("one", "two", "three") }, { isRepeat: true });
    expect(sends(bench)).toBe(4);
  });

  test("T13 the word about it is refused as well: that is the end of it", async () => {
    await using bench = await openOutput();
    const fault = bench.api.faults.refuse({
      error_code: 400,
      description: "Bad Request: MESSAGE_SOMETHING_WRONG",
      times: Infinity,
    });
    await bench.deliver("r1", { text: "one" });
    expect(fault.met).toBe(2);
    expect(bench.output.health()).toMatchObject({ open: 0, failed: 2 });
  });

  test.each([
    ["its looks", "Bad Request: can't parse entities: ENTITY_BOUNDS_INVALID", "entities"],
    ["its buttons", "Bad Request: BUTTON_DATA_INVALID", "reply_markup"],
  ])("a part that fails by %s goes without them", async (_, description, field) => {
    await using bench = await openOutput();
    bench.api.faults.refuse({
      error_code: 400,
      description,
      where: ({ arguments: given }) =>
        Array.isArray(given[field]) ? given[field].length > 0 : field in given,
      times: Infinity,
    });
    await bench.deliver("r1", {
      text: { markup: [{ bold: "up" }] },
      buttons: [{ label: "Again", say: "again" }],
    });
    expect(bench.texts()).toEqual(["up"]);
    expect(sends(bench)).toBe(2);
  });

  test("T15 a message that was to be answered and is gone: the reply comes without it", async () => {
    await using bench = await openOutput();
    const group = bench.api.group({ title: "Shop", members: [bench.ann] });
    const asking = group.says(bench.ann, "@voxtree_bot is it up?");
    bench.output.asked({ id: "r1", chat: String(group.id), messageId: asking.id, isGroup: true });
    group.deletes(asking);
    await bench.deliver("r1", { text: "it is" }, { chat: String(group.id) });
    expect(await group.next("it is")).toMatchObject({ replyTo: undefined });
    expect(sends(bench, group)).toBe(1);
  });

  test("T15 a server that does not know the permission to leave it out", async () => {
    await using bench = await openOutput();
    const group = bench.api.group({ title: "Shop", members: [bench.ann] });
    bench.output.asked({ id: "r1", chat: String(group.id), messageId: 77, isGroup: true });
    bench.api.faults.refuse({
      error_code: 400,
      description: "Bad Request: message to be replied not found",
      where: ({ arguments: given }) => "reply_parameters" in given,
      times: Infinity,
    });
    await bench.deliver("r1", { text: "it is" }, { chat: String(group.id) });
    expect(bench.texts(group)).toEqual(["it is"]);
  });
});

describe("waiting", () => {
  test("T14 a flood wait holds up its own chat alone, and each message goes once", async () => {
    await using bench = await openOutput();
    const flood = bench.api.faults.flood({ chat: bench.chat, retryAfter: 8 });
    const began = bench.now();
    const slow = ["1", "2", "3"].map((text) => bench.deliver(`slow ${text}`, { text }));
    await flood.happened();
    await bench.deliver("fast", { text: "fast" }, { chat: String(bench.other.id) });
    expect(bench.texts()).toEqual([]);
    await Promise.all(slow);
    expect(bench.texts()).toEqual(["1", "2", "3"]);
    expect(sends(bench)).toBe(4);
    const [refused, again] = bench.api.calls.filter(
      ({ arguments: given }) => Number(given.chat_id) === bench.chat.id,
    );
    // The server's clock is the machine's, and the bot's goes 40 times as fast.
    expect(((again?.at ?? 0) - (refused?.at ?? 0)) * 40).toBeGreaterThanOrEqual(8000 - 40);
    expect(bench.now() - began).toBeGreaterThanOrEqual(8000);
  });

  test("T14 a kill during the wait: all of it after the restart, in its order, and no word about it", async () => {
    await using bench = await openOutput();
    const flood = bench.api.faults.flood({ retryAfter: 600 });
    void bench.deliver("r1", { text: lines("one", "two") });
    await flood.happened();
    await bench.api.called("sendMessage", ({ status }) => status === 429);
    await expect
      .poll(() => bench.db.prepare("SELECT state FROM part ORDER BY n").all())
      .toEqual([{ state: "ready" }, { state: "ready" }]);
    await bench.restart();
    await bench.deliver("r1", { text: lines("one", "two") }, { isRepeat: true });
    expect(heads(bench)).toEqual(["one", "two"]);
  });

  test.each(["restart", "refused connection"] as const)(
    "a server that was certainly not reached (%s) is tried again",
    async (kind) => {
      await using bench = await openOutput();
      if (kind === "restart") bench.api.faults.restart({ times: 3 });
      else bench.api.faults.refuse({ error_code: 503, description: "Service Unavailable", times: 3 });
      await bench.deliver("r1", { text: "late" });
      expect(bench.texts()).toEqual(["late"]);
      expect(sends(bench)).toBe(4);
    },
  );

  test("a burst to a group is spread over time, a few messages to a person are not", async () => {
    await using bench = await openOutput();
    const group = bench.api.group({ title: "Shop", members: [bench.ann] });
    const began = bench.now();
    await Promise.all(["1", "2", "3", "4"].map((text) => bench.deliver(text, { text })));
    expect(bench.now() - began).toBeLessThan(3000);
    await Promise.all(
      Array.from({ length: 9 }, (_, n) =>
        bench.deliver(`g${n}`, { text: `g${n}` }, { chat: String(group.id) }),
      ),
    );
    expect(bench.now() - began).toBeGreaterThanOrEqual(9000);
  });
});

describe("chats that change", () => {
  test("T16 a group that became a supergroup is followed, once and for all", async () => {
    await using bench = await openOutput();
    const group = bench.api.group({ title: "Shop", members: [bench.ann] });
    const raised = group.migrates({ isTold: false });
    await bench.deliver("r1", { text: lines("one", "two") }, { chat: String(group.id) });
    expect(heads(bench, raised)).toEqual(["one", "two"]);
    expect(sends(bench, group)).toBe(1);
    await bench.restart();
    await bench.deliver("r2", { text: "three" }, { chat: String(group.id) });
    expect(heads(bench, raised)).toEqual(["one", "two", "three"]);
    expect(sends(bench, group)).toBe(1);
  });

  test("T17 a chat that has blocked the bot is left alone until somebody writes there, and nobody else notices", async () => {
    await using bench = await openOutput();
    bench.chat.stands("blocked");
    await bench.deliver("r1", { text: lines("one", "two") });
    await bench.deliver("r2", { text: "three" });
    await bench.deliver("r3", { text: "mine" }, { chat: String(bench.other.id) });
    expect(sends(bench)).toBe(1);
    expect(bench.texts(bench.other)).toEqual(["mine"]);
    expect(bench.output.health()).toMatchObject({ open: 0, failed: 3 });
    expect(bench.log.filter(({ level }) => level === "warn")).toMatchObject([
      { facts: { chat: 7001, why: "403 Forbidden: bot was blocked by the user", lostReplies: 1 } },
      { facts: { requestId: "r2" } },
    ]);
    await bench.restart();
    await bench.deliver("r4", { text: "four" });
    expect(sends(bench)).toBe(1);
    bench.chat.stands("welcome");
    bench.output.opened(bench.chat.id);
    await bench.deliver("r5", { text: "five" });
    expect(bench.texts()).toEqual(["five"]);
  });
});

describe("T22 what may have arrived", () => {
  test.each(["loseResponse", "cut", "badGateway"] as const)(
    "is not sent twice (%s): a line says so",
    async (kind) => {
      await using bench = await openOutput();
      bench.api.faults[kind]();
      await bench.deliver("r1", { text: "answer" });
      expect(bench.texts()).toEqual(kind === "loseResponse" ? ["answer", CUT_OFF] : [CUT_OFF]);
      expect(bench.api.calls.filter(({ arguments: given }) => given.text === "answer")).toHaveLength(1);
    },
  );

  test("the rest of the reply follows, and the line stands where the part is missing", async () => {
    await using bench = await openOutput();
    bench.api.faults.cut({ where: ({ arguments: { text } }) => String(text).startsWith("two") });
    await bench.deliver("r1", { text: lines("one", "two", "three") });
    expect(heads(bench)).toEqual(["one", CUT_OFF, "three"]);
  });

  test("the button under the line shows that very part, once, and the line loses it", async () => {
    await using bench = await openOutput();
    bench.api.faults.cut({ where: ({ arguments: { text } }) => text === "the answer" });
    await bench.deliver("r1", { text: "the answer", buttons: [{ label: "More", say: "more" }] });
    await bench.deliver("r2", { text: "another" });
    const [line] = bench.chat.messages;
    expect(line?.buttons).toEqual([["Show again"]]);
    const payload = line?.keyboard[0]?.[0]?.callback_data ?? "";
    expect(bench.output.press(payload, String(bench.chat.id))).toEqual({ kind: "done" });
    expect(bench.output.press(payload, String(bench.chat.id))).toEqual({ kind: "gone" });
    await bench.chat.next(({ text, buttons }) => text === CUT_OFF && buttons.length === 0);
    const shown = await bench.chat.next("the answer");
    expect(shown.buttons).toEqual([["More"]]);
    await bench.deliver("r3", { text: "end" });
    expect(bench.texts()).toEqual([CUT_OFF, "another", "the answer", "end"]);
    const more = shown.keyboard[0]?.[0]?.callback_data ?? "";
    expect(bench.output.press(more, String(bench.chat.id))).toEqual({ kind: "say", text: "more" });
  });

  test("the line itself is never sent twice", async () => {
    await using bench = await openOutput();
    bench.api.faults.loseResponse({ times: Infinity });
    await bench.deliver("r1", { text: "answer" });
    expect(bench.texts()).toEqual(["answer", CUT_OFF]);
    expect(sends(bench)).toBe(2);
  });

  test.each([true, false])(
    "killed while sending (applied: %s): the line after the restart, and nothing twice",
    async (isApplied) => {
      await using bench = await openOutput();
      const hang = bench.api.faults.hang({ isApplied });
      void bench.deliver("r1", { text: lines("one", "two") });
      await hang.happened();
      await bench.restart();
      hang.end();
      await bench.deliver("r1", { text: lines("one", "two") }, { isRepeat: true });
      expect(heads(bench)).toEqual(isApplied ? ["one", CUT_OFF, "two"] : [CUT_OFF, "two"]);
    },
  );
});

describe("what is still owed", () => {
  test("a refused token: who delivers hears that it is owed, and all of it goes once the token works", async () => {
    await using bench = await openOutput();
    const refusal = bench.api.faults.rejectToken();
    await expect(bench.deliver("r1", { text: "one" })).rejects.toThrow(NotDeliveredError);
    await expect(bench.deliver("r2", { text: "two" })).rejects.toThrow(NotDeliveredError);
    expect(bench.api.calls).toHaveLength(1);
    expect(bench.output.health()).toEqual({ isHalted: true, open: 2, failed: 0 });
    refusal.end();
    bench.output.resume();
    await Promise.all([bench.deliver("r1", { text: "one" }), bench.deliver("r2", { text: "two" })]);
    expect(bench.texts()).toEqual(["one", "two"]);
    expect(bench.output.health()).toEqual({ isHalted: false, open: 0, failed: 0 });
  });

  test("a close during a wait: it is owed, and goes after the next start", async () => {
    await using bench = await openOutput();
    const flood = bench.api.faults.flood({ retryAfter: 600 });
    const delivery = bench.deliver("r1", { text: "one" });
    const refused = expect(delivery).rejects.toThrow(NotDeliveredError);
    await flood.happened();
    await bench.output.close(1000);
    await refused;
    await expect(bench.deliver("r2", { text: "two" })).rejects.toThrow(NotDeliveredError);
    await bench.restart();
    await Promise.all([bench.deliver("r1", { text: "one" }), bench.deliver("r2", { text: "two" })]);
    expect(bench.texts()).toEqual(["one", "two"]);
  });

  test("a close lets the call that is out come to its end", async () => {
    await using bench = await openOutput();
    const delivery = bench.deliver("r1", { text: "one" });
    await bench.api.called("sendMessage");
    await bench.output.close(60_000);
    await delivery;
    expect(bench.texts()).toEqual(["one"]);
  });

  test("a close ends a call that does not come back, and the next start says so", async () => {
    await using bench = await openOutput();
    const hang = bench.api.faults.hang();
    const refused = expect(bench.deliver("r1", { text: "one" })).rejects.toThrow(NotDeliveredError);
    await hang.happened();
    await bench.output.close(1000);
    await refused;
    await bench.restart();
    await bench.deliver("r1", { text: "one" }, { isRepeat: true });
    expect(bench.texts()).toEqual([CUT_OFF]);
  });
});
