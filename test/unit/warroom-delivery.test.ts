import { expect, test } from "vitest";
import { createScene, createTestRoom, UP } from "../support/war-room.ts";

const TEXT = "🔴 CRIT shop.example: HTTP 503  A-1\nSince 14:02:11 CET · web";

test("a room that is full is left alone for as long as it says", async () => {
  await using scene = await createScene();
  scene.room.answer({ kind: "too_many", retryAfterMs: 20_000, text: "429" });
  scene.streams.alert();
  await scene.pass(30_000);
  expect(scene.news()).toEqual([]);
  await scene.pass(2000);
  expect(scene.news()).toEqual([`post 1 (rings)\n${TEXT}`]);
});

test("changes that wait for each other are one edit", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  await scene.pass(11_000);
  scene.news();
  scene.room.answer({ kind: "too_many", retryAfterMs: 10_000, text: "429" });
  scene.war.ack("A-1", { by: "Ann", zone: "UTC" });
  await scene.pass(2000);
  scene.streams.alert(UP);
  await scene.pass(20_000);
  expect(scene.news()).toEqual([
    "edit 1\n🟢 RESOLVED shop.example: HTTP 503  A-1\n14:02-14:02 CET (13 s) · web · acked by Ann",
  ]);
});

test("a chat that cannot be reached gets it when it is back, and meanwhile that is told", async () => {
  await using scene = await createScene();
  scene.room.always({ kind: "unreachable", text: "ECONNREFUSED" });
  scene.streams.alert();
  await scene.pass(11_000);
  expect(scene.war.trouble()).toBeUndefined();
  await scene.pass(180_000);
  expect(scene.war.trouble()).toBe("the war room's chat cannot be reached");
  scene.room.always();
  await scene.pass(61_000);
  expect(scene.news()).toEqual([`post 1 (rings)\n${TEXT}`]);
  expect(scene.war.trouble()).toBeUndefined();
});

test("an answer that is lost has the message posted once more, with a mark", async () => {
  await using scene = await createScene();
  scene.room.answer("lost");
  scene.streams.alert();
  await scene.pass(60_000);
  expect(scene.news()).toEqual([
    `post 1 (rings)\n${TEXT}`,
    `post 2 (rings)\n${TEXT}\n(again: I was cut off while sending)`,
  ]);
});

test.each(["topic_gone", "chat_gone", "kicked"] as const)(
  "a room that is %s is followed by the next, and in the end by the log",
  async (kind) => {
    const [topic, general, owner] = ["topic", "general", "owner"].map((name) => createTestRoom(name));
    if (!topic || !general || !owner) throw new Error("there are three");
    await using scene = await createScene([topic, general, owner]);
    topic.always({ kind, text: "no" });
    scene.streams.alert();
    await scene.pass(11_000);
    expect(general.calls).toEqual([`post 1 (rings)\n${TEXT}`]);
    general.always({ kind, text: "no" });
    owner.always({ kind, text: "no" });
    scene.streams.alert({ target: "https://api.example", summary: "api.example: HTTP 502" });
    await scene.pass(11_000);
    expect(scene.lines.filter((line) => line.startsWith("error"))).toEqual([
      "error nobody in the war room could be told: 🔴 CRIT api.example: HTTP 502  A-2\nSince 14:02:22 CET · web",
    ]);
    expect(scene.war.trouble()).toBe("A-2 could be brought into no room of the war room");
    topic.always();
    await scene.pass(601_000, 10_000);
    expect(topic.calls).toEqual([
      "post 1 (rings)\n🔴 CRIT api.example: HTTP 502  A-2\nSince 14:02:22 CET · web",
    ]);
    expect(scene.war.trouble()).toBeUndefined();
  },
);

test("a message that is refused is said with less and less, and never again and again", async () => {
  await using scene = await createScene();
  const refused = { kind: "bad_request", text: "can't parse entities" } as const;
  scene.room.answer(refused, refused, refused);
  scene.streams.alert({ evidence: ["strange"] });
  await scene.pass(11_000);
  expect(scene.news()).toEqual(["post 1 (rings)\nincident A-1, see /incident A-1"]);
  scene.room.answer(refused);
  scene.streams.alert({ ...UP, evidence: ["strange"] });
  await scene.pass(2000);
  expect(scene.news()).toEqual([
    "edit 1\n🟢 RESOLVED shop.example: HTTP 503  A-1\n14:02-14:02 CET (11 s) · web",
  ]);
});

test("what every room refuses whatever is said stands in the log, and is tried again after a while", async () => {
  await using scene = await createScene();
  scene.room.always({ kind: "bad_request", text: "no" });
  scene.streams.alert();
  await scene.pass(300_000, 5000);
  expect(scene.lines.filter((line) => line.startsWith("warn A-1 was not taken"))).toHaveLength(4);
  expect(scene.lines.filter((line) => line.startsWith("error"))).toHaveLength(1);
  scene.room.always();
  await scene.pass(400_000, 5000);
  expect(scene.news()).toEqual([`post 1 (rings)\n${TEXT}`]);
});

test("a message that somebody took away is posted anew while it fires", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  await scene.pass(11_000);
  scene.news();
  scene.room.answer({ kind: "message_gone", text: "message to edit not found" });
  scene.war.ack("A-1", { by: "Ann", zone: "UTC" });
  await scene.pass(2000);
  expect(scene.news()).toEqual([
    "post 2 (silent)\n🟠 CRIT shop.example: HTTP 503  A-1\nAcked by Ann at 14:02\nSince 14:02:11 CET · web",
  ]);
});

test("no more than twelve calls a minute are made, and some are kept for what is critical", async () => {
  await using scene = await createScene();
  for (let i = 1; i <= 10; i++) {
    scene.streams.alert({ severity: "warn", kind: `kind.${i}`, target: `host-${i}`, summary: "slow" });
  }
  await scene.pass(32_000);
  expect(scene.news()).toHaveLength(8);
  for (let i = 1; i <= 6; i++)
    scene.streams.alert({ kind: `bad.${i}`, target: `host-${i}`, summary: "down" });
  await scene.pass(12_000);
  const critical = scene.news();
  expect(critical).toHaveLength(4);
  expect(critical.every((call) => call.includes("CRIT"))).toBe(true);
  await scene.pass(60_000);
  expect(scene.news().map((call) => call.split("\n")[1]?.slice(3))).toEqual([
    "CRIT host-5: down  A-15",
    "CRIT host-6: down  A-16",
    "WARN host-9: slow  A-9",
    "WARN host-10: slow  A-10",
  ]);
});

test("a clock that is set back puts no alert off", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  await scene.pass(1000);
  scene.clock.setWallClock(scene.clock.now() - 3_600_000);
  await scene.pass(2000);
  expect(scene.news()).toHaveLength(1);
});

test("a reminder that waited until nobody needs it is not said", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  await scene.pass(11_000);
  scene.news();
  await scene.pass(1_780_000, 60_000);
  scene.room.answer({ kind: "too_many", retryAfterMs: 60_000, text: "429" });
  await scene.pass(30_000);
  scene.war.ack("A-1", { by: "Ann", zone: "UTC" });
  await scene.pass(120_000);
  expect(scene.news().map((call) => call.split("\n")[0])).toEqual(["edit 1"]);
});
