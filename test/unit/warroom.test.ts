import { expect, test } from "vitest";
import { createScene, DOWN, UP } from "../support/war-room.ts";

test("the life of an incident is one message", async () => {
  await using scene = await createScene();
  const { streams, room, pass, war } = scene;
  streams.alert({
    evidence: ["GET / → 503 in 212 ms, expected 2xx"],
    next: "/http https://shop.example",
    vantage: "berlin-1",
  });
  await pass(9000);
  expect(scene.news()).toEqual([]);
  await pass(2000);
  expect(scene.news()).toEqual([
    [
      "post 1 (rings)",
      "🔴 CRIT shop.example: HTTP 503  A-1",
      "Since 14:02:11 CET · web at berlin-1",
      "GET / → 503 in 212 ms, expected 2xx",
      "Next: /http https://shop.example",
    ].join("\n"),
  ]);
  expect(room.labels("1")).toEqual(["Ack", "Silence 1h", "4h", "Details"]);
  expect(room.button("1", "Ack")).toMatch(/^wr\.[\w-]{16}$/);

  await pass(109_000);
  const ack = room.button("1", "Ack");
  expect(war.press(ack, { by: "Ann", zone: "Europe/Berlin" })).toEqual({
    text: "A-1 acked",
    incident: "A-1",
    isShown: true,
  });
  await war.wake();
  expect(scene.news()).toEqual([
    [
      "edit 1",
      "🟠 CRIT shop.example: HTTP 503  A-1",
      "Acked by Ann at 14:04",
      "Since 14:02:11 CET (2 min) · web at berlin-1",
      "GET / → 503 in 212 ms, expected 2xx",
      "Next: /http https://shop.example",
    ].join("\n"),
  ]);
  expect(room.labels("1")).toEqual(["Silence 1h", "4h", "Details"]);
  expect(war.press(ack, { by: "Bob", zone: "Europe/Berlin" })).toMatchObject({
    text: "A-1 already acked by Ann at 14:04",
    isShown: false,
  });
  await war.wake();
  expect(scene.news()).toEqual([]);

  await pass(15 * 60_000);
  streams.alert(UP);
  await pass(1000);
  expect(scene.news()).toEqual([
    [
      "edit 1",
      "🟢 RESOLVED shop.example: HTTP 503  A-1",
      "14:02-14:19 CET (17 min) · web at berlin-1 · acked by Ann",
      "GET / → 503 in 212 ms, expected 2xx",
      "Next: /http https://shop.example",
    ].join("\n"),
  ]);
  expect(room.labels("1")).toEqual([]);
  expect(streams.confirmed.get("web")).toBe(2);
});

test("all that happened to an incident is kept, with who and when", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  await scene.pass(11_000);
  scene.war.ack("a-1", { by: "Ann", zone: "UTC" });
  scene.war.silence("1", 3_600_000, { by: "Bob", zone: "UTC" });
  scene.war.unsilence("A-1", { by: "Cleo", zone: "UTC" });
  scene.streams.alert(UP);
  await scene.pass(1000);
  const details = scene.war.details("A-1", "UTC");
  expect(details?.view).toMatchObject({ id: "A-1", state: "resolved", ackedBy: "Ann", silencedUntil: null });
  expect(details?.text.markup.map((run) => Object.values(run)[0]).join("")).toBe(
    [
      "🟢 A-1 shop.example: HTTP 503",
      "crit, resolved, since 13:02:11 UTC (11 s)",
      "watch.http of https://shop.example, told by web",
      "What happened",
      "13:02 fired: shop.example: HTTP 503",
      "13:02 acked by Ann",
      "13:02 silenced by Bob: until 2026-03-03T14:02:22.000Z",
      "13:02 unsilenced by Cleo",
      "13:02 resolved: shop.example: HTTP 200",
    ].join("\n"),
  );
});

test("what warns is told without a sound, after half a minute", async () => {
  await using scene = await createScene();
  scene.streams.alert({ severity: "warn" });
  await scene.pass(29_000);
  expect(scene.news()).toEqual([]);
  await scene.pass(2000);
  expect(scene.news()).toEqual([
    "post 1 (silent)\n🟡 WARN shop.example: HTTP 503  A-1\nSince 14:02:11 CET · web",
  ]);
});

test("what is only to be known stands in the list alone", async () => {
  await using scene = await createScene();
  scene.streams.alert({ severity: "info" });
  await scene.pass(60_000);
  expect(scene.news()).toEqual([]);
  expect(scene.war.open()).toMatchObject([{ id: "A-1", severity: "info" }]);
});

test("what is over before it would have been told is not told", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  await scene.pass(5000);
  scene.streams.alert(UP);
  await scene.pass(60_000);
  expect(scene.news()).toEqual([]);
  expect(scene.war.details("A-1", "UTC")?.view.state).toBe("resolved");
});

test("the end of something unknown makes nothing", async () => {
  await using scene = await createScene();
  scene.streams.alert(UP);
  await scene.pass(60_000);
  expect(scene.war.details("A-1", "UTC")).toBeUndefined();
  expect(scene.streams.confirmed.get("web")).toBe(1);
});

test("what comes back within five minutes is the same incident, and heard again", async () => {
  await using scene = await createScene();
  const { streams, pass } = scene;
  streams.alert();
  await pass(11_000);
  scene.war.ack("A-1", { by: "Ann", zone: "UTC" });
  streams.alert(UP);
  await pass(1000);
  scene.news();
  await pass(299_000);
  streams.alert();
  await pass(1000);
  expect(scene.news()).toEqual([
    "post 2 → 1 (rings)\n🔴 A-1 fires again: shop.example: HTTP 503",
    "edit 1\n🔴 CRIT shop.example: HTTP 503  A-1\nSince 14:02:11 CET (5 min) · web · seen 2× · back once",
  ]);
  streams.alert(UP);
  await pass(301_000);
  streams.alert();
  await pass(11_000);
  expect(scene.war.open()).toMatchObject([{ id: "A-2" }]);
});

test("a warning that becomes critical rings", async () => {
  await using scene = await createScene();
  scene.streams.alert({ severity: "warn" });
  await scene.pass(31_000);
  scene.news();
  scene.streams.alert();
  await scene.pass(1000);
  expect(scene.news()[0]).toBe("post 2 → 1 (rings)\n🔴 A-1 is critical now: shop.example: HTTP 503");
});

test("what nobody has acked is said again, critical ones every half hour", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  scene.streams.alert({ severity: "warn", target: "https://api.example", summary: "api.example: slow" });
  await scene.pass(32_000);
  expect(scene.news()).toHaveLength(2);
  await scene.pass(1_780_000);
  expect(scene.news()).toEqual([
    "post 3 → 1 (rings)\n🔴 A-1 still fires, since 14:02 (30 min), and nobody has acked it: shop.example: HTTP 503",
  ]);
  await scene.pass(1_800_000);
  expect(scene.news()).toHaveLength(1);
  scene.war.ack("A-1", { by: "Ann", zone: "UTC" });
  await scene.pass(3 * 3_600_000 + 60_000, 30_000);
  const later = scene.news();
  expect(later.filter((call) => call.startsWith("post"))).toEqual([
    "post 5 → 2 (silent)\n🟡 A-2 still fires, since 14:02 (4 h), and nobody has acked it: api.example: slow",
  ]);
});

test("a silence ends, and says so when it still fires", async () => {
  await using scene = await createScene();
  const { room, war, pass } = scene;
  scene.streams.alert();
  await pass(11_000);
  scene.news();
  const token = room.button("1", "Silence 1h");
  expect(war.press(token, { by: "Ann", zone: "Europe/Berlin" })).toMatchObject({
    text: "A-1 silenced until 15:02",
  });
  expect(war.press(token, { by: "Bob", zone: "Europe/Berlin" })).toMatchObject({
    text: "A-1 already silenced until 15:02 by Ann",
  });
  await war.wake();
  expect(scene.news()).toEqual([
    "edit 1\n⚪ CRIT shop.example: HTTP 503  A-1\nSilenced until 15:02 by Ann\nSince 14:02:11 CET · web",
  ]);
  expect(room.labels("1")).toEqual(["Ack", "Unsilence", "Details"]);
  await pass(3_599_000);
  expect(scene.news()).toEqual([]);
  await pass(2000);
  expect(scene.news()).toEqual([
    "post 2 → 1 (rings)\n🔴 A-1: the silence is over, and it still fires: shop.example: HTTP 503",
    "edit 1\n🔴 CRIT shop.example: HTTP 503  A-1\nSince 14:02:11 CET (1 h) · web",
  ]);
});

test("what ends while it is silenced ends without a sound", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  await scene.pass(11_000);
  scene.war.silence("A-1", 3_600_000, { by: "Ann", zone: "UTC" });
  await scene.war.wake();
  scene.news();
  scene.streams.alert(UP);
  await scene.pass(2 * 3_600_000, 60_000);
  expect(scene.news()).toEqual([
    "edit 1\n🟢 RESOLVED shop.example: HTTP 503  A-1\n14:02-14:02 CET (11 s) · web",
  ]);
});

test("what comes and goes is edited once, and rings no more until it is steady", async () => {
  await using scene = await createScene();
  const { streams, pass } = scene;
  streams.alert();
  await pass(11_000);
  scene.news();
  for (const details of [UP, DOWN, UP]) {
    streams.alert(details);
    await pass(60_000);
  }
  expect(scene.news().map((call) => call.split("\n")[0])).toEqual([
    "edit 1",
    "post 2 → 1 (rings)",
    "edit 1",
    "edit 1",
  ]);
  for (const details of [DOWN, UP, DOWN, UP, DOWN]) {
    streams.alert(details);
    await pass(60_000);
  }
  expect(scene.news()).toEqual([
    "edit 1\n🟣 FLAPPING shop.example: HTTP 503  A-1\nComes and goes since 14:02:11 CET · web",
  ]);
  expect(scene.room.labels("1")).toEqual(["Ack", "Silence 1h", "4h", "Details"]);
  await pass(600_000);
  expect(scene.news()).toEqual([
    "post 3 → 1 (rings)\n🔴 A-1 flaps no more, and fires: shop.example: HTTP 503",
    "edit 1\n🔴 CRIT shop.example: HTTP 503  A-1\nSince 14:02:11 CET (17 min) · web · seen 5× · back 4×",
  ]);
});

test("the framework's own failures are incidents, too", async () => {
  await using scene = await createScene();
  const gone = { code: "E_OFFLINE", about: "web", text: "web has not been heard of.", more: 0 };
  scene.streams.systemFailure({ ...gone, is_over: false });
  scene.streams.systemFailure({
    code: "E_DEAD_LETTER",
    about: "http",
    text: "put aside",
    more: 2,
    is_over: false,
  });
  await scene.pass(31_000);
  expect(scene.news()).toEqual([
    "post 1 (rings)\n🔴 CRIT web has not been heard of.  A-1\nSince 14:02:11 CET · ops",
    "post 2 (silent)\n🟡 WARN http: put aside  A-2\nSince 14:02:11 CET · ops · seen 3×",
  ]);
  scene.streams.systemFailure({ ...gone, text: "web is back.", is_over: true });
  await scene.pass(1000);
  expect(scene.news()).toEqual([
    "edit 1\n🟢 RESOLVED web has not been heard of.  A-1\n14:02-14:02 CET (31 s) · ops",
  ]);
});

test("what has no end of its own is over an hour after somebody has seen it", async () => {
  await using scene = await createScene();
  scene.streams.systemFailure({
    code: "E_DEAD_LETTER",
    about: "http",
    text: "put aside",
    more: 0,
    is_over: false,
  });
  await scene.pass(31_000);
  await scene.pass(3_600_000, 60_000);
  expect(scene.war.open()).toMatchObject([{ state: "firing" }]);
  scene.war.ack("A-1", { by: "Ann", zone: "UTC" });
  await scene.pass(1000);
  expect(scene.war.open()).toEqual([]);
});

test.each([
  ["A-1", true],
  ["a1 please", true],
  ["ack 1", true],
  ["acknowledge incident #1", true],
  ["silence A-1 for", true],
  ["ich übernehme A-1", true],
  ["ack the one from 1 hour ago", false],
  ["https://a-1.example", false],
  ["1.5", false],
  ["the shop", false],
])("%j names the incident: %j", async (words, isNamed) => {
  await using scene = await createScene();
  scene.streams.alert();
  await scene.pass(1000);
  expect("failure" in scene.war.ack(words, { by: "Ann", zone: "UTC" })).toBe(!isNamed);
});

test("nobody is told of an incident that there is not", async () => {
  await using scene = await createScene();
  expect(scene.war.ack("A-7", { by: "Ann", zone: "UTC" })).toMatchObject({ failure: "E_NOT_FOUND" });
  expect(scene.war.press("wr.nothing", { by: "Ann", zone: "UTC" })).toMatchObject({ failure: "E_NOT_FOUND" });
  scene.streams.alert();
  await scene.pass(1000);
  expect(scene.war.silence("A-1", 30_000, { by: "Ann", zone: "UTC" })).toMatchObject({
    failure: "E_BAD_PARAMS",
  });
});
