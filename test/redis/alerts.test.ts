import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AeeEnvelope } from "../../src/envelope/aee.ts";
import { createBullmqTransport } from "../../src/transport/bullmq.ts";
import { startChain } from "../support/agents.ts";
import { waitFor } from "../support/event-loop.ts";
import { readRows } from "../support/ledger-rows.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { type RunningRedis, startRedis } from "../support/redis.ts";

let redis: RunningRedis;
let admin: Redis;
beforeAll(async () => {
  redis = await startRedis();
  admin = new Redis(redis.url);
});
afterAll(async () => {
  admin.disconnect();
  await redis[Symbol.asyncDispose]();
});
beforeEach(() => admin.flushall());

/** The alerts that stand in an agent's stream, with their numbers. */
async function alertsOf(agent: string): Promise<readonly { seq: number; alert: AeeEnvelope }[]> {
  const entries = await admin.xrange(`vx:alerts:${agent}`, "-", "+");
  return entries.map(([, [, seq = "", , text = ""]]) => ({
    seq: Number(seq),
    alert: AeeEnvelope.parse(JSON.parse(text)),
  }));
}

test("a lane that its sender floods is told to the war room once, again after a wipe, and not any more once it is confirmed", async () => {
  const clock = createManualClock();
  await using chain = await startChain(
    [{ name: "root" }, { name: "ops" }, { name: "web", commands: { look: () => ({ text: "seen" }) } }],
    { clock, transport: createBullmqTransport({ url: redis.url }) },
  );
  await using queue = closing(new Queue("web.ops", { connection: admin, skipVersionCheck: true }));
  await queue.addBulk(Array.from({ length: 300 }, () => ({ name: "x", data: "junk" })));
  await waitFor(async () => (await alertsOf("ops")).length > 0);
  const [first, ...more] = await alertsOf("ops");
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    seq: 1,
    alert: {
      type: "event",
      message_type: "system_failure",
      message_source: "ops",
      to: "warroom",
      intent: "mha.system.alert",
      payload: { code: "E_LANE", about: "web shut", is_over: false, more: 0 },
    },
  });
  expect(first?.alert.payload["text"]).toMatch(
    /^The lane from web was shut: \d+ envelopes of \d+ bytes refused/,
  );
  expect(readRows(chain.dir, "ops", "SELECT seq FROM alert")).toEqual([{ seq: 1 }]);

  await admin.flushall();
  await waitFor(async () => (await alertsOf("ops")).length > 0);
  expect((await alertsOf("ops")).map(({ seq, alert }) => [seq, alert.id])).toEqual([[1, first?.alert.id]]);

  await admin.set("vx:ack:alerts:ops", 1);
  clock.advance(10_000);
  await waitFor(() => Promise.resolve(readRows(chain.dir, "ops", "SELECT seq FROM alert").length === 0));
  // Others have nothing to tell.
  expect([await alertsOf("web"), await alertsOf("root")]).toEqual([[], []]);
});

/** A queue that is closed with its scope. */
function closing(queue: Queue): Queue & AsyncDisposable {
  return Object.assign(queue, { [Symbol.asyncDispose]: () => queue.close() });
}
