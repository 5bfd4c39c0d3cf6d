import { Agent as PlainAgent, type IncomingMessage, request as requestPlainly } from "node:http";
import { Agent as SecureAgent, request as requestSecurely } from "node:https";
import { pipeline, type Readable } from "node:stream";

/** How long a connection may take to stand, TLS included. */
const CONNECT_MS = 10_000;
/**
 * Idle connections are given up early: one that the other side closes just as it is used again would make it unknown
 * whether the call on it arrived.
 */
const IDLE_MS = 5_000;
/** More than a hundred of the largest updates. */
const ANSWER_LIMIT_BYTES = 32 * 1024 * 1024;

/** An exchange that brought no whole answer. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  /** Whether the other side may have seen the request: false only when no connection ever stood. */
  readonly mayHaveArrived: boolean;
  constructor(text: string, mayHaveArrived: boolean) {
    super(text);
    this.mayHaveArrived = mayHaveArrived;
  }
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Call {
  readonly headers: Readonly<Record<string, string>>;
  /** A stream where files go along. */
  readonly body: string | Readable;
  readonly signal: Pick<AbortSignal, "aborted" | "addEventListener" | "removeEventListener">;
}

/** HTTP POST that can say of every failure whether the request may have arrived. */
export interface Poster {
  /** The whole answer, whatever its status; redirects are not followed. Rejects with `ExchangeError`. */
  post(url: URL, call: Call): Promise<Answer>;
  close(): void;
}

/** Opens a pool of connections that are kept alive. */
export function createPoster(): Poster {
  const shared = { keepAlive: true, timeout: IDLE_MS, scheduling: "lifo" as const };
  const plain = new PlainAgent(shared);
  const secure = new SecureAgent(shared);
  return {
    post(url, { headers, body, signal }) {
      const isSecure = url.protocol === "https:";
      const agent = isSecure ? secure : plain;
      const outcome = Promise.withResolvers<Answer>();
      let isConnected = false;
      const fail = (error: unknown): void =>
        outcome.reject(new ExchangeError(reasonOf(error, url), isConnected));
      const options = { method: "POST", headers, agent };
      const request = isSecure ? requestSecurely(url, options) : requestPlainly(url, options);

      const connecting = setTimeout(
        () => request.destroy(new Error(`no connection within ${CONNECT_MS / 1000} s`)),
        CONNECT_MS,
      );
      const connected = (): void => {
        isConnected = true;
        clearTimeout(connecting);
      };
      const abort = (): void => void request.destroy(new Error("given up"));
      request.on("socket", (socket) => {
        if (request.reusedSocket) connected();
        else socket.once(isSecure ? "secureConnect" : "connect", connected);
      });
      request.on("error", fail);
      request.on("response", (response) => void readWhole(response).then(outcome.resolve, fail));
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort);
      if (typeof body === "string") request.end(body);
      // What goes wrong with the body ends the request, which tells of it.
      else pipeline(body, request, () => {});

      return outcome.promise.finally(() => {
        clearTimeout(connecting);
        signal.removeEventListener("abort", abort);
      });
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

async function readWhole(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > ANSWER_LIMIT_BYTES) throw new Error("the answer is larger than 32 MiB");
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") };
}

/** The host and what went wrong; the path holds the token and is never told. */
function reasonOf(error: unknown, url: URL): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  const words = error instanceof Error && error.message !== "" ? error.message : String(error);
  return `${url.host}: ${code === undefined || words.includes(code) ? words : `${words} (${code})`}`;
}
