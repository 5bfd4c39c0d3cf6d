import { expect, test } from "vitest";
import { createCommandMap } from "../../src/agent/command-map.ts";
import { createReplay, JournalMismatch } from "../../src/agent/replay.ts";
import type { CommandAnnouncement } from "../../src/sdk/announcement.ts";
import { createChainFolder, startChain, type TestAgent } from "../support/agents.ts";
import { settled } from "../support/event-loop.ts";
import { createManualClock } from "../support/manual-clock.ts";

const step = (key: string, roleHash: string) =>
  ({ kind: "step", position: 0, key, roleHash, value: "1" }) as const;

test("a step of one role that is missing in the journal is new work, though another role's step is there", () => {
  const replay = createReplay([step("step:second#0", "b@1")]);
  expect(replay.find("step:first#0", "a@1")).toBeUndefined();
  expect(replay.find("step:second#0", "b@1")?.key).toBe("step:second#0");
});

test("a step that a role no longer asks for, after its code has changed, is a mismatch", () => {
  const replay = createReplay([step("step:old#0", "a@1")]);
  expect(() => replay.find("step:new#0", "a@2")).toThrow(JournalMismatch);
});

const command = (name: string): CommandAnnouncement => ({
  name,
  description: name,
  prompts: [],
  input: {},
  effect: "read",
  timeoutMs: 1000,
});

test("two children that offer one command collide for as long as both do, and no longer", () => {
  const map = createCommandMap([], [{ name: "web" }, { name: "api" }]);
  map.announce("web", [command("http")]);
  map.announce("api", [command("http"), command("port")]);
  expect(map.collisions).toEqual([{ command: "http", kept: "web", disabled: "api" }]);
  expect(map.find("http")?.place).toEqual({ kind: "child", children: ["web"] });
  map.announce("api", [command("port")]);
  expect(map.collisions).toEqual([]);
});

test("a question that was open before a restart and is not asked again is cancelled when its task ends", async () => {
  using folder = createChainFolder();
  const clock = createManualClock();
  const aborted = Promise.withResolvers<void>();
  let isSecondStart = false;
  const chain: TestAgent[] = [
    { name: "root" },
    {
      name: "ops",
      commands: {
        ask: async ({ delegate }) => {
          if (isSecondStart) return { text: "gave up" };
          const answer = await delegate("hang", {});
          return { text: answer.text };
        },
      },
    },
    {
      name: "web",
      commands: {
        hang: ({ signal }) => {
          if (isSecondStart) signal.addEventListener("abort", () => aborted.resolve());
          return new Promise(() => {});
        },
      },
    },
  ];
  const words = "00000000-0000-5000-8000-000000000001";
  {
    await using before = await startChain(chain, { dir: folder.dir, clock });
    await before.say("ask", words);
    await settled();
  }
  isSecondStart = true;
  await using after = await startChain(chain, { dir: folder.dir, clock });
  expect((await after.replyTo(words)).reply.text).toBe("gave up");
  await aborted.promise;
  const before = after.lanes.carried.length;
  clock.advance(1000);
  await settled();
  clock.advance(60_000);
  await settled();
  const later = after.lanes.carried.slice(before).filter(({ text }) => text.includes('"command_request"'));
  expect(later).toEqual([]);
});
