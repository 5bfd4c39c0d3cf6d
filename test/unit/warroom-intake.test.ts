import { expect, test } from "vitest";
import { plainText } from "../../src/sdk/markup.ts";
import { createScene, DOWN } from "../support/war-room.ts";

test("an alert that nobody can read is counted, told once, and keeps nothing behind it", async () => {
  await using scene = await createScene();
  const { streams, war } = scene;
  streams.put("web", 1, "{");
  streams.put("web", 2, streams.envelope("web", "alert", { ...DOWN, severity: "terrible" }));
  streams.put("web", 3, streams.envelope("ops", "alert", DOWN));
  streams.put("web", 4, streams.envelope("web", "alert", { kind: "watch.http" }));
  streams.put("web", 5, "x".repeat(300_000));
  streams.alert();
  await scene.pass(1000);
  expect(streams.confirmed.get("web")).toBe(6);
  expect(war.open()).toMatchObject([
    { id: "A-2", summary: "shop.example: HTTP 503" },
    { id: "A-1", kind: "alerts.unreadable", severity: "warn", agent: "web" },
  ]);
  expect(war.open()[1]?.summary).toBe("an alert of web could not be read (has more than 262144 characters)");
});

test("alerts that come again are taken once", async () => {
  await using scene = await createScene();
  const text = scene.streams.envelope("web", "alert", DOWN);
  scene.streams.put("web", 1, text);
  scene.streams.put("web", 1, text);
  await scene.pass(1000);
  scene.streams.put("web", 1, text);
  await scene.pass(11_000);
  expect(scene.news()).toEqual([
    "post 1 (rings)\n🔴 CRIT shop.example: HTTP 503  A-1\nSince 14:02:11 CET · web",
  ]);
});

test("a hole in the numbers may still be filled, and is told when it is not", async () => {
  await using scene = await createScene();
  const { streams, war } = scene;
  const alert = (target: string) => streams.envelope("web", "alert", { ...DOWN, target, summary: "down" });
  streams.put("web", 3, alert("c"));
  await scene.pass(5000);
  expect(war.open()).toEqual([]);
  streams.put("web", 1, alert("a"));
  streams.put("web", 2, alert("b"));
  streams.put("web", 3, alert("c"));
  await scene.pass(1000);
  expect(war.open()).toMatchObject([{ target: "a" }, { target: "b" }, { target: "c" }]);
  streams.put("web", 7, alert("g"));
  await scene.pass(29_000);
  expect(war.open()).toHaveLength(3);
  await scene.pass(3000);
  expect(war.open()).toMatchObject([
    { target: "a" },
    { target: "b" },
    { target: "c" },
    { target: "g" },
    { kind: "alerts.lost", summary: "alerts 4 to 6 of web were lost before anybody read them" },
  ]);
  expect(streams.confirmed.get("web")).toBe(7);
});

test("an agent whose numbers begin anew is told where to go on", async () => {
  await using scene = await createScene();
  scene.streams.alert();
  scene.streams.alert({ state: "resolved" });
  await scene.pass(1000);
  scene.streams.confirmed.clear();
  await scene.pass(31_000);
  expect(scene.streams.confirmed.get("web")).toBe(2);
});

test("streams that cannot be read are told of, and taken when they are back", async () => {
  await using scene = await createScene();
  scene.streams.isDown = true;
  scene.streams.alert();
  await scene.pass(61_000);
  expect(scene.war.trouble()).toBe("the agents' alerts cannot be read");
  expect(scene.lines.filter((line) => line.startsWith("warn alerts cannot be read"))).toHaveLength(1);
  scene.streams.isDown = false;
  await scene.pass(1000);
  expect(scene.war.trouble()).toBeUndefined();
  expect(scene.war.open()).toMatchObject([{ id: "A-1" }]);
});

test("words of an agent cannot break the lines of a message, nor turn them round", async () => {
  await using scene = await createScene();
  scene.streams.alert({
    summary: "shop.example:\n\nHTTP \u202e503\u0007",
    evidence: ["a\nb", "x".repeat(1000)],
    next: "go\non",
  });
  await scene.pass(11_000);
  expect(scene.room.text("1")).toBe(
    [
      "🔴 CRIT shop.example: HTTP 503  A-1",
      "Since 14:02:11 CET · web",
      "a b",
      `${"x".repeat(159)}…`,
      "Next: go on",
    ].join("\n"),
  );
});

test("of much evidence whole lines are left out, and all of it stands in the details", async () => {
  await using scene = await createScene();
  const evidence = Array.from({ length: 14 }, (_, i) => `line ${i + 1}`);
  scene.streams.alert({ evidence });
  scene.streams.alert({ target: "long", evidence: evidence.map((line) => `${line} ${"y".repeat(140)}`) });
  await scene.pass(11_000);
  expect(scene.room.text("1").split("\n").slice(-2)).toEqual(["line 10", "+4 more"]);
  expect(scene.room.text("2").length).toBeLessThanOrEqual(700);
  expect(scene.room.text("2").split("\n").at(-1)).toBe("+10 more");
  const details = JSON.stringify(scene.war.details("A-1", "UTC"));
  expect(details).toContain("line 14");
});

test("labels that cannot be told apart make an alert unreadable, and nothing else", async () => {
  await using scene = await createScene();
  const text = scene.streams.envelope("web", "alert", { ...DOWN, labels: { a: "1" } });
  scene.streams.put("web", 1, text.replace('{"a":"1"}', '{"\u00e9":"1","e\u0301":"2"}'));
  scene.streams.alert();
  await scene.pass(1000);
  expect(scene.war.open()).toMatchObject([{ id: "A-2" }, { id: "A-1", kind: "alerts.unreadable" }]);
});

test("of what an agent says a lot the details show as much as fits a message", async () => {
  await using scene = await createScene();
  const labels = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`label-${i}`, "v".repeat(200)]));
  const evidence = Array.from({ length: 50 }, () => "e".repeat(300));
  scene.streams.alert({
    labels,
    evidence,
    target: "t".repeat(500),
    summary: "s".repeat(300),
    next: "n".repeat(300),
  });
  await scene.pass(11_000);
  for (let i = 0; i < 20; i++) {
    scene.war.silence("A-1", 3_600_000 * (i + 2), { by: "A".repeat(100), zone: "UTC" });
  }
  const details = plainText(scene.war.details("A-1", "UTC")?.text ?? "");
  expect(details.length).toBeLessThanOrEqual(3500);
  expect(details).toContain("\n+45 more\n");
  expect(scene.room.text("1").length).toBeLessThanOrEqual(1000);
});
