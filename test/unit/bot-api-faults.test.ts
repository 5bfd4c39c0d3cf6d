import { describe, expect, test } from "vitest";
import { callBot, type Answer } from "../support/bot-api/caller.ts";
import { createBotApi, type BotApi, type Chat } from "../support/bot-api/index.ts";

const BOT = { token: "700100:AAE-secret_of-the-bot", username: "voxtree_bot", random: () => 0 };

interface Scene extends AsyncDisposable {
  readonly api: BotApi;
  readonly chat: Chat;
  readonly other: Chat;
}

async function openScene(): Promise<Scene> {
  const api = await createBotApi(BOT);
  const [chat, other] = (
    [
      [501, "Ada"],
      [502, "Bob"],
    ] as const
  ).map(([id, firstName]) => api.privateChat(api.person({ id, firstName }), { isStarted: true })) as [
    Chat,
    Chat,
  ];
  return { api, chat, other, [Symbol.asyncDispose]: () => api.close() };
}

const send = (api: BotApi, text: string, chat_id = 501): Promise<Answer> =>
  callBot(api, "sendMessage", { chat_id, text });

const texts = (chat: Chat): readonly string[] => chat.messages.map(({ text }) => text);

async function ids(api: BotApi, given: Record<string, unknown> = {}): Promise<number[]> {
  const { result } = await callBot(api, "getUpdates", given);
  return (result as { update_id: number }[]).map(({ update_id }) => update_id);
}

describe("connections that break", () => {
  test("a lost response: the message is there, and whoever sent it does not hear so", async () => {
    await using scene = await openScene();
    const fault = scene.api.faults.loseResponse();
    await expect(send(scene.api, "one")).rejects.toThrow("fetch failed");
    await fault.happened();
    expect((await send(scene.api, "two")).status).toBe(200);
    expect(texts(scene.chat)).toEqual(["one", "two"]);
    expect(scene.api.calls).toMatchObject([{ status: "lost" }, { status: 200 }]);
  });

  test("a cut: neither", async () => {
    await using scene = await openScene();
    scene.api.faults.cut();
    await expect(send(scene.api, "one")).rejects.toThrow("fetch failed");
    expect(texts(scene.chat)).toEqual([]);
    expect(scene.api.calls).toMatchObject([{ status: "cut" }]);
  });

  test.each([
    [false, []],
    [true, ["one"]],
  ])("a call that hangs, carried out: %s, until the fault ends", async (isApplied, there) => {
    await using scene = await openScene();
    const fault = scene.api.faults.hang({ isApplied });
    const hanging = expect(send(scene.api, "one")).rejects.toThrow("fetch failed");
    await fault.happened();
    expect(scene.api.calls).toMatchObject([{ status: "hung" }]);
    expect(texts(scene.chat)).toEqual(there);
    fault.end();
    await hanging;
  });

  test("what hangs ends with the server", async () => {
    const scene = await openScene();
    const fault = scene.api.faults.hang();
    const hanging = expect(send(scene.api, "one")).rejects.toThrow("fetch failed");
    await fault.happened();
    await scene.api.close();
    await hanging;
  });
});

describe("answers that are none", () => {
  test.each([
    [false, []],
    [true, ["one"]],
  ])("502 with a page of HTML, carried out: %s", async (isApplied, there) => {
    await using scene = await openScene();
    scene.api.faults.badGateway({ isApplied });
    const response = await fetch(`${scene.api.url}/bot${BOT.token}/sendMessage?chat_id=501&text=one`);
    expect(response.status).toBe(502);
    expect(response.headers.get("content-type")).toBe("text/html");
    expect(await response.text()).toContain("<h1>502 Bad Gateway</h1>");
    expect(texts(scene.chat)).toEqual(there);
  });

  test("500 while the server restarts", async () => {
    await using scene = await openScene();
    scene.api.faults.restart();
    expect((await send(scene.api, "one")).outcome).toEqual({
      ok: false,
      error_code: 500,
      description: "Internal Server Error: restart",
    });
    expect(texts(scene.chat)).toEqual([]);
  });

  test("401 to everything, the held poll included, until the token is good again", async () => {
    await using scene = await openScene();
    const held = callBot(scene.api, "getUpdates", { timeout: 50 });
    await scene.api.called("getUpdates");
    const fault = scene.api.faults.rejectToken();
    const rejected = { ok: false, error_code: 401, description: "Unauthorized" };
    expect((await held).outcome).toEqual(rejected);
    expect((await callBot(scene.api, "getMe")).outcome).toEqual(rejected);
    expect((await callBot(scene.api, "getUpdates")).outcome).toEqual(rejected);
    fault.end();
    expect((await callBot(scene.api, "getMe")).status).toBe(200);
  });

  test("any other refusal, word by word", async () => {
    await using scene = await openScene();
    scene.api.faults.refuse({
      method: "sendMessage",
      error_code: 403,
      description: "Forbidden: bot is not a member of the channel chat",
    });
    const { status, outcome } = await send(scene.api, "one");
    expect(status).toBe(403);
    expect(outcome).toMatchObject({ description: "Forbidden: bot is not a member of the channel chat" });
  });
});

describe("which calls a fault meets", () => {
  test("the next k and no more", async () => {
    await using scene = await openScene();
    const fault = scene.api.faults.flood({ retryAfter: 3, times: 2 });
    const statuses = [];
    for (const text of ["one", "two", "three"]) statuses.push((await send(scene.api, text)).status);
    expect(statuses).toEqual([429, 429, 200]);
    expect(fault.met).toBe(2);
    await fault.happened();
  });

  test("those of one chat", async () => {
    await using scene = await openScene();
    scene.api.faults.flood({ retryAfter: 3, times: Infinity, chat: scene.chat });
    expect((await send(scene.api, "one")).status).toBe(429);
    expect((await send(scene.api, "one", 502)).status).toBe(200);
    expect((await send(scene.api, "two")).status).toBe(429);
  });

  test("those of one method, and those of which something else is true", async () => {
    await using scene = await openScene();
    scene.api.faults.cut({ method: "sendmessage", where: ({ arguments: { text } }) => text === "two" });
    expect((await callBot(scene.api, "getMe")).status).toBe(200);
    expect((await send(scene.api, "one")).status).toBe(200);
    await expect(send(scene.api, "two")).rejects.toThrow("fetch failed");
  });

  test("all but polls, where no method is named", async () => {
    await using scene = await openScene();
    const fault = scene.api.faults.restart();
    expect((await callBot(scene.api, "getUpdates")).status).toBe(200);
    expect(fault.met).toBe(0);
  });

  test("none after it was ended", async () => {
    await using scene = await openScene();
    const fault = scene.api.faults.restart({ times: 5 });
    expect((await send(scene.api, "one")).status).toBe(500);
    fault.end();
    expect((await send(scene.api, "two")).status).toBe(200);
    await fault.happened(1);
  });
});

describe("polls", () => {
  test("the one that is held ends with 409, as by somebody else's", async () => {
    await using scene = await openScene();
    const held = callBot(scene.api, "getUpdates", { timeout: 50 });
    await scene.api.called("getUpdates");
    await scene.api.faults.conflict().happened();
    expect((await held).outcome).toEqual({
      ok: false,
      error_code: 409,
      description:
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    });
    scene.api.push({ message: {} });
    expect(await ids(scene.api)).toEqual([1]);
  });

  test("the one that is held loses its connection", async () => {
    await using scene = await openScene();
    const held = expect(callBot(scene.api, "getUpdates", { timeout: 50 })).rejects.toThrow("fetch failed");
    await scene.api.called("getUpdates");
    await scene.api.faults.cut({ method: "getUpdates" }).happened();
    await held;
  });

  test("a poll whose updates are lost on their way finds them again", async () => {
    await using scene = await openScene();
    const held = expect(callBot(scene.api, "getUpdates", { timeout: 50 })).rejects.toThrow("fetch failed");
    await scene.api.called("getUpdates");
    const fault = scene.api.faults.loseResponse({ method: "getUpdates" });
    scene.api.push({ message: {} });
    await fault.happened();
    await held;
    expect(await ids(scene.api)).toEqual([1]);
  });

  test("updates come twice in an answer", async () => {
    await using scene = await openScene();
    const fault = scene.api.faults.duplicateUpdates();
    for (const n of [1, 2]) scene.api.push({ message: { n } });
    expect(await ids(scene.api)).toEqual([1, 1, 2, 2]);
    await fault.happened();
    expect(await ids(scene.api)).toEqual([1, 2]);
  });

  test("updates come once more although they were confirmed", async () => {
    await using scene = await openScene();
    scene.api.push({ message: {} });
    const fault = scene.api.faults.duplicateUpdates({ isForgetful: true });
    expect(await ids(scene.api)).toEqual([1]);
    expect(await ids(scene.api, { offset: 2 })).toEqual([1]);
    await fault.happened();
    expect(await ids(scene.api, { offset: 2 })).toEqual([]);
  });

  test("updates come in reverse, once there are two to be reversed", async () => {
    await using scene = await openScene();
    const fault = scene.api.faults.reorderUpdates();
    scene.api.push({ message: {} });
    expect(await ids(scene.api)).toEqual([1]);
    expect(fault.met).toBe(0);
    scene.api.push({ message: {} });
    expect(await ids(scene.api)).toEqual([2, 1]);
    expect(await ids(scene.api)).toEqual([1, 2]);
  });
});
