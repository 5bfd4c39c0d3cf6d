import { expect, test } from "vitest";
import { createScene, createTestRoom, type Scene, UP } from "../support/war-room.ts";

const API = { target: "https://api.example", summary: "api.example: HTTP 502" } as const;
const MARK = "\n(again: I was cut off while sending)";

/** Two incidents, of which one is acked and the other said again, to their ends. */
async function live(scene: Scene): Promise<void> {
  scene.streams.alert();
  await scene.pass(1000);
  await scene.pass(11_000, 5500);
  scene.war.ack("A-1", { by: "Ann", zone: "UTC" });
  await scene.pass(2000);
  scene.streams.alert(API);
  await scene.pass(1000);
  await scene.pass(12_000, 6000);
  await scene.pass(1_860_000, 620_000);
  scene.streams.alert(UP);
  await scene.pass(2000);
  scene.streams.alert({ ...API, state: "resolved" });
  // Long enough for what is waited for after a failure.
  await scene.pass(60_000, 15_000);
}

/** Calls without what a repeat may have otherwise. */
function plain(calls: readonly string[]): string[] {
  return calls.map((call) => call.replace(MARK, "").replaceAll(/^(post|edit) \d+(?: → \d+)?/g, "$1"));
}

test("killed at any call, it says nothing twice without saying so, and nothing is missed", async () => {
  await using undisturbed = await createScene();
  await live(undisturbed);
  const expected = plain(undisturbed.room.calls);
  expect(expected.map((call) => call.split("\n").slice(0, 2).join(" "))).toEqual([
    "post (rings) 🔴 CRIT shop.example: HTTP 503  A-1",
    "edit 🟠 CRIT shop.example: HTTP 503  A-1",
    "post (rings) 🔴 CRIT api.example: HTTP 502  A-2",
    "post (rings) 🔴 A-2 still fires, since 14:02 (31 min), and nobody has acked it: api.example: HTTP 502",
    "edit 🟢 RESOLVED shop.example: HTTP 503  A-1",
    "edit 🟢 RESOLVED api.example: HTTP 502  A-2",
  ]);

  for (let nth = 1; nth <= undisturbed.outsideCalls; nth++) {
    for (const when of ["before", "after"] as const) {
      await using scene = await createScene();
      scene.killAt(nth, when);
      await live(scene);
      const { calls } = scene.room;
      const where = `killed ${when} call ${nth}`;
      expect([...new Set(plain(calls))], where).toEqual(expected);
      const unmarked = calls.filter((call) => call.startsWith("post") && !call.includes(MARK));
      expect(new Set(plain(unmarked)).size, where).toBe(unmarked.length);
      expect(scene.war.open(), where).toEqual([]);
    }
  }
});

test("a change made while it was down goes out, and what is unchanged stays quiet", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  scene.streams.alert(API);
  await scene.pass(11_000);
  scene.news();
  await scene.restart();
  await scene.pass(5000);
  expect(scene.news()).toEqual([]);
  scene.streams.alert(UP);
  await scene.restart();
  await scene.pass(5000);
  expect(scene.news()).toEqual([
    "edit 1\n🟢 RESOLVED shop.example: HTTP 503  A-1\n14:02-14:02 CET (16 s) · web",
  ]);
});

test("a first message of unknown fate is posted once more, and says so", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  await scene.pass(9000);
  scene.killAt("post", "after");
  await scene.pass(60_000);
  expect(scene.news()).toEqual([
    "post 1 (rings)\n🔴 CRIT shop.example: HTTP 503  A-1\nSince 14:02:11 CET · web",
    "post 2 (rings)\n🔴 CRIT shop.example: HTTP 503  A-1\nSince 14:02:11 CET · web" + MARK,
  ]);
  scene.streams.alert(UP);
  await scene.pass(2000);
  expect(scene.news()).toEqual([
    "edit 2\n🟢 RESOLVED shop.example: HTTP 503  A-1\n14:02-14:03 CET (1 min) · web",
  ]);
});

test("incidents follow the war room into another chat", async () => {
  const [before, after] = [createTestRoom("topic of -1"), createTestRoom("topic of -2")];
  const rooms = [before];
  await using scene = await createScene(rooms);
  scene.streams.alert();
  await scene.pass(11_000);
  rooms[0] = after;
  await scene.restart();
  await scene.pass(1000);
  expect(after.calls).toEqual([
    "post 1 (rings)\n🔴 CRIT shop.example: HTTP 503  A-1\nSince 14:02:11 CET · web",
  ]);
});

test("a silence that ended while it was down says so", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  await scene.pass(11_000);
  scene.war.silence("A-1", 3_600_000, { by: "Ann", zone: "UTC" });
  await scene.pass(1000);
  scene.news();
  scene.clock.setWallClock(scene.clock.now() + 2 * 3_600_000);
  await scene.restart();
  expect(scene.news()[0]).toBe(
    "post 2 → 1 (rings)\n🔴 A-1: the silence is over, and it still fires: shop.example: HTTP 503",
  );
});
