import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyAsCrashed, startChain, type TestAgent, type TestChain } from "../support/agents.ts";
import { settled } from "../support/event-loop.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { startShared } from "../support/shared-agents.ts";

const idOf = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, "0")}`;

/** Three levels under names that stand in no text, and everything that can go wrong on the lowest one. */
const CHAIN: readonly TestAgent[] = [
  { name: "quorl" },
  { name: "bizmuth" },
  {
    name: "fjordan",
    timeoutMs: 5000,
    commands: {
      throws: () => {
        throw new Error("fjordan has a secret");
      },
      gives_nonsense: () => ({ txet: "misspelt" }),
      gives_no_json: () => ({ text: "x", data: { at: Number.NaN } }),
      gives_too_much: () => ({ text: "x".repeat(1_100_000) }),
      fails: () => ({ failure: "E_OWN", text: "It did not work." }),
      asks_below: async ({ delegate }) => {
        const answer = await delegate("nobody_offers_this", {});
        return "failure" in answer ? answer : { text: answer.text };
      },
      hangs: () => new Promise(() => {}),
    },
  },
];

const TEXTS: Readonly<Record<string, RegExp>> = {
  throws: /^E_INTERNAL: /,
  gives_nonsense: /^E_BAD_REPLY: /,
  gives_no_json: /^E_BAD_REPLY: /,
  gives_too_much: /^E_TOO_LARGE: /,
  fails: /^E_OWN: /,
  asks_below: /^E_UNKNOWN_COMMAND: /,
  hangs: /^E_TIMEOUT: /,
};

function expectUnknown(chain: TestChain, agent: string, facts: readonly string[]): void {
  const dir = join(chain.dir, agent);
  for (const file of readdirSync(dir)) {
    const bytes = readFileSync(join(dir, file));
    expect({ file, holds: facts.filter((fact) => bytes.includes(fact)) }).toEqual({ file, holds: [] });
  }
}

function expectSecrecy(chain: TestChain): void {
  const [quorl, , fjordan] = ["quorl", "bizmuth", "fjordan"].map(
    (name) => chain.agents.get(name)?.self.id ?? "",
  );
  expectUnknown(chain, "quorl", ["fjordan", fjordan ?? ""]);
  expectUnknown(chain, "fjordan", ["quorl", quorl ?? ""]);
  expect(JSON.stringify([chain.replies, chain.progress])).not.toMatch(/fjordan|bizmuth/);
}

test("whatever goes wrong two levels down, what is told of it names nobody", async () => {
  const clock = createManualClock();
  await using chain = await startChain(CHAIN, { clock });
  for (const [i, command] of Object.keys(TEXTS).entries()) await chain.say(command, idOf(i));
  await settled();
  for (let ms = 0; ms < 6000; ms += 500) {
    clock.advance(500);
    await settled();
  }
  expect(chain.replies).toHaveLength(Object.keys(TEXTS).length);
  for (const { question = "", reply } of chain.replies)
    expect(reply.text).toMatch(TEXTS[question] ?? /never/);
  expectSecrecy(chain);
});

test("neither does a child that is gone, one that crashes its agent, nor what is cancelled", async () => {
  const clock = createManualClock();
  await using first = await startChain(CHAIN, { clock });
  await first.say("hangs", idOf(1));
  await first.say("hangs", idOf(2));
  await settled();
  first.agents.get("quorl")?.cancelOthers({ id: idOf(1), askedBy: "human.test-ann" });
  await settled();
  expectSecrecy(first);

  // Crashed among others, and twice alone.
  const folders = [copyAsCrashed(first)];
  for (let i = 0; i < 2; i++) {
    await using chain = await startChain(CHAIN, { clock, dir: folders.at(-1)?.dir ?? "" });
    await settled();
    folders.push(copyAsCrashed(chain));
  }
  await using last = await startChain(CHAIN, { clock, dir: folders.at(-1)?.dir ?? "" });
  await settled();
  expect(last.replies.map(({ reply }) => reply.text)).toEqual([
    "E_DEAD_LETTER: This request crashed the agent that worked on it twice, and has been put aside.",
  ]);
  expectSecrecy(last);

  // Nobody answers any more.
  last.lanes.isLost = ({ to }) => to === "fjordan";
  await last.say("fails", idOf(3));
  for (let ms = 0; ms < 6000; ms += 200) {
    clock.advance(200);
    await settled();
  }
  expect(last.replies.at(-1)?.reply.text).toBe("E_TIMEOUT: No answer came in time.");
  expectSecrecy(last);
  for (const folder of folders) folder[Symbol.dispose]();
});

test("neither does what is told of a child that is gone, at once or while it was asked", async () => {
  await using shared = await startShared(CHAIN);
  const { chain } = shared;
  await chain.say("hangs", idOf(1));
  await settled();
  await shared.crash("fjordan");
  await chain.say("fails", idOf(2));
  await shared.pass(20);
  await chain.say("fails", idOf(3));
  await settled();
  expect(chain.replies.map(({ reply }) => reply.text)).toEqual([
    'E_TIMEOUT: "hangs" took too long.',
    'E_TIMEOUT: "fails" took too long.',
    'E_OFFLINE: "fails" cannot be asked for just now: who can do it has not been heard of for 20 s.',
  ]);
  expectSecrecy(chain);
});

test("nor what is given up because its child is gone", async () => {
  await using shared = await startShared(CHAIN.map((agent) => ({ ...agent, timeoutMs: 60_000 })));
  const { chain } = shared;
  await shared.crash("fjordan");
  await chain.say("fails", idOf(1));
  await shared.pass(15);
  expect((await chain.replyTo(idOf(1))).reply.text).toBe(
    'E_OFFLINE: "fails" cannot be asked for just now: who can do it has not been heard of for 15 s.',
  );
  expectSecrecy(chain);
});
