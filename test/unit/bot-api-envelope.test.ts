import { describe, expect, test } from "vitest";
import { callBot, readAnswer, type Answer } from "../support/bot-api/caller.ts";
import { createBotApi, type BotApi } from "../support/bot-api/index.ts";

const BOT = { token: "700100:AAE-secret_of-the-bot", username: "voxtree_bot" };

const at = async (api: BotApi, path: string, init?: RequestInit): Promise<Answer> =>
  readAnswer(await fetch(`${api.url}${path}`, init));

function openChat(api: BotApi): void {
  api.privateChat(api.person({ id: 501, firstName: "Ada" }), { isStarted: true });
}

describe("the envelope of an answer", () => {
  test("a success is ok with a result", async () => {
    await using api = await createBotApi(BOT);
    const { status, outcome } = await callBot(api, "getMe");
    expect(status).toBe(200);
    expect(outcome).toMatchObject({
      ok: true,
      result: { id: 700_100, is_bot: true, username: "voxtree_bot", can_read_all_group_messages: false },
    });
  });

  test("a failure carries its code, which is the HTTP status as well", async () => {
    await using api = await createBotApi(BOT);
    const { status, outcome } = await callBot(api, "sendMessage", { chat_id: 5, text: "Hello" });
    expect(status).toBe(400);
    expect(outcome).toEqual({ ok: false, error_code: 400, description: "Bad Request: chat not found" });
  });

  test("a flood says how long to wait in the body and in Retry-After", async () => {
    await using api = await createBotApi(BOT);
    api.faults.flood({ retryAfter: 8 });
    const { status, headers, outcome } = await callBot(api, "getMe");
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toBe("8");
    expect(outcome).toEqual({
      ok: false,
      error_code: 429,
      description: "Too Many Requests: retry after 8",
      parameters: { retry_after: 8 },
    });
  });

  test.each(["getMe", "getme", "GETME"])("the case of a method does not matter: %s", async (method) => {
    await using api = await createBotApi(BOT);
    expect((await callBot(api, method)).status).toBe(200);
  });

  test.each<[string, (url: string) => [string, RequestInit]]>([
    ["a query", (url) => [`${url}?chat_id=501&text=Hello&disable_notification=true`, {}]],
    [
      "a form",
      (url) => [
        url,
        {
          method: "POST",
          body: new URLSearchParams({ chat_id: "501", text: "Hello", disable_notification: "true" }),
        },
      ],
    ],
    [
      "a form in parts",
      (url) => {
        const body = new FormData();
        for (const [name, value] of [
          ["chat_id", "501"],
          ["text", "Hello"],
          ["disable_notification", "true"],
        ] as const) {
          body.set(name, value);
        }
        return [url, { method: "POST", body }];
      },
    ],
    [
      "JSON",
      (url) => [
        url,
        {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ chat_id: 501, text: "Hello", disable_notification: true }),
        },
      ],
    ],
  ])("arguments come as %s", async (_what, request) => {
    await using api = await createBotApi(BOT);
    const chat = api.privateChat(api.person({ id: 501, firstName: "Ada" }), { isStarted: true });
    const answer = await readAnswer(await fetch(...request(`${api.url}/bot${api.token}/sendMessage`)));
    expect(answer.status).toBe(200);
    expect(chat.messages).toMatchObject([{ text: "Hello", isSilent: true }]);
  });

  test("a form carries structures as JSON text", async () => {
    await using api = await createBotApi(BOT);
    openChat(api);
    const body = new URLSearchParams({
      chat_id: "501",
      text: "Hello",
      reply_markup: '{"inline_keyboard":[[{"text":"Go","callback_data":"g"}]]}',
      entities: '[{"type":"bold","offset":0,"length":5}]',
    });
    const { result } = await at(api, `/bot${api.token}/sendMessage`, { method: "POST", body });
    expect(result).toMatchObject({
      entities: [{ type: "bold", offset: 0, length: 5 }],
      reply_markup: { inline_keyboard: [[{ text: "Go", callback_data: "g" }]] },
    });
  });
});

describe("tokens, paths and methods", () => {
  test.each([
    [
      "a malformed token",
      "/botsecret/getMe",
      { error_code: 401, description: "Unauthorized: invalid token specified" },
    ],
    ["a token that is rejected", "/bot700100:other/getMe", { error_code: 401, description: "Unauthorized" }],
    ["an unknown path", "/health", { error_code: 404, description: "Not Found" }],
    [
      "an unknown method",
      `/bot${BOT.token}/getMoon`,
      { error_code: 404, description: "Not Found: method not found" },
    ],
  ])("%s is told", async (_what, path, error) => {
    await using api = await createBotApi(BOT);
    const { status, outcome } = await at(api, path);
    expect(status).toBe(error.error_code);
    expect(outcome).toEqual({ ok: false, ...error });
  });

  test("calls are kept with their arguments and their status, those with a wrong token are not", async () => {
    await using api = await createBotApi(BOT);
    await callBot(api, "getChat", { chat_id: 5 });
    await at(api, "/bot700100:other/getMe");
    expect(api.calls).toMatchObject([{ method: "getChat", arguments: { chat_id: 5 }, status: 400 }]);
  });
});

describe("the order in which sendMessage checks", () => {
  // Each row mends what the row before it complained about and leaves everything after that wrong.
  const steps: readonly (readonly [description: string, mended: Record<string, unknown>])[] = [
    ["message text is empty", {}],
    ["text is too long", { text: `<b>${"x".repeat(32_768)}` }],
    ['can\'t parse entities: Unsupported start tag "x" at byte offset 0', { text: "<x>" }],
    ["can't parse reply parameters JSON object", { text: " ".repeat(2) }],
    ["can't parse reply keyboard markup JSON object", { reply_parameters: { message_id: 99 } }],
    ["chat_id is empty", { reply_markup: { inline_keyboard: [] } }],
    ["chat not found", { chat_id: -77 }],
    ["message thread not found", { chat_id: -1_002_000_000_001 }],
    ["message to be replied not found", { message_thread_id: undefined }],
    ["text must be non-empty", { reply_parameters: undefined }],
    ["message is too long", { text: "x".repeat(4097) }],
  ];

  test.each(steps.map(([description], index) => [index, description] as const))(
    "%i: %s",
    async (index, description) => {
      await using api = await createBotApi(BOT);
      api.group({ title: "Ops", members: [], isForum: true, id: -1_002_000_000_001 });
      const wrong = {
        text: "",
        parse_mode: "HTML",
        reply_parameters: "{",
        reply_markup: "{",
        message_thread_id: 99,
      };
      const mended = steps.slice(0, index + 1).map(([, fields]) => fields);
      const given = Object.assign({}, wrong, ...mended) as Record<string, unknown>;
      expect((await callBot(api, "sendMessage", given)).outcome).toEqual({
        ok: false,
        error_code: 400,
        description: `Bad Request: ${description}`,
      });
    },
  );

  test("bad HTML to an unknown chat gives the parse error", async () => {
    await using api = await createBotApi(BOT);
    const { outcome } = await callBot(api, "sendMessage", { chat_id: 5, text: "<x>", parse_mode: "HTML" });
    expect(outcome).toMatchObject({
      description: 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0',
    });
  });
});
