import { describe, expect, test } from "vitest";
import { AeeEnvelope } from "../../src/envelope/aee.ts";
import { createBullmqTransport } from "../../src/transport/bullmq.ts";
import { createLocalTransport } from "../../src/transport/local.ts";
import type { AlertReader, Transport } from "../../src/transport/port.ts";
import { copyAsCrashed, startChain, type TestAgent } from "../support/agents.ts";
import { waitFor } from "../support/event-loop.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { startRedis } from "../support/redis.ts";

const ALERT = {
  kind: "watch.http",
  target: "https://shop.example",
  state: "firing",
  severity: "crit",
  summary: "HTTP 503",
} as const;

const WATCHING: readonly TestAgent[] = [
  { name: "root" },
  {
    name: "ops",
    commands: {
      look({ alert }) {
        alert(ALERT);
        return { text: "down" };
      },
      fail({ alert }) {
        alert({ ...ALERT, target: "https://never.example" });
        throw new Error("half way");
      },
    },
  },
];

/** What a reader finds of an agent: numbers, and what they are about. */
async function found(reader: AlertReader, agent: string, after = 0) {
  const alerts = await reader.read(agent, after, 100);
  return alerts.map(({ seq, text }) => {
    const { payload, message_type, message_source } = AeeEnvelope.parse(JSON.parse(text));
    return [seq, message_source, message_type, payload["target"] ?? payload["about"]];
  });
}

describe.each<[string, () => Promise<{ transport: Transport; end(): PromiseLike<void> }>]>([
  [
    "in one process",
    () => Promise.resolve({ transport: createLocalTransport(), end: () => Promise.resolve() }),
  ],
  [
    "over Redis",
    async () => {
      const redis = await startRedis();
      return {
        transport: createBullmqTransport({ url: redis.url }),
        end: () => redis[Symbol.asyncDispose](),
      };
    },
  ],
])("what a role has the war room told, %s,", (_, open) => {
  test("comes out under its agent's name and number until it is confirmed, and not when its handler failed", async () => {
    const { transport, end } = await open();
    const reader = transport.readAlerts();
    {
      await using chain = await startChain(WATCHING, { transport, clock: createManualClock() });
      await chain.ask("look");
      await chain.ask("fail");
      await waitFor(async () => (await found(reader, "ops")).length === 2);
      expect(await reader.agents()).toEqual(["ops"]);
      expect(await found(reader, "ops")).toEqual([
        [1, "ops", "alert", "https://shop.example"],
        [2, "ops", "system_failure", "fail E_INTERNAL"],
      ]);
      expect(await found(reader, "ops", 1)).toEqual([[2, "ops", "system_failure", "fail E_INTERNAL"]]);
      await reader.confirm("ops", 2);
      await chain.ask("look");
      await waitFor(async () => (await found(reader, "ops", 2)).length === 1);
      expect(await found(reader, "ops", 2)).toEqual([[3, "ops", "alert", "https://shop.example"]]);
    }
    await reader.close();
    await end();
  });
});

test("an alert that nobody had read when its process died comes out after the next start, by itself", async () => {
  await using first = await startChain(WATCHING, { clock: createManualClock() });
  await first.ask("look");
  using crashed = copyAsCrashed(first);
  const transport = createLocalTransport();
  const reader = transport.readAlerts();
  await using _again = await startChain(WATCHING, {
    transport,
    dir: crashed.dir,
    clock: createManualClock(),
  });
  await waitFor(async () => (await found(reader, "ops")).length === 1);
  expect(await found(reader, "ops")).toEqual([[1, "ops", "alert", "https://shop.example"]]);
});
