import { expect, test } from "vitest";
import { createScene } from "../support/war-room.ts";

const host = (i: number, more: object = {}) => ({
  target: `host-${i}`,
  summary: `host-${i} is down`,
  labels: { group: "rack-2" },
  ...more,
});

test("more than five of one cause at once are one message, which is acked for all of them", async () => {
  await using scene = await createScene();
  const { streams, room, war } = scene;
  for (let i = 1; i <= 7; i++) streams.alert(host(i), i % 2 ? "web" : "machine");
  await scene.pass(31_000);
  expect(scene.news()).toEqual([
    [
      "post 1 (rings)",
      "🔴 CRIT group rack-2: 7 of 7 firing at once (watch.http)  A-7",
      "Since 14:02:11 CET · web, machine",
      "A-1 host-1 is down",
      "A-2 host-3 is down",
      "A-3 host-5 is down",
      "A-4 host-7 is down",
      "A-5 host-2 is down",
      "A-6 host-4 is down",
      "A-8 host-6 is down",
      "Next: /incident A-1 tells about the first",
    ].join("\n"),
  ]);
  expect(war.press(room.button("1", "Ack"), { by: "Ann", zone: "UTC" })).toMatchObject({ text: "A-7 acked" });
  await scene.pass(1000);
  expect(war.details("A-3", "UTC")?.view.ackedBy).toBe("Ann");
  for (let i = 1; i <= 7; i++) streams.alert(host(i, { state: "resolved" }), i % 2 ? "web" : "machine");
  await scene.pass(1000);
  expect(war.open()).toEqual([]);
});

test("five are five messages", async () => {
  await using scene = await createScene();
  for (let i = 1; i <= 5; i++) scene.streams.alert(host(i));
  await scene.pass(31_000);
  expect(scene.news()).toHaveLength(5);
});

test("what is over comes out of the count, and what joins a storm makes no message of its own", async () => {
  await using scene = await createScene();
  const { streams, room } = scene;
  for (let i = 1; i <= 6; i++) streams.alert(host(i));
  await scene.pass(1000);
  expect(scene.news()).toHaveLength(1);
  streams.alert(host(7));
  streams.alert(host(1, { state: "resolved" }));
  await scene.pass(60_000);
  expect(scene.news().every((call) => call.startsWith("edit 1"))).toBe(true);
  expect(room.text("1").split("\n")[0]).toBe("🔴 CRIT group rack-2: 6 of 7 firing at once (watch.http)  A-7");
  for (let i = 2; i <= 7; i++) streams.alert(host(i, { state: "resolved" }));
  await scene.pass(1000);
  expect(room.text("1").split("\n")[0]).toBe(
    "🟢 RESOLVED group rack-2: 0 of 7 firing at once (watch.http)  A-7",
  );
  expect(room.calls.filter((call) => call.startsWith("post"))).toHaveLength(1);
});

test("a storm of hundreds is taken in within a moment", async () => {
  await using scene = await createScene();
  for (let i = 1; i <= 1000; i++) scene.streams.alert(host(i));
  const begun = process.cpuUsage().user;
  await scene.pass(1000);
  expect((process.cpuUsage().user - begun) / 1000).toBeLessThan(5000);
  expect(scene.news()).toHaveLength(1);
  expect(scene.room.text("1")).toContain("1000 of 1000 firing at once");
  expect(scene.room.text("1")).toContain("+990 more");
});
