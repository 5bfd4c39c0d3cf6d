import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLetters } from "../../src/agent/letters.ts";
import { createIncidentsCapability } from "../../src/capabilities/incidents/index.ts";
import { createIds } from "../../src/envelope/index.ts";
import type { CallScope, MountScope } from "../../src/sdk/capability.ts";
import { plainText } from "../../src/sdk/markup.ts";
import { createLogRoom, type WarRoom } from "../../src/warroom/index.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { createStreams } from "../support/war-room.ts";

const AGENT = { id: "019ad000-0000-7000-8000-000000000007", name: "warroom" };
// The incidents look at the request's zone alone.
const CALL = { request: { zone: "UTC" } } as CallScope;

async function mount(data: string) {
  const clock = createManualClock(Date.UTC(2026, 2, 3, 13, 2, 11));
  const streams = createStreams(clock);
  const lines: string[] = [];
  const opened: Pick<WarRoom, "wake" | "trouble">[] = [];
  const capability = createIncidentsCapability({
    path: (agent) => join(data, agent, "incidents.db"),
    reader: () => ({ ...streams, close: () => Promise.resolve() }),
    rooms: (log) => [createLogRoom(log)],
    zone: "UTC",
    clock,
    onOpen: (warRoom) => void opened.push(warRoom),
  });
  const log = { debug() {}, info() {}, warn: (line: string) => void lines.push(line), error() {} };
  const mounted = await capability.mount({ agent: AGENT, settings: {}, log } as unknown as MountScope);
  return { clock, streams, lines, mounted, wake: async () => opened[0]?.wake() };
}

test("an agent that has the incidents takes alerts in, and without a chat the log tells each change", async () => {
  const data = mkdtempSync(join(tmpdir(), "voxtree-incidents-"));
  const { clock, streams, lines, mounted, wake } = await mount(data);
  // What the framework itself writes, word for word.
  const self = { id: "019ad000-0000-7000-8000-000000000002", name: "ops" };
  const letters = createLetters({ self, ids: createIds(clock.now), now: clock.now });
  const gone = { code: "E_OFFLINE", about: "web", text: "web has not been heard of.", more: 0 } as const;
  streams.put("ops", 1, letters.alert({ ...gone, isOver: false }).text);
  await wake();
  clock.advance(11_000);
  await wake();
  expect(lines).toEqual(["🔴 CRIT web has not been heard of.  A-1\nSince 13:02:11 UTC · ops"]);

  const incidents = mounted.handle(CALL);
  expect(plainText(incidents.overview())).toBe(
    "1 incident is open, 1 of them unhandled\n🔴 A-1 web has not been heard of. · since 13:02 (11 s)",
  );
  expect(incidents.ack("A-1", "Ann")).toMatchObject({ text: "A-1 acked", isShown: true });
  await wake();
  streams.put("ops", 2, letters.alert({ ...gone, text: "web is back.", isOver: true }).text);
  await wake();
  expect(lines.slice(1)).toEqual([
    "🟠 CRIT web has not been heard of.  A-1\nAcked by Ann at 13:02\nSince 13:02:11 UTC · ops",
    "🟢 RESOLVED web has not been heard of.  A-1\n13:02-13:02 UTC (11 s) · ops · acked by Ann",
  ]);
  expect(plainText(incidents.overview())).toBe(
    [
      "Nothing is firing. What fails a watch, and agents that fall silent, appear here by themselves.",
      "The last was A-1, web has not been heard of., resolved 13:02; /incident A-1 tells about it.",
    ].join("\n"),
  );
  await mounted.close();
  clock.advance(60_000);
  rmSync(data, { recursive: true });
});

test("a file of incidents that cannot be opened keeps the role from starting, with the reason", async () => {
  const data = mkdtempSync(join(tmpdir(), "voxtree-incidents-"));
  await expect(mount(join(data, "x\0y"))).rejects.toThrow(/cannot be opened/);
  rmSync(data, { recursive: true });
});

test("what a role has the war room told is an incident as the role's words have it", async () => {
  const data = mkdtempSync(join(tmpdir(), "voxtree-incidents-"));
  const { clock, streams, mounted, wake } = await mount(data);
  const self = { id: "019ad000-0000-7000-8000-000000000003", name: "web" };
  const letters = createLetters({ self, ids: createIds(clock.now), now: clock.now });
  const alert = {
    kind: "watch.http",
    target: "https://shop.example",
    state: "firing",
    severity: "crit",
    summary: "HTTP 503",
    evidence: ["3 of 3 checks"],
    since: "2026-03-03T14:00:00+01:00",
    labels: { group: "shop" },
    next: "/http https://shop.example",
  } as const;
  streams.put("web", 1, letters.raise(alert, "berlin-1").text);
  await wake();
  expect(plainText(mounted.handle(CALL).details("A-1")?.text ?? "")).toBe(
    [
      "🔴 A-1 shop.example: HTTP 503",
      "crit, firing, since 13:00:00 UTC (2 min)",
      "watch.http of https://shop.example, told by web at berlin-1",
      "group = shop",
      "Next: /http https://shop.example",
      "3 of 3 checks",
      "What happened",
      "13:02 fired: HTTP 503",
    ].join("\n"),
  );
  await mounted.close();
  rmSync(data, { recursive: true });
});
