import { describe, expect, test } from "vitest";
import type { Message } from "../support/bot-api/index.ts";
import { openOutput, type OutputBench } from "../support/telegram-output.ts";

const payloads = ({ keyboard }: Message): string[] =>
  keyboard.flat().map(({ callback_data = "" }) => callback_data);
const press = (bench: OutputBench, payload = "", chat = bench.chat) =>
  bench.output.press(payload, String(chat.id));

async function shown(
  bench: OutputBench,
  buttons: readonly { label: string; say: string }[],
  more = {},
): Promise<Message> {
  await bench.deliver("r1", { text: "Which one?", buttons: [...buttons] }, more);
  return bench.chat.next("Which one?");
}

describe("buttons", () => {
  test("T18 carry short opaque ids, whatever they say, and say it after a restart, too", async () => {
    await using bench = await openOutput();
    const say = `check ${"ж".repeat(900)}`;
    const message = await shown(bench, [
      { label: "One", say },
      { label: "Two", say: "check two" },
    ]);
    for (const payload of payloads(message)) expect(payload).toMatch(/^[\w-]{22}$/);
    await bench.restart();
    const [one, two] = payloads(message);
    expect(press(bench, one)).toEqual({ kind: "say", text: say });
    expect(press(bench, two)).toEqual({ kind: "say", text: "check two" });
  });

  test("say it again when the same press comes again", async () => {
    await using bench = await openOutput();
    const [one] = payloads(await shown(bench, [{ label: "One", say: "one" }], { ending: { kind: "asked" } }));
    expect(press(bench, one)).toEqual({ kind: "say", text: "one" });
    expect(press(bench, one)).toEqual({ kind: "say", text: "one" });
  });

  test("say nothing in another chat, nor under an id that nobody gave", async () => {
    await using bench = await openOutput();
    const [one] = payloads(await shown(bench, [{ label: "One", say: "one" }]));
    expect(press(bench, one, bench.other)).toEqual({ kind: "gone" });
    expect(press(bench, "AAAAAAAAAAAAAAAAAAAAAA")).toEqual({ kind: "gone" });
    expect(press(bench, "")).toEqual({ kind: "gone" });
  });

  test("go with their group to the supergroup that it becomes", async () => {
    await using bench = await openOutput();
    const group = bench.api.group({ title: "Shop", members: [bench.ann] });
    const buttons = [{ label: "One", say: "one" }];
    await bench.deliver("r1", { text: "Which one?", buttons }, { chat: String(group.id) });
    const [one] = payloads(await group.next("Which one?"));
    const raised = group.migrates();
    bench.output.moved(group.id, raised.id);
    expect(press(bench, one, raised)).toEqual({ kind: "say", text: "one" });
  });

  test("of a question go when one of them was pressed, those of an answer stay", async () => {
    await using bench = await openOutput();
    const buttons = [
      { label: "One", say: "one" },
      { label: "Two", say: "two" },
    ];
    const question = await shown(bench, buttons, { ending: { kind: "asked" } });
    await bench.deliver("r2", { text: "An answer", buttons });
    const answer = await bench.chat.next("An answer");
    press(bench, payloads(answer)[0]);
    press(bench, payloads(question)[0]);
    await bench.chat.next(({ id, buttons: left }) => id === question.id && left.length === 0);
    expect(bench.chat.messages.map(({ text, buttons: left }) => [text, left.flat().length])).toEqual([
      ["Which one?", 0],
      ["An answer", 2],
    ]);
  });

  test("stand side by side where they are short, and below each other where they are long", async () => {
    await using bench = await openOutput();
    const labels = [
      "Yes",
      "No",
      "Later",
      "Maybe",
      "Snooze 1 h",
      "Check https://shop.example again",
      "日本語日本語日本語",
      "Done",
    ];
    const { buttons } = await shown(
      bench,
      labels.map((label) => ({ label, say: label })),
    );
    expect(buttons).toEqual([
      ["Yes", "No", "Later"],
      ["Maybe", "Snooze 1 h"],
      ["Check https://shop.example again"],
      ["日本語日本語日本語"],
      ["Done"],
    ]);
  });

  test("of a reply over several messages stand under the last", async () => {
    await using bench = await openOutput();
    const text = `${"x".repeat(4000)}\n${"y".repeat(200)}`;
    await bench.deliver("r1", { text, buttons: [{ label: "One", say: "one" }] });
    expect(bench.chat.messages.map(({ buttons }) => buttons)).toEqual([[], [["One"]]]);
  });
});
