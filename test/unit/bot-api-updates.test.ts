import { describe, expect, test } from "vitest";
import { callBot, type Answer } from "../support/bot-api/caller.ts";
import { createBotApi, type BotApi } from "../support/bot-api/index.ts";
import { createManualClock } from "../support/manual-clock.ts";

// The first update is number 101: 1 + floor(900,000,000 × random).
const BOT = {
  token: "700100:AAE-secret_of-the-bot",
  username: "voxtree_bot",
  random: () => 100 / 900_000_000,
};
const OTHER_POLLER = {
  ok: false,
  error_code: 409,
  description:
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
};

/** Puts updates there, each with its place in the order. */
function fill(api: BotApi, count: number): void {
  for (let n = 1; n <= count; n += 1) api.push({ message: { n } });
}

async function ids(api: BotApi, given: Record<string, unknown> = {}): Promise<number[]> {
  const { result } = await callBot(api, "getUpdates", given);
  return (result as { update_id: number }[]).map(({ update_id }) => update_id);
}

/** A poll that is being held when this resolves. */
async function holdPoll(
  api: BotApi,
  given: Record<string, unknown> = {},
): Promise<{ answer: Promise<Answer> }> {
  const open = (): number => api.calls.filter(({ status }) => status === "open").length;
  const before = open();
  const answer = callBot(api, "getUpdates", { timeout: 50, ...given });
  answer.catch(() => undefined);
  await api.called("getUpdates", () => open() > before);
  return { answer };
}

describe("offset and limit", () => {
  test("updates stay until an offset beyond them confirms them", async () => {
    await using api = await createBotApi(BOT);
    fill(api, 3);
    expect(await ids(api)).toEqual([101, 102, 103]);
    expect(await ids(api)).toEqual([101, 102, 103]);
    expect(await ids(api, { offset: 102 })).toEqual([102, 103]);
    expect(await ids(api)).toEqual([102, 103]);
    expect(await ids(api, { offset: 104 })).toEqual([]);
    expect(api.pending).toBe(0);
  });

  test("a negative offset keeps the last ones and forgets the others", async () => {
    await using api = await createBotApi(BOT);
    fill(api, 5);
    expect(await ids(api, { offset: -2 })).toEqual([104, 105]);
    expect(await ids(api)).toEqual([104, 105]);
    expect(await ids(api, { offset: -9 })).toEqual([104, 105]);
  });

  test("an offset of up to 10 past the newest confirms all, one beyond that is no offset", async () => {
    await using api = await createBotApi(BOT);
    fill(api, 3);
    expect(await ids(api, { offset: 114 })).toEqual([101, 102, 103]);
    expect(await ids(api, { offset: 113 })).toEqual([]);
  });

  test.each<[limit: number | undefined, got: number]>([
    [undefined, 100],
    [0, 1],
    [1, 1],
    [100, 100],
    [500, 100],
  ])("a limit of %s of 120 updates gives %i", async (limit, got) => {
    await using api = await createBotApi(BOT);
    fill(api, 120);
    expect(await ids(api, limit === undefined ? {} : { limit })).toHaveLength(got);
    expect(api.pending).toBe(120);
  });
});

describe("numbers of updates", () => {
  test("the first is random", async () => {
    await using one = await createBotApi({ ...BOT, random: () => 0 });
    await using other = await createBotApi({ ...BOT, random: () => 0.999 });
    fill(one, 1);
    fill(other, 1);
    expect(await ids(one)).toEqual([1]);
    expect(await ids(other)).toEqual([899_100_001]);
  });

  test("they may restart lower, and an old offset then confirms none of the new ones", async () => {
    await using api = await createBotApi(BOT);
    fill(api, 1);
    expect(await ids(api, { offset: 102 })).toEqual([]);
    api.restartUpdateIdsAt(7);
    fill(api, 2);
    expect(await ids(api, { offset: 102 })).toEqual([7, 8]);
    expect(await ids(api, { offset: 9 })).toEqual([]);
  });

  test("an update that nobody confirms lives for 24 hours", async () => {
    const clock = createManualClock();
    await using api = await createBotApi({ ...BOT, clock });
    fill(api, 1);
    clock.advance(24 * 3_600_000 - 1);
    fill(api, 1);
    expect(await ids(api)).toEqual([101, 102]);
    clock.advance(1);
    expect(await ids(api)).toEqual([102]);
  });
});

describe("the long poll", () => {
  test("is held until an update comes", async () => {
    await using api = await createBotApi({ ...BOT, clock: createManualClock() });
    const { answer } = await holdPoll(api);
    api.push({ message: { n: 1 } });
    expect((await answer).result).toEqual([{ update_id: 101, message: { n: 1 } }]);
  });

  test.each<[timeout: number, heldMs: number]>([
    [7, 7000],
    [50, 50_000],
    [90, 50_000],
  ])("of %i seconds ends empty after %i ms", async (timeout, heldMs) => {
    const clock = createManualClock();
    await using api = await createBotApi({ ...BOT, clock });
    const { answer } = await holdPoll(api, { timeout });
    clock.advance(heldMs - 1);
    expect(api.calls).toMatchObject([{ status: "open" }]);
    clock.advance(1);
    expect((await answer).result).toEqual([]);
  });

  test.each([{}, { timeout: 0 }])("is none without a timeout: %o", async (given) => {
    await using api = await createBotApi({ ...BOT, clock: createManualClock() });
    expect(await ids(api, given)).toEqual([]);
  });

  test("that is the older of two is ended with 409, and the newer one gets the update", async () => {
    await using api = await createBotApi(BOT);
    const older = await holdPoll(api);
    const newer = await holdPoll(api);
    const { status, outcome } = await older.answer;
    expect([status, outcome]).toEqual([409, OTHER_POLLER]);
    fill(api, 1);
    expect((await newer.answer).result).toMatchObject([{ update_id: 101 }]);
  });

  test("is left alone by a second poller that does not wait", async () => {
    await using api = await createBotApi(BOT);
    const held = await holdPoll(api);
    expect(await ids(api)).toEqual([]);
    fill(api, 1);
    expect((await held.answer).status).toBe(200);
  });

  test("is over when whoever polls hangs up, and its update is there for the next one", async () => {
    await using api = await createBotApi(BOT);
    const leaving = new AbortController();
    const { signal } = leaving;
    const left = fetch(`${api.url}/bot${api.token}/getUpdates?timeout=50`, { signal }).catch(() => "left");
    await api.called("getUpdates");
    leaving.abort();
    expect(await left).toBe("left");
    await api.called("getUpdates", ({ status }) => status === "gone");
    const fault = api.faults.duplicateUpdates();
    fill(api, 1);
    expect(fault.met).toBe(0);
    expect(await ids(api)).toEqual([101, 101]);
  });
});

describe("a webhook", () => {
  const WEBHOOK_SET = {
    ok: false,
    error_code: 409,
    description:
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  };

  test("shuts getUpdates until it is deleted", async () => {
    await using api = await createBotApi(BOT);
    fill(api, 1);
    await callBot(api, "setWebhook", { url: "https://bot.example/hook" });
    expect((await callBot(api, "getUpdates")).outcome).toEqual(WEBHOOK_SET);
    await callBot(api, "deleteWebhook");
    expect(await ids(api)).toEqual([101]);
  });

  test("is deleted along with what waits, when that is asked for", async () => {
    await using api = await createBotApi(BOT);
    fill(api, 2);
    await callBot(api, "deleteWebhook", { drop_pending_updates: true });
    expect(await ids(api)).toEqual([]);
  });
});

describe("allowed_updates", () => {
  const KINDS = ["message", "chat_member", "message_reaction", "message_reaction_count", "poll", "made_up"];

  async function kinds(api: BotApi, ...polls: Record<string, unknown>[]): Promise<string[]> {
    for (const given of polls) await callBot(api, "getUpdates", given);
    for (const kind of KINDS) api.push({ [kind]: {} });
    const { result } = await callBot(api, "getUpdates");
    return (result as object[]).map((update) => Object.keys(update)[1] ?? "");
  }

  test.each<[string, Record<string, unknown>[], string[]]>([
    ["never given: all but three", [{}], ["message", "poll", "made_up"]],
    [
      "empty: all but three",
      [{ allowed_updates: ["poll"] }, { allowed_updates: [] }],
      ["message", "poll", "made_up"],
    ],
    ["named: those alone", [{ allowed_updates: ["message", "chat_member"] }], ["message", "chat_member"]],
    ["left out later: as it was", [{ allowed_updates: ["poll"] }, {}], ["poll"]],
    ["as JSON text", [{ allowed_updates: '["message_reaction"]' }], ["message_reaction"]],
  ])("%s", async (_what, polls, got) => {
    await using api = await createBotApi(BOT);
    expect(await kinds(api, ...polls)).toEqual(got);
  });
});
