import { expect, test } from "vitest";
import { copyAsCrashed, startChain, type TestAgent } from "../support/agents.ts";
import { settled } from "../support/event-loop.ts";
import { createForge } from "../support/forge.ts";
import { createSharedLanes } from "../support/lanes.ts";
import { createManualClock } from "../support/manual-clock.ts";

const CHAIN: readonly TestAgent[] = [
  { name: "root" },
  { name: "ops", commands: { run: () => ({ text: "done" }) } },
];

test("what a child offered before does not count again when it comes late, once more or after a restart of its master", async () => {
  const clock = createManualClock();
  await using chain = await startChain(CHAIN, { clock });
  const forge = createForge(chain, clock.now);
  const root = chain.agents.get("root");
  const offered = () => root?.commands().map(({ name }) => name);
  const command = {
    name: "walk",
    description: "Walk",
    prompts: [],
    input: { type: "object", properties: {} },
    effect: "read",
    access: "viewer",
    timeoutMs: 1000,
  };
  /** An announcement that was made so many ms after noon by the clock of the lanes. */
  const announcement = (ms: number, names: readonly string[]): string =>
    forge.text("ops", "root", {
      type: "announcement",
      intent: "mha.commands.announce",
      requires: { asked_at: 1_772_366_400_000 + ms },
      details: { commands: names.map((name) => ({ ...command, name })) },
    });
  const [first, second] = [announcement(1000, []), announcement(2000, ["walk"])];
  await chain.lanes.inject("ops", "root", first);
  expect(offered()).toEqual([]);
  await chain.lanes.inject("ops", "root", second);
  expect(offered()).toEqual(["walk"]);
  for (const again of [first, second, announcement(1500, ["run"])])
    await chain.lanes.inject("ops", "root", again);
  expect(offered()).toEqual(["walk"]);

  // The next process of the master starts without its child, which runs elsewhere, and hears the oldest once more.
  await settled();
  using crashed = copyAsCrashed(chain);
  const lanes = createSharedLanes();
  await using after = await startChain(CHAIN, {
    clock,
    dir: crashed.dir,
    transport: lanes.transport,
    missing: ["ops"],
  });
  const next = after.agents.get("root");
  await after.lanes.inject("ops", "root", first);
  expect(next?.commands().map(({ name }) => name)).toEqual(["walk"]);

  // A child whose own clock was set back still says what is newer by the clock of the lanes.
  clock.setWallClock(clock.now() - 5 * 60_000);
  await chain.lanes.inject("ops", "root", announcement(3000, ["walk", "run"]));
  await settled();
  expect(offered()).toEqual(["walk", "run"]);
});
