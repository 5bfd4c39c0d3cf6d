import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { createLaneKeys } from "../../src/transport/lane-keys.ts";
import { createLaneHands } from "../faults/lanes.ts";
import { startRedis } from "../support/redis.ts";

test.each([
  ["as they come", {}],
  ["by priority", { priority: 5 }],
  ["with a delay", { delay: 60_000 }],
])(
  "a lane that is cleared while its sender goes on adding jobs (%s) keeps none that nothing lists",
  async (_, options) => {
    await using redis = await startRedis();
    const admin = new Redis(redis.url, { maxRetriesPerRequest: null });
    await using hands = createLaneHands(admin);
    const keys = createLaneKeys(admin, { from: "web", to: "ops" });
    let isAdding = true;
    const adding = (async () => {
      for (let i = 0; i < 20; i++) {
        await hands.push(
          "web.ops",
          Array.from({ length: 1500 }, () => "junk"),
          options,
        );
      }
      isAdding = false;
    })();
    let cleared = 0;
    while (isAdding) {
      await keys.clear();
      cleared += 1;
    }
    await adding;
    await keys.clear();
    expect(cleared).toBeGreaterThan(1);
    expect(await hands.leftovers()).toEqual([]);
    admin.disconnect();
  },
);
