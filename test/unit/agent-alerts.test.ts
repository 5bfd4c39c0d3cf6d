import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAlerts } from "../../src/agent/alerts.ts";
import { createLetters } from "../../src/agent/letters.ts";
import { createIds, isFailure } from "../../src/envelope/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { settled } from "../support/event-loop.ts";
import { createManualClock } from "../support/manual-clock.ts";

/** An agent's alerts over a ledger of its own, and a stream that keeps what is added to it. */
function openAlerts() {
  const dir = mkdtempSync(join(tmpdir(), "voxtree-alerts-"));
  const clock = createManualClock();
  const ledger = openLedger({
    path: join(dir, "ledger.db"),
    now: clock.now,
    durability: "normal",
    onFailure(error) {
      throw error;
    },
  });
  if (isFailure(ledger)) throw new Error(ledger.text);
  const quiet = (): void => undefined;
  const nothing: (seq: number) => void = quiet;
  const stream = {
    confirmed: 0,
    isReadable: true,
    added: [] as { seq: number; text: string }[],
    onAdd: nothing,
  };
  const alerts = createAlerts({
    ledger,
    clock,
    letters: createLetters({
      self: { id: "019ad200-0000-7000-8000-000000000001", name: "ops" },
      ids: createIds(clock.now),
      now: clock.now,
    }),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    stream: () => ({
      confirmed: () => Promise.resolve(stream.confirmed),
      newest: (most) =>
        Promise.resolve(stream.isReadable ? stream.added.slice(-most).map(({ seq }) => seq) : undefined),
      add(seq, text) {
        const { payload } = JSON.parse(text) as { payload: { text: string } };
        stream.added.push({ seq, text: payload.text });
        stream.onAdd(seq);
        return Promise.resolve();
      },
    }),
  });
  return {
    alerts,
    clock,
    ledger,
    stream,
    [Symbol.dispose]() {
      alerts.stop();
      ledger.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

test("the last word about a child that comes and goes is the one that is true", async () => {
  using open = openAlerts();
  const tell = (state: "online" | "offline"): void =>
    open.alerts.presence({ child: "web", state, isPlanned: false });
  tell("offline");
  tell("online");
  open.clock.advance(2000);
  tell("offline");
  await settled();
  expect(open.stream.added.map(({ text }) => text)).toEqual([
    "web has not been heard of; its commands are not available.",
    "web is back.",
    "web has not been heard of; its commands are not available.",
  ]);
});

test("the same again within a minute is counted, and told with the next", async () => {
  using open = openAlerts();
  const flood = { code: "E_LANE", about: "web shut", text: "shut" } as const;
  expect([open.alerts.raise(flood), open.alerts.raise(flood), open.alerts.raise(flood)]).toEqual([
    true,
    false,
    false,
  ]);
  open.clock.advance(60_000);
  expect(open.alerts.raise(flood)).toBe(true);
  await settled();
  const [, last] = open.ledger.alerts.after(0, 10);
  expect(JSON.parse(last?.body ?? "")).toMatchObject({ payload: { more: 2 } });
});

test("a stream that is wiped in the middle of a round has all of them in the end", async () => {
  using open = openAlerts();
  open.stream.onAdd = (seq) => {
    if (seq !== 5) return;
    open.stream.onAdd = () => undefined;
    open.stream.added.length = 0;
    open.alerts.resend();
  };
  for (let n = 1; n <= 10; n++) open.alerts.raise({ code: "E_LANE", about: `lane ${n}`, text: `alert ${n}` });
  await settled();
  expect(open.stream.added).toEqual(
    Array.from({ length: 10 }, (_, i) => ({ seq: i + 1, text: `alert ${i + 1}` })),
  );
});

test("after a ledger was lost, its successor's alerts are numbered beyond what was confirmed before", async () => {
  using open = openAlerts();
  open.stream.confirmed = 500;
  open.alerts.raise({ code: "E_LANE", about: "one", text: "first" });
  await settled();
  open.alerts.raise({ code: "E_LANE", about: "two", text: "second" });
  await settled();
  expect(open.stream.added).toEqual([
    { seq: 501, text: "first" },
    { seq: 502, text: "second" },
  ]);
});

/** Three alerts, the first of them taken by the war room. */
async function raiseThree(open: ReturnType<typeof openAlerts>): Promise<void> {
  for (let n = 1; n <= 3; n++) open.alerts.raise({ code: "E_LANE", about: `lane ${n}`, text: `alert ${n}` });
  await settled();
  open.stream.confirmed = 1;
  await pass(open, 10);
}

/** Lets seconds pass in steps of ten, each with what happens in it. */
async function pass(open: ReturnType<typeof openAlerts>, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i += 10) {
    open.clock.advance(10_000);
    await settled();
  }
}

const numbers = ({ stream }: ReturnType<typeof openAlerts>): number[] => stream.added.map(({ seq }) => seq);

test("a stream that was lost gets again, under their numbers, what is not confirmed, and nothing else", async () => {
  using open = openAlerts();
  await raiseThree(open);
  open.stream.added.length = 0;
  await pass(open, 80);
  expect(numbers(open)).toEqual([2, 3]);
});

test("a lost stream is noticed although something newer was added to it since", async () => {
  using open = openAlerts();
  await raiseThree(open);
  open.stream.added.length = 0;
  open.alerts.raise({ code: "E_LANE", about: "lane 4", text: "alert 4" });
  await pass(open, 600);
  expect(numbers(open)).toEqual([4, 2, 3, 4]);
});

test("a watermark that goes back has what is not confirmed added again at once, and once", async () => {
  using open = openAlerts();
  await raiseThree(open);
  open.stream.confirmed = 0;
  open.stream.added.length = 0;
  await pass(open, 600);
  expect(numbers(open)).toEqual([2, 3]);
});

test("a watermark that stands still while the alerts are there has none added again", async () => {
  using open = openAlerts();
  await raiseThree(open);
  await pass(open, 4 * 60 * 60);
  expect(numbers(open)).toEqual([1, 2, 3]);
});

test("where the agent may not look, a watermark that stands still has them added again, ever more rarely", async () => {
  using open = openAlerts();
  open.stream.isReadable = false;
  await raiseThree(open);
  open.stream.added.length = 0;
  await pass(open, 4 * 60 * 60);
  // After 1, 2, 4, 8, 16, 32 minutes, and then each hour.
  expect(numbers(open)).toEqual(Array.from({ length: 8 }, () => [2, 3]).flat());
});
