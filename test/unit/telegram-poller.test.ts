import { describe, expect, test } from "vitest";
import { createTelegramClient } from "../../src/capabilities/comm-gateway/telegram/client.ts";
import {
  createPoller,
  type Poller,
  type PollHealth,
} from "../../src/capabilities/comm-gateway/telegram/poller.ts";
import { updateIdOf } from "../../src/capabilities/comm-gateway/telegram/updates.ts";
import { type BotApi, createBotApi } from "../support/bot-api/index.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";

const TOKEN = "123456789:AAF-tOpSeCrEt_tOpSeCrEt_tOpSeCrEt12";
const ANN = { id: 7001, firstName: "Ann" };

interface Bench extends AsyncDisposable {
  readonly api: BotApi;
  readonly poller: Poller;
  /** Of the poller's waits. */
  readonly clock: ManualClock;
  /** Of the time that a call may take. */
  readonly callClock: ManualClock;
  /** Ids of updates that were taken, batch by batch. */
  readonly batches: (readonly (number | undefined)[])[];
  readonly lines: string[];
  /** Makes taking fail. */
  fault: Error | undefined;
  ann: ReturnType<BotApi["privateChat"]>;
  says(text: string): void;
  /** Resolves once `isThere`; it is looked at after every turn of the event loop. */
  until(isThere: () => boolean): Promise<void>;
  state(state: PollHealth["state"]): Promise<void>;
  /** Resolves when getUpdates has been called so often in all. */
  polls(count: number): Promise<void>;
  /** Lets the poller's waits pass until it has polled once more. */
  nextPoll(): Promise<void>;
}

async function openBench({ token = TOKEN }: { readonly token?: string } = {}): Promise<Bench> {
  const api = await createBotApi({ token: TOKEN, username: "vox_bot", random: () => 0.001 });
  const person = api.person(ANN);
  const clock = createManualClock();
  const callClock = createManualClock();
  const client = createTelegramClient({ token, apiRoot: api.url, clock: callClock });
  const line = (text: string, facts?: Readonly<Record<string, unknown>>): void =>
    void bench.lines.push(`${text} ${JSON.stringify(facts)}`);
  const count = (): number => api.calls.filter(({ method }) => method === "getUpdates").length;
  const poller = createPoller({
    client,
    clock,
    random: () => 1,
    log: { debug: line, info: line, warn: line, error: line },
    take(updates) {
      if (bench.fault) throw bench.fault;
      bench.batches.push(updates.map(updateIdOf));
    },
  });
  const bench: Bench = {
    api,
    poller,
    clock,
    callClock,
    batches: [],
    lines: [],
    fault: undefined,
    ann: api.privateChat(person, { isStarted: true }),
    says: (text) => void bench.ann.says(person, text),
    async until(isThere) {
      while (!isThere()) await new Promise(setImmediate);
    },
    state: (state) => bench.until(() => poller.health().state === state),
    polls: async (wanted) => void (await api.called("getUpdates", () => count() >= wanted)),
    async nextPoll() {
      const before = count();
      while (count() === before) {
        clock.advance(500);
        await new Promise(setImmediate);
      }
    },
    async [Symbol.asyncDispose]() {
      await poller.close();
      client.close();
      await api.close();
    },
  };
  return bench;
}

const offsets = (api: BotApi): unknown[] =>
  api.calls.filter(({ method }) => method === "getUpdates").map((call) => call.arguments.offset);

test("what is written comes in, and is confirmed by the poll after it was taken", async () => {
  await using bench = await openBench();
  bench.says("hello");
  bench.poller.start();
  await bench.until(() => bench.batches.length === 1);
  await bench.polls(2);
  expect(bench.batches).toEqual([[900_001]]);
  expect(offsets(bench.api).slice(0, 2)).toEqual([undefined, 900_002]);
  await bench.api.called("getUpdates", () => bench.api.pending === 0);
});

test("T4 updates that could not be stored are not confirmed, and come again", async () => {
  await using bench = await openBench();
  bench.fault = new Error("disk full");
  bench.says("hello");
  bench.poller.start();
  await bench.until(() => bench.poller.health().text.includes("disk full"));
  expect(bench.api.pending).toBe(1);
  bench.fault = undefined;
  await bench.nextPoll();
  await bench.until(() => bench.batches.length === 1);
  expect(offsets(bench.api).slice(0, 2)).toEqual([undefined, undefined]);
  await bench.state("ok");
});

test("no offset is kept: a fresh start asks for whatever was not confirmed", async () => {
  await using bench = await openBench();
  bench.poller.start();
  await bench.polls(1);
  expect(bench.api.calls.map(({ method }) => method)).toEqual(["getMe", "getUpdates"]);
  expect(bench.api.calls[1]?.arguments).toMatchObject({
    limit: 100,
    allowed_updates: ["message", "callback_query", "my_chat_member"],
  });
  expect(offsets(bench.api)).toEqual([undefined]);
});

test("T3 ids that begin again below the offset are heard after a day of silence", async () => {
  await using bench = await openBench();
  bench.poller.start();
  await bench.state("ok");
  bench.says("high");
  await bench.until(() => bench.batches.length === 1);
  await bench.polls(3);
  // So near below the offset that the server still takes it for one, and confirms what nobody has seen.
  bench.api.restartUpdateIdsAt(899_995);
  bench.clock.advance(24 * 3_600_000);
  const conflict = bench.api.faults.conflict();
  await conflict.happened();
  await bench.state("conflict");
  bench.says("low");
  await bench.nextPoll();
  await bench.until(() => bench.batches.length === 2);
  expect(bench.batches).toEqual([[900_001], [899_995]]);
});

test("T3 ids far below the offset are heard at once, and confirmed by their own numbers", async () => {
  await using bench = await openBench();
  bench.poller.start();
  bench.says("high");
  await bench.api.called("getUpdates", (call) => call.arguments.offset === 900_002);
  bench.api.restartUpdateIdsAt(17);
  bench.says("low");
  await bench.until(() => bench.batches.flat().includes(17));
  await bench.api.called("getUpdates", (call) => call.arguments.offset === 18);
});

test("T3 a server that does not take a confirmation is not asked without end, and brings what is new", async () => {
  await using bench = await openBench();
  bench.says("high");
  bench.poller.start();
  await bench.until(() => bench.batches.length === 1);
  bench.api.faults.duplicateUpdates({ isForgetful: true, times: Infinity });
  bench.says("second");
  await bench.until(() => bench.batches.flat().includes(900_002));
  for (let i = 0; i < 200; i++) await new Promise(setImmediate);
  expect(offsets(bench.api).length).toBeLessThan(8);
  bench.says("third");
  await bench.nextPoll();
  await bench.until(() => bench.batches.flat().includes(900_003));
});

describe("T6 another poller with the same token", () => {
  test("is told in health and log, is waited for longer each time, and is over when it is over", async () => {
    await using bench = await openBench();
    bench.poller.start();
    await bench.state("ok");
    const conflict = bench.api.faults.conflict({ times: 4 });
    await bench.state("conflict");
    expect(bench.poller.health().text).toMatch(
      /^Another program polls with the same token \(409 Conflict: .*\): stop it/,
    );
    for (let i = 0; i < 4; i++) await bench.nextPoll();
    await conflict.happened();
    bench.says("still there?");
    await bench.until(() => bench.batches.length === 1);
    await bench.state("ok");
    expect(bench.lines.filter((line) => line.includes("cannot be polled"))).toHaveLength(1);
  });

  test("waits 3, 6, 12 s and so on up to a minute", async () => {
    await using bench = await openBench();
    bench.api.faults.conflict({ times: Infinity });
    bench.poller.start();
    await bench.state("conflict");
    const waits: number[] = [];
    for (let i = 0; i < 7; i++) {
      const before = bench.clock.monotonic();
      await bench.nextPoll();
      waits.push(Math.round((bench.clock.monotonic() - before) / 1000));
    }
    // A wait is seen up to half a second late, and counted from when the one before was seen.
    const expected = [3, 6, 12, 24, 48, 60, 60];
    expect(waits.every((wait, i) => Math.abs(wait - (expected[i] ?? 0)) <= 12)).toBe(true);
    expect(waits[6]).toBeLessThanOrEqual(72);
  });
});

test("a webhook that is set is deleted once, and the log says so", async () => {
  await using bench = await openBench();
  const client = createTelegramClient({ token: TOKEN, apiRoot: bench.api.url, clock: bench.callClock });
  const setWebhook = (): unknown => client.call("setWebhook", { url: `https://old.example/${TOKEN}` });
  await setWebhook();
  bench.poller.start();
  await bench.state("ok");
  const deletions = (): number => bench.api.calls.filter(({ method }) => method === "deleteWebhook").length;
  expect(deletions()).toBe(1);
  expect(bench.lines.filter((line) => line.includes("webhook"))).toHaveLength(1);
  expect(bench.lines.join()).not.toContain("tOpSeCrEt");
  // Somebody who sets it again wants it; that is for people to settle.
  await setWebhook();
  await bench.state("conflict");
  expect(bench.poller.health().text).toContain("Another program sets a webhook for this bot");
  await bench.nextPoll();
  expect(deletions()).toBe(1);
  client.close();
});

describe("a token that is refused", () => {
  test.each([
    ["rejected", "123456789:AAF-wrong_wrong_wrong_wrong_wrong_wron"],
    ["not shaped like one", "nonsense"],
  ])("%s is told with what to do, is tried once a minute, and is no end", async (_, token) => {
    await using bench = await openBench({ token });
    bench.poller.start();
    await bench.state("unauthorised");
    expect(bench.poller.health()).toMatchObject({
      lastGoodPollAt: undefined,
      text: expect.stringMatching(
        /^Telegram refuses the bot's token \(401 .*\): get a valid one from @BotFather/,
      ),
    });
    expect(JSON.stringify([bench.poller.health(), bench.lines])).not.toContain(token);
  });

  test("in the middle of it all comes back when it is taken again", async () => {
    await using bench = await openBench();
    bench.poller.start();
    await bench.state("ok");
    const rejected = bench.api.faults.rejectToken();
    await bench.state("unauthorised");
    const calls = bench.api.calls.length;
    bench.clock.advance(59_999);
    await new Promise(setImmediate);
    expect(bench.api.calls).toHaveLength(calls);
    rejected.end();
    bench.clock.advance(1);
    await bench.state("ok");
  });
});

describe("T21 the network", () => {
  test("gone for minutes: it resumes by itself, and health keeps the time of the last good poll", async () => {
    await using bench = await openBench();
    bench.poller.start();
    await bench.state("ok");
    const lastGood = 1_772_366_400_000;
    expect(bench.poller.health().lastGoodPollAt).toBe(lastGood);
    const cut = bench.api.faults.cut({ method: "getUpdates", times: Infinity });
    await bench.state("unreachable");
    while (bench.clock.monotonic() < 5 * 60_000) await bench.nextPoll();
    expect(bench.poller.health()).toMatchObject({
      state: "unreachable",
      lastGoodPollAt: lastGood,
      text: expect.stringMatching(/^Telegram is not reached \(127\.0\.0\.1:\d+: /),
    });
    cut.end();
    bench.says("back?");
    await bench.nextPoll();
    await bench.until(() => bench.batches.length === 1);
    await bench.state("ok");
    expect(bench.poller.health().lastGoodPollAt).toBeGreaterThan(lastGood + 5 * 60_000 - 1);
  });

  test("hanging: a poll without an answer is given up after its time and 15 s", async () => {
    await using bench = await openBench();
    bench.poller.start();
    await bench.state("ok");
    const hang = bench.api.faults.hang({ method: "getUpdates" });
    await bench.polls(2);
    await hang.happened();
    bench.callClock.advance(45_000);
    await bench.state("unreachable");
    expect(bench.poller.health().text).toContain("getUpdates: no answer in time");
    bench.says("back?");
    await bench.nextPoll();
    await bench.until(() => bench.batches.length === 1);
  });

  test("a server that restarts, floods or hides behind a gateway is waited for", async () => {
    await using bench = await openBench();
    bench.poller.start();
    await bench.state("ok");
    bench.api.faults.restart({ method: "getUpdates" });
    await bench.state("unreachable");
    bench.api.faults.badGateway({ method: "getUpdates" });
    await bench.nextPoll();
    const flood = bench.api.faults.flood({ method: "getUpdates", retryAfter: 8 });
    await bench.nextPoll();
    await flood.happened();
    await bench.until(() => bench.poller.health().text.startsWith("Telegram asks to wait"));
    const before = bench.clock.monotonic();
    await bench.nextPoll();
    expect(bench.clock.monotonic() - before).toBeGreaterThanOrEqual(8_000);
    await bench.state("ok");
  });
});

test("closing ends a poll that is being held at once, also while it waits after trouble", async () => {
  await using bench = await openBench();
  bench.poller.start();
  await bench.state("ok");
  await bench.polls(2);
  await bench.poller.close();
  await using other = await openBench({ token: "nonsense" });
  other.poller.start();
  await other.state("unauthorised");
  await other.poller.close();
});
