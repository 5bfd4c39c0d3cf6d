import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isFailure } from "../../src/envelope/index.ts";
import { openLedger, readLedger } from "../../src/ledger/index.ts";

/** Written by the first release: a coordinator that was asked how the machine is. */
const FIRST = join(import.meta.dirname, "../fixtures/ledgers/version-1.db");
const CORR = "01a22e8d-5140-7000-827e-8d0d12d77f6b";

function createCopy() {
  const dir = mkdtempSync(join(tmpdir(), "voxtree-version-"));
  const path = join(dir, "ledger.db");
  copyFileSync(FIRST, path);
  return { path, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) };
}

function open(path: string) {
  const ledger = openLedger({
    path,
    now: () => 1_800_000_000_000,
    durability: "normal",
    onFailure: (error) => {
      throw error;
    },
  });
  if (isFailure(ledger)) throw new Error(ledger.text);
  return ledger;
}

test("a ledger of the first release is brought up to date, and keeps what it held", () => {
  using copy = createCopy();
  open(copy.path).close();
  const reading = readLedger(copy.path);
  if (isFailure(reading)) throw new Error(reading.text);
  using _closed = reading;
  expect(reading.trace(CORR).map(({ direction, peer, message }) => [direction, peer, message.type])).toEqual([
    ["in", "root", "command_request"],
    ["out", "machine", "command_request"],
    ["in", "machine", "command_result"],
    ["out", "root", "command_result"],
  ]);
  // Nobody had noted which process it was.
  expect(reading.trace(CORR).map(({ pid }) => pid)).toEqual([undefined, undefined, undefined, undefined]);
});

test("each envelope is traced to the process that recorded it, also when a later one goes on", () => {
  using copy = createCopy();
  const first = open(copy.path);
  first.beginProcess(101);
  first.close();
  const second = open(copy.path);
  // Nothing came in between: what the first one would have recorded is the second one's.
  second.beginProcess(202);
  const [from, to] = [
    "agent.019ad000-0000-7000-8000-000000000002",
    "agent.019ad000-0000-7000-8000-000000000001",
  ];
  const message = {
    message_id: "01a22e8d-ffff-7000-8000-000000000001",
    emitted_at: "2026-11-30T22:30:00.000Z",
    source: from,
    target: to,
    message_source: "ops",
    type: "notice" as const,
    intent: "ops.host",
    details: {},
    reply_to: "01a22e8d-5181-7000-82a3-0ed3b30d1839",
    corr: CORR,
  };
  second.outbox.record("root", { message, text: JSON.stringify({ v: "1", id: message.message_id, ts: message.emitted_at, type: "event", from, to, intent: "ops.host", corr: CORR, reply_to: message.reply_to, trace: null, priority: "normal", requires: null, payload: {}, sig: null, message_source: "ops", message_type: "notice" }) }); // prettier-ignore
  second.close();
  const reading = readLedger(copy.path);
  if (isFailure(reading)) throw new Error(reading.text);
  using _closed = reading;
  expect(reading.trace(CORR).map(({ pid }) => pid)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    202,
  ]);
});

test("alerts are numbered without a gap, and those that were confirmed do not come again", () => {
  using copy = createCopy();
  const ledger = open(copy.path);
  for (const body of ["one", "two", "three"]) ledger.alerts.add(body);
  expect(ledger.alerts.after(0, 2)).toEqual([
    { seq: 1, body: "one" },
    { seq: 2, body: "two" },
  ]);
  ledger.alerts.confirm(2);
  expect(ledger.alerts.after(0, 10)).toEqual([{ seq: 3, body: "three" }]);
  ledger.close();
  const again = open(copy.path);
  again.alerts.confirm(3);
  again.alerts.add("four");
  expect(again.alerts.after(0, 10)).toEqual([{ seq: 4, body: "four" }]);
  again.close();
});
