import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import {
  createTelegramClient,
  type TelegramClient,
} from "../../src/capabilities/comm-gateway/telegram/client.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { listen } from "../support/net.ts";

const TOKEN = "123456789:AAF-tOpSeCrEt_tOpSeCrEt_tOpSeCrEt12";

interface Bench {
  readonly client: TelegramClient;
  readonly clock: ManualClock;
}

function clientOf(apiRoot: string, token = TOKEN): Bench {
  const clock = createManualClock();
  const client = createTelegramClient({ token, apiRoot, clock });
  onTestFinished(() => client.close());
  return { client, clock };
}

/** A client of a server that answers every request in one way. */
async function answeredBy(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Bench & { readonly port: number }> {
  const server = await listen(createServer(answer));
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { ...clientOf(`http://127.0.0.1:${server.port}`), port: server.port };
}

/** A client of a server that speaks TCP and gets the socket once the whole request is there. */
async function handledBy(onRequest: (socket: Socket) => void): Promise<Bench> {
  const server = await listen(
    createTcpServer((socket) => {
      socket.on("error", () => undefined);
      let text = "";
      socket.on("data", (chunk) => {
        text += String(chunk);
        if (text.includes('"hello"')) onRequest(socket);
      });
    }),
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  return clientOf(`http://127.0.0.1:${server.port}`);
}

const send = (client: TelegramClient, signal?: AbortSignal) =>
  client.call("sendMessage", { chat_id: 7, text: "hello" }, signal);

function json(status: number, body: unknown) {
  return (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const fault = (error_code: number, description: string, parameters?: object) =>
  json(error_code, { ok: false, error_code, description, ...(parameters && { parameters }) });

test("a success brings its result, and arguments arrive as they were given", async () => {
  const seen: unknown[] = [];
  const { client } = await answeredBy((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      seen.push([request.method, request.url, JSON.parse(text)]);
      json(200, { ok: true, result: { message_id: 5 } })(request, response);
    });
  });
  expect(await send(client)).toEqual({ kind: "done", result: { message_id: 5 } });
  expect(await client.call("getMe", {})).toEqual({ kind: "done", result: { message_id: 5 } });
  expect(seen).toEqual([
    ["POST", `/bot${TOKEN}/sendMessage`, { chat_id: 7, text: "hello" }],
    ["POST", `/bot${TOKEN}/getMe`, {}],
  ]);
});

test.each([
  {
    says: "429 Too Many Requests: retry after 8",
    parameters: { retry_after: 8 },
    why: { kind: "flood", retryAfterMs: 8000 },
  },
  { says: "429 Too Many Requests", why: { kind: "flood", retryAfterMs: 5000 } },
  { says: "403 Forbidden: bot was blocked by the user", why: { kind: "closed" } },
  {
    says: "400 Bad Request: group chat was upgraded to a supergroup chat",
    parameters: { migrate_to_chat_id: -1001234567890 },
    why: { kind: "migrated", chatId: -1001234567890 },
  },
  { says: "400 Bad Request: chat not found", why: { kind: "refused" } },
  { says: "404 Not Found: method not found", why: { kind: "refused" } },
  { says: "401 Unauthorized", why: { kind: "unauthorised" } },
  { says: "409 Conflict: terminated by other getUpdates request", why: { kind: "conflict" } },
  { says: "500 Internal Server Error: restart", why: { kind: "unreached" } },
])("tells $says apart", async ({ says, parameters, why }) => {
  const { client } = await answeredBy(fault(Number(says.slice(0, 3)), says.slice(4), parameters));
  expect(await send(client)).toEqual({ kind: "failed", why: { ...why, text: says } });
});

test("a page of HTML in the server's stead leaves open whether the call was applied", async () => {
  const { client, port } = await answeredBy(
    (_, response) => void response.writeHead(502).end("<html>Bad Gateway"),
  );
  const text = `127.0.0.1:${port}: HTTP 502 without an answer of the Bot API`;
  expect(await send(client)).toEqual({ kind: "failed", why: { kind: "unknown", text } });
});

test("a success that is no answer of the Bot API leaves it open too, a redirect does not", async () => {
  const { client } = await answeredBy((_, response) => void response.writeHead(200).end('{"fine":true}'));
  expect(await send(client)).toMatchObject({ why: { kind: "unknown" } });
  const { client: other } = await answeredBy(
    (_, response) => void response.writeHead(302, { location: "https://example.com/" }).end(),
  );
  expect(await send(other)).toMatchObject({ why: { kind: "unreached" } });
});

test("a refused connection is certain not to have applied anything", async () => {
  const server = await listen(createServer());
  const { port } = server;
  await server[Symbol.asyncDispose]();
  const { client } = clientOf(`http://127.0.0.1:${port}`);
  expect(await send(client)).toEqual({
    kind: "failed",
    why: { kind: "unreached", text: `127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}` },
  });
});

test("a name that is not found and a handshake that fails apply nothing either", async () => {
  const { client } = clientOf("http://nowhere.invalid");
  expect(await send(client)).toMatchObject({ why: { kind: "unreached" } });
  const server = await listen(createServer());
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { client: secure } = clientOf(`https://127.0.0.1:${server.port}`);
  expect(await send(secure)).toMatchObject({ why: { kind: "unreached" } });
});

test("T22 a response that is lost leaves open whether the call was applied", async () => {
  const { client } = await handledBy((socket) => socket.destroy());
  expect(await send(client)).toMatchObject({ why: { kind: "unknown" } });
});

test("T22 so does a response of which only a part arrives", async () => {
  const { client } = await handledBy((socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"ok":true,"res'),
  );
  expect(await send(client)).toMatchObject({ why: { kind: "unknown" } });
});

test("a call that hangs comes back after 30 s, a poll after its own time and 15 s", async () => {
  const arrived: (() => void)[] = [];
  const { client, clock } = await answeredBy(() => arrived.shift()?.());
  const next = (): Promise<void> => new Promise((resolve) => void arrived.push(resolve));

  let isOut = next();
  let call: Promise<unknown> = send(client);
  await isOut;
  clock.advance(30_000);
  expect(await call).toEqual({
    kind: "failed",
    why: { kind: "unknown", text: "sendMessage: no answer in time" },
  });

  isOut = next();
  let isBack = false;
  call = client.call("getUpdates", { timeout: 30 }).finally(() => (isBack = true));
  await isOut;
  clock.advance(44_999);
  await new Promise(setImmediate);
  expect(isBack).toBe(false);
  clock.advance(1);
  expect(await call).toMatchObject({ why: { kind: "unknown", text: "getUpdates: no answer in time" } });
});

test("an aborted call comes back at once", async () => {
  const arrived = Promise.withResolvers<void>();
  const { client } = await answeredBy(() => arrived.resolve());
  const leaving = new AbortController();
  const call = send(client, leaving.signal);
  await arrived.promise;
  leaving.abort();
  expect(await call).toMatchObject({ why: { kind: "unknown" } });
  expect(await send(client, AbortSignal.abort())).toMatchObject({ why: { kind: "unreached" } });
});

test("calls one after the other share a connection", async () => {
  const server = createServer(json(200, { ok: true, result: true }));
  const listening = await listen(server);
  onTestFinished(() => listening[Symbol.asyncDispose]());
  const { client } = clientOf(`http://127.0.0.1:${listening.port}`);
  for (let i = 0; i < 5; i++) await send(client);
  expect(listening.connections()).toBe(1);
});

test("the token stands in no text, whatever it comes back in", async () => {
  const encoded = "123456789%3AAAF-tOpSeCrEt_tOpSeCrEt_tOpSeCrEt12";
  const secret = "AAF-tOpSeCrEt_tOpSeCrEt_tOpSeCrEt12";
  const holding = `no such path /bot${TOKEN}/sendMessage, ${encoded.toLowerCase()}, nor ${secret}`;
  const servers = [
    await answeredBy(fault(400, holding)),
    await answeredBy(fault(429, holding, { retry_after: 1 })),
    await answeredBy(json(200, { ok: true, result: { text: holding } })),
    await answeredBy((_, response) => void response.writeHead(502).end(holding)),
    await answeredBy((request) => void request.socket.destroy()),
    clientOf(`http://127.0.0.1:1/${TOKEN}`),
    // An address that cannot be read is told by an error that repeats it.
    clientOf(`http://127.0.0.1:99999999/bot${TOKEN}`),
    clientOf(`http://${encoded}.invalid`),
    // A name that is not found is told, too.
    clientOf(`http://${secret}.invalid`),
  ];
  for (const { client } of servers) {
    const told = JSON.stringify(await send(client)).toLowerCase();
    expect(told).not.toContain("topsecret_");
  }
});

test("a token in somebody's words is blotted out in its own length, so that what points into them still fits", async () => {
  const { client } = await answeredBy(json(200, { ok: true, result: { text: `is ${TOKEN} right, @bot?` } }));
  const outcome = await send(client);
  const text = outcome.kind === "done" ? outcome.result.text : undefined;
  expect(text).toMatch(/^is \[token\]·+ right, @bot\?$/);
  expect(text).toHaveLength(3 + 45 + 13);
});
