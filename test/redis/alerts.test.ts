import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AeeEnvelope } from "../../src/envelope/aee.ts";
import { createBullmqTransport } from "../../src/transport/bullmq.ts";
import { startChain } from "../support/agents.ts";
import { waitFor } from "../support/event-loop.ts";
import { createForge, type Forged } from "../support/forge.ts";
import { readRows, refusalsOf } from "../support/ledger-rows.ts";
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

test("alerts whose stream was lost stand in it again under their numbers, and do not double there", async () => {
  const clock = createManualClock();
  await using chain = await startChain([{ name: "root" }, { name: "ops" }, { name: "web" }], {
    clock,
    transport: createBullmqTransport({ url: redis.url }),
  });
  await using queue = closing(new Queue("web.ops", { connection: admin, skipVersionCheck: true }));
  await queue.addBulk(Array.from({ length: 300 }, () => ({ name: "x", data: "junk" })));
  await waitFor(async () => (await alertsOf("ops")).length > 0);
  const stands = async () =>
    (await alertsOf("ops")).filter(({ alert }) => alert.payload["code"] === "E_LANE");
  const [first] = await stands();
  await admin.del("vx:alerts:ops");
  await waitFor(async () => {
    clock.advance(1000);
    return (await stands()).length > 0;
  });
  expect((await stands()).map(({ seq, alert }) => [seq, alert.id])).toEqual([[first?.seq, first?.alert.id]]);
  expect(readRows(chain.dir, "ops", "SELECT seq FROM alert")).not.toEqual([]);
});

describe("a child that sends without end what is well formed and means nothing has its lane shut:", () => {
  test.each<readonly [what: string, forged: Forged, code: string]>([
    [
      "answers to what nobody asked",
      { type: "command_result", reply_to: "019ad2ff-0000-7000-8000-000000000001", details: { summary: "x" } },
      "E_NOT_ASKED",
    ],
    [
      "errors to what nobody asked",
      {
        type: "command_error",
        reply_to: "019ad2ff-0000-7000-8000-000000000001",
        details: { code: "E_X", message: "x", retryable: false },
      },
      "E_NOT_ASKED",
    ],
    [
      "announcements of what are no commands",
      { type: "announcement", intent: "mha.announcement.commands", details: { commands: "all" } },
      "E_ENVELOPE_INVALID",
    ],
    [
      "heartbeats that say nothing",
      { type: "heartbeat", intent: "mha.heartbeat.report", details: { state: "dancing" } },
      "E_ENVELOPE_INVALID",
    ],
  ])("%s", async (_, forged, code) => {
    const clock = createManualClock();
    await using chain = await startChain(
      [{ name: "root" }, { name: "ops" }, { name: "web", commands: { look: () => ({ text: "seen" }) } }],
      { clock, transport: createBullmqTransport({ url: redis.url }) },
    );
    const forge = createForge(chain, clock.now);
    await using queue = closing(new Queue("web.ops", { connection: admin, skipVersionCheck: true }));
    const junk = Array.from({ length: 2000 }, () => ({ name: "x", data: forge.text("web", "ops", forged) }));
    await queue.addBulk(junk);
    await waitFor(async () => (await alertsOf("ops")).length > 0);
    expect((await alertsOf("ops")).map(({ alert }) => alert.payload)).toMatchObject([
      { code: "E_LANE", about: "web shut" },
    ]);
    const refused = refusalsOf(chain.dir, "ops");
    expect(Object.keys(refused)).toEqual([`web ${code}`]);
    // Of two thousand only what came before the lane was shut has been looked at.
    expect(refused[`web ${code}`]).toBeGreaterThan(100);
    expect(refused[`web ${code}`]).toBeLessThan(1000);
  });
});

test("answers that come again and again never shut the lane of the child that gave them", async () => {
  const clock = createManualClock();
  await using chain = await startChain(
    [{ name: "root" }, { name: "ops" }, { name: "web", commands: { look: () => ({ text: "seen" }) } }],
    { clock, transport: createBullmqTransport({ url: redis.url }) },
  );
  const offered = () => chain.agents.get("root")?.commands().length === 1;
  await waitFor(() => Promise.resolve(offered()));
  expect((await chain.ask("look")).reply.text).toBe("seen");
  const answer = chain.lanes.carried.find(
    ({ from, text }) => from === "web" && text.includes('"command_result"'),
  );
  await using queue = closing(new Queue("web.ops", { connection: admin, skipVersionCheck: true }));
  await queue.addBulk(Array.from({ length: 2000 }, () => ({ name: "x", data: answer?.text ?? "" })));
  await waitFor(async () => (await admin.llen("bull:web.ops:wait")) === 0);
  // What comes after all of them is taken.
  expect((await chain.ask("look")).reply.text).toBe("seen");
  expect(refusalsOf(chain.dir, "ops")).toEqual({});
  expect(await alertsOf("ops")).toEqual([]);
});

/** A queue that is closed with its scope. */
function closing(queue: Queue): Queue & AsyncDisposable {
  return Object.assign(queue, { [Symbol.asyncDispose]: () => queue.close() });
}
