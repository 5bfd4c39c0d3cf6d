import { tryCommand } from "#sdk/testing";
import { expect, test } from "vitest";
import warroom from "./incidents.ts";

const A_1 = {
  id: "A-1",
  state: "firing",
  isFlapping: false,
  severity: "crit",
  kind: "watch.http",
  agent: "web",
  target: "https://shop.example",
  summary: "shop.example: HTTP 503",
  since: "2026-03-03T13:02:11.000Z",
  resolvedAt: null,
  ackedBy: null,
  silencedUntil: null,
} as const;

test("what is firing is listed for people and for programs", async () => {
  const incidents = { open: () => [A_1], overview: () => ({ markup: [{ text: "1 incident is open" }] }) };
  expect(await tryCommand(warroom, "alerts", {}, { incidents })).toMatchObject({
    text: { markup: [{ text: "1 incident is open" }] },
    data: { incidents: [{ id: "A-1", state: "firing" }] },
  });
});

test("an incident that there is not is a failure that says where to look", async () => {
  const incidents = { details: () => undefined };
  expect(await tryCommand(warroom, "incident", { id: "A-9" }, { incidents })).toMatchObject({
    failure: "E_NOT_FOUND",
    text: "There is no such incident; /alerts lists what is open.",
  });
});

test("who asks is who acks, silences and presses", async () => {
  const asked: unknown[] = [];
  const acted = (...given: readonly unknown[]) => {
    asked.push(given);
    return { text: "A-1 acked", incident: "A-1", isShown: true };
  };
  const incidents = { ack: acted, silence: acted, unsilence: acted, press: acted };
  const by = "Ann";
  expect(await tryCommand(warroom, "ack", { id: "A-1", by }, { incidents })).toMatchObject({
    text: "A-1 acked",
    data: { incident: "A-1", isShown: true },
  });
  await tryCommand(warroom, "silence", { id: "A-1", duration: 7_200_000, by }, { incidents });
  await tryCommand(warroom, "unsilence", { id: "A-1", by }, { incidents });
  await tryCommand(warroom, "incident_press", { token: "wr.abc", by }, { incidents });
  expect(asked).toEqual([
    ["A-1", "Ann"],
    ["A-1", 7_200_000, "Ann"],
    ["A-1", "Ann"],
    ["wr.abc", "Ann"],
  ]);
});

test("what cannot be done is told as the incidents tell it", async () => {
  const incidents = {
    ack: () => ({ failure: "E_NOT_FOUND", text: "There is no incident A-9.", retryable: false }),
  };
  expect(await tryCommand(warroom, "ack", { id: "A-9", by: "Ann" }, { incidents })).toMatchObject({
    failure: "E_NOT_FOUND",
  });
});
