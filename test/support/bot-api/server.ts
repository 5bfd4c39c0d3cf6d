import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readArguments } from "./arguments.ts";
import type { Call, CallBook } from "./calls.ts";
import type { FaultBook } from "./faults.ts";
import { METHODS } from "./methods.ts";
import { type Arguments, badRequest, type Failed, type Outcome } from "./shapes.ts";
import type { World } from "./world.ts";

const MALFORMED_TOKEN = unauthorized("Unauthorized: invalid token specified");
const REJECTED_TOKEN = unauthorized("Unauthorized");
const UNKNOWN_PATH = notFound("Not Found");
const UNKNOWN_METHOD = notFound("Not Found: method not found");

const BAD_GATEWAY = [
  "<html>",
  "<head><title>502 Bad Gateway</title></head>",
  "<body>",
  "<center><h1>502 Bad Gateway</h1></center>",
  "<hr><center>nginx</center>",
  "</body>",
  "</html>",
  "",
].join("\r\n");

function unauthorized(description: string): Failed {
  return { ok: false, error_code: 401, description };
}

function notFound(description: string): Failed {
  return { ok: false, error_code: 404, description };
}

function write(response: ServerResponse, outcome: Outcome): void {
  const retryAfter = outcome.ok ? undefined : outcome.parameters?.retry_after;
  response
    .writeHead(outcome.ok ? 200 : outcome.error_code, {
      "content-type": "application/json",
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    })
    .end(JSON.stringify(outcome));
}

interface Parts {
  readonly token: string;
  readonly world: World;
  readonly calls: CallBook;
  readonly faults: FaultBook;
}

export interface Server {
  readonly url: string;
  /** Lets the long poll that is being held meet a fault that has just been ordered. */
  meetHeld(): void;
  close(): Promise<void>;
}

/** One exchange: a call, and what may be done to its connection. */
interface Exchange {
  readonly call: Call;
  readonly response: ServerResponse;
  close(status: Call["status"], answer?: unknown): void;
}

/** Serves the Bot API at a free port of the loopback. */
export async function openServer({ token, world, calls, faults }: Parts): Promise<Server> {
  const held = new Set<() => void>();

  function reply({ response, close }: Exchange, outcome: Outcome): void {
    if (response.destroyed) return;
    write(response, outcome);
    close(response.statusCode, outcome);
  }

  /** Lets a fault meet the call. True when it did, and so took the answer into its hands. */
  function suffers(exchange: Exchange, stage: "before" | "after"): boolean {
    const { call, response, close } = exchange;
    const met = faults.take(call, stage);
    if (!met) return false;
    const { effect } = met;
    switch (effect.kind) {
      case "lost":
      case "cut":
        response.destroy();
        close(effect.kind);
        break;
      case "hang":
        close("hung");
        met.holds.add(() => response.destroy());
        break;
      case "bad gateway":
        response.writeHead(502, { "content-type": "text/html" }).end(BAD_GATEWAY);
        close(502);
        break;
      case "answer":
        reply(exchange, effect.failed);
    }
    return true;
  }

  async function poll(exchange: Exchange, given: Arguments): Promise<void> {
    const isInterrupted = Promise.withResolvers<"interrupted">();
    const gone = new AbortController();
    const meet = (): void => {
      if (suffers(exchange, "before")) isInterrupted.resolve("interrupted");
    };
    exchange.response.once("close", () => gone.abort());
    held.add(meet);
    const polled = world.updates.poll(given, {
      isForgetful: given.offset !== undefined && faults.takeForgetful(),
      spoil: (updates) => faults.spoil(updates),
      signal: gone.signal,
    });
    const outcome = await Promise.race([polled, isInterrupted.promise]);
    held.delete(meet);
    gone.abort();
    if (outcome !== "interrupted" && !suffers(exchange, "after")) reply(exchange, outcome);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const [, given, name = ""] = /^\/bot([^/]*)\/([^/]*)$/.exec(pathname) ?? [];
    if (given === undefined) return write(response, UNKNOWN_PATH);
    const claimed = decodeURIComponent(given);
    if (claimed !== token)
      return write(response, /^\d+:[\w-]+$/.test(claimed) ? REJECTED_TOKEN : MALFORMED_TOKEN);
    const read = await readArguments(request, searchParams);
    const exchange: Exchange = { ...calls.open(name, read ?? {}), response };
    response.once("close", () => exchange.close("gone"));
    if (suffers(exchange, "before")) return;
    if (!read) return reply(exchange, badRequest("can't parse the arguments of the call"));
    if (name.toLowerCase() === "getupdates") return poll(exchange, read);
    const outcome = METHODS.get(name.toLowerCase())?.(world, read) ?? UNKNOWN_METHOD;
    if (!suffers(exchange, "after")) reply(exchange, outcome);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A caller that hangs up while it writes has nobody to be told.
      if (request.destroyed) return;
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    meetHeld() {
      for (const meet of held) meet();
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
