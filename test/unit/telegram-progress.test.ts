import { describe, expect, test } from "vitest";
import { openOutput, type OutputBench } from "../support/telegram-output.ts";

function ask(bench: OutputBench, id: string, chat = bench.chat): void {
  const isGroup = chat.id < 0;
  const said = chat.says(bench.ann, "@voxtree_bot is it up?");
  bench.output.asked({ id, chat: String(chat.id), messageId: said.id, isGroup });
}

const typed = (bench: OutputBench): number =>
  bench.api.calls.filter(({ method }) => method === "sendChatAction").length;
/** Resolves when so much of the bot's time has passed. */
async function pass(bench: OutputBench, ms: number): Promise<void> {
  const until = bench.now() + ms;
  await expect.poll(() => bench.now() >= until, { interval: 5, timeout: 20_000 }).toBe(true);
}

/** Resolves when the bot knows of its own progress message. */
async function noted(bench: OutputBench, id: number): Promise<void> {
  const read = bench.db.prepare("SELECT progress FROM asked");
  await expect.poll(() => read.get(), { interval: 5, timeout: 20_000 }).toEqual({ progress: id });
}

describe("while work runs", () => {
  test("T20 the typing sign comes at once and again until the reply is there, and then no more", async () => {
    await using bench = await openOutput();
    ask(bench, "r1");
    await bench.api.called("sendChatAction", ({ arguments: given }) => given.action === "typing");
    await expect.poll(() => typed(bench), { interval: 5, timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    await bench.deliver("r1", { text: "it is" });
    const before = typed(bench);
    await pass(bench, 20_000);
    expect(typed(bench)).toBe(before);
  });

  test("two requests of a chat make one sign, which stays until both have their reply", async () => {
    await using bench = await openOutput();
    ask(bench, "r1");
    ask(bench, "r2");
    await bench.deliver("r1", { text: "one" });
    await expect.poll(() => typed(bench), { interval: 5, timeout: 20_000 }).toBe(2);
    await bench.deliver("r2", { text: "two" });
    // Calls are noted when they arrive, and some take longer on their way than others.
    const times = bench.api.calls.filter(({ method }) => method === "sendChatAction").map(({ at }) => at);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(4500 / 40 / 2);
  });

  test.each([
    [401, "Unauthorized"],
    [403, "Forbidden: bot was blocked by the user"],
  ])("T20 the sign stops at a %i", async (error_code, description) => {
    await using bench = await openOutput();
    bench.api.faults.refuse({ method: "sendChatAction", error_code, description, times: Infinity });
    ask(bench, "r1");
    await bench.api.called("sendChatAction", ({ status }) => status === error_code);
    await pass(bench, 20_000);
    expect(typed(bench)).toBe(1);
  });

  test("T20 the sign stops although no reply ever comes", async () => {
    await using bench = await openOutput();
    ask(bench, "r1");
    await pass(bench, 185_000);
    const before = typed(bench);
    await pass(bench, 20_000);
    expect(typed(bench)).toBe(before);
  });

  test("a request that was answered before is not in work when it comes again", async () => {
    await using bench = await openOutput();
    await bench.deliver("r1", { text: "it is" });
    ask(bench, "r1");
    await pass(bench, 10_000);
    expect(typed(bench)).toBe(0);
  });
});

describe("the message that shows how far it is", () => {
  test("comes after two seconds, silently, says the newest, and becomes the answer", async () => {
    await using bench = await openOutput();
    const began = bench.now();
    ask(bench, "r1");
    bench.output.progress("r1", "first page");
    bench.output.progress("r1", "second\npage", 0.5);
    const shown = await bench.chat.next("⏳");
    expect(bench.now() - began).toBeGreaterThanOrEqual(2000);
    expect(shown).toMatchObject({ text: "⏳ second page 50 %", isSilent: true });
    await bench.deliver("r1", { text: "it is", verdict: "ok", buttons: [{ label: "More", say: "more" }] });
    expect(bench.chat.messages.filter(({ isFromBot }) => isFromBot)).toMatchObject([
      { id: shown.id, text: "✅ it is", buttons: [["More"]] },
    ]);
  });

  test("does not come when the answer does", async () => {
    await using bench = await openOutput();
    ask(bench, "r1");
    bench.output.progress("r1", "first page");
    await bench.deliver("r1", { text: "it is" });
    await pass(bench, 10_000);
    expect(bench.texts()).toEqual(["it is"]);
  });

  test("is changed at most every three seconds", async () => {
    await using bench = await openOutput();
    ask(bench, "r1");
    const until = bench.now() + 20_000;
    let n = 0;
    await expect
      .poll(
        () => {
          bench.output.progress("r1", `page ${(n += 1)}`);
          return bench.now() >= until;
        },
        { interval: 2, timeout: 20_000 },
      )
      .toBe(true);
    const edits = bench.api.calls.filter(({ method }) => method === "editMessageText");
    expect(edits.length).toBeGreaterThanOrEqual(3);
    expect(edits.length).toBeLessThanOrEqual(7);
    for (const [index, { at }] of edits.entries()) {
      const before = edits[index - 1];
      if (before) expect(at - before.at).toBeGreaterThanOrEqual(3000 / 40 / 2);
    }
  });

  test("says that there is work where nobody told more", async () => {
    await using bench = await openOutput();
    ask(bench, "r1");
    expect((await bench.chat.next("⏳")).text).toBe("⏳ Working on it…");
  });

  test("in a group answers who asked", async () => {
    await using bench = await openOutput();
    const group = bench.api.group({ title: "Shop", members: [bench.ann] });
    ask(bench, "r1", group);
    const shown = await group.next("⏳");
    expect(shown.replyTo).toBe(group.messages[0]?.id);
    await bench.deliver("r1", { text: "it is" }, { chat: String(group.id) });
    expect(group.messages.at(-1)).toMatchObject({
      id: shown.id,
      text: "it is",
      replyTo: group.messages[0]?.id,
    });
  });

  test("becomes the answer after a restart, too, whatever the restart came between", async () => {
    await using bench = await openOutput();
    ask(bench, "r1");
    const shown = await bench.chat.next("⏳");
    await noted(bench, shown.id);
    const hang = bench.api.faults.hang({ method: "editMessageText", isApplied: true });
    void bench.deliver("r1", { text: "it is" });
    await hang.happened();
    await bench.restart();
    await bench.deliver("r1", { text: "it is" }, { isRepeat: true });
    expect(bench.texts()).toEqual(["it is"]);
  });

  test("goes on after a restart", async () => {
    await using bench = await openOutput();
    ask(bench, "r1");
    const shown = await bench.chat.next("⏳");
    await noted(bench, shown.id);
    await bench.restart();
    const before = typed(bench);
    await expect.poll(() => typed(bench), { interval: 5, timeout: 20_000 }).toBeGreaterThan(before);
    bench.output.progress("r1", "second page");
    expect(await bench.chat.next("second page")).toMatchObject({ id: shown.id });
  });

  test("that may or may not exist is not sent again, and the answer is a message of its own", async () => {
    await using bench = await openOutput();
    bench.api.faults.loseResponse({ where: ({ arguments: { text } }) => String(text).startsWith("⏳") });
    ask(bench, "r1");
    await bench.chat.next("⏳");
    await pass(bench, 10_000);
    await bench.deliver("r1", { text: "it is" });
    expect(bench.texts()).toEqual(["⏳ Working on it…", "it is"]);
  });

  test("that was deleted leaves the answer as a message of its own", async () => {
    await using bench = await openOutput();
    ask(bench, "r1");
    const shown = await bench.chat.next("⏳");
    await noted(bench, shown.id);
    bench.chat.deletes(shown);
    await bench.deliver("r1", { text: "it is" });
    expect(bench.texts()).toEqual(["it is"]);
  });

  test("a response to the edit that is lost: the edit is made again, which does no harm", async () => {
    await using bench = await openOutput();
    ask(bench, "r1");
    const shown = await bench.chat.next("⏳");
    await noted(bench, shown.id);
    bench.api.faults.loseResponse({ method: "editMessageText" });
    await bench.deliver("r1", { text: "it is" });
    expect(bench.texts()).toEqual(["it is"]);
    expect(bench.api.calls.filter(({ method }) => method === "editMessageText")).toHaveLength(2);
  });

  test("is taken away where what was asked has been shown elsewhere", async () => {
    await using bench = await openOutput();
    ask(bench, "r1");
    const shown = await bench.chat.next("⏳");
    await noted(bench, shown.id);
    await bench.deliver("r1", { text: "acked by Ann", isShown: true });
    ask(bench, "r2");
    await bench.deliver("r2", { text: "acked by Ann", isShown: true });
    expect(bench.texts()).toEqual([]);
    expect(bench.api.calls.filter(({ method }) => method === "sendMessage")).toHaveLength(1);
    // Whoever typed it, and pressed nothing, is answered.
    await bench.deliver("0197b0a0-0000-7000-8000-000000000001", { text: "acked by Ann", isShown: true });
    expect(bench.texts()).toEqual(["acked by Ann"]);
  });
});
