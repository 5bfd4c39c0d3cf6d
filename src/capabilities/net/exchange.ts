import type { Socket } from "node:net";
import { unescape } from "node:querystring";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import type { Trouble } from "./contract.ts";
import { bodyTrouble, responseTrouble } from "./faults.ts";
import { msSince, overdue, type Span } from "./span.ts";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface Question {
  readonly url: URL;
  readonly method: "GET" | "HEAD";
  readonly maxBytes: number;
  /** Whether an answer that redirects ends here, its body unread. */
  readonly follow: boolean;
}

export interface PageAnswer {
  readonly status: number;
  readonly ttfbMs: number;
  /** Where a redirect that is to be followed leads, as written. */
  readonly redirectTo?: string;
  readonly bodyText: string;
  readonly isBodyCut: boolean;
}

/**
 * Loads what HTTP is spoken with, at the first check: it is a fifth of the memory of a process that makes none. Await it before a
 * time is taken, or the first site that is asked about looks slow.
 */
export const loadHttp = () => import("undici");

/** Asks one question over a socket that is already connected, and closes it. HTTP is undici's; the socket was ours to vet. */
export async function exchange(
  question: Question,
  socket: Socket,
  span: Span,
): Promise<PageAnswer | Trouble> {
  const { Client } = await loadHttp();
  const client = new Client(question.url.origin, {
    // Not at once: undici sends nothing over a socket that it is given while it still asks for one.
    connect: (_options, ready) => queueMicrotask(() => ready(null, socket)),
    allowH2: false,
    // The whole call has one deadline; undici's own times are between chunks and let a slow drip go on for ever.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const start = performance.now();
  try {
    const response = await client.request({
      path: `${question.url.pathname}${question.url.search}`,
      method: question.method,
      headers: requestHeaders(question.url),
      signal: span.signal,
    });
    // What is not read to its end fails when the client is destroyed; nobody needs to hear of that.
    response.body.on("error", () => undefined);
    return await readAnswer(question, { response, ttfbMs: msSince(start) }, span);
  } catch (error) {
    return span.signal.aborted
      ? overdue("response", span, "connected, but no answer came")
      : responseTrouble(error);
  } finally {
    await client.destroy();
    socket.destroy();
  }
}

function requestHeaders(url: URL): Record<string, string> {
  const headers = { "user-agent": "voxtree", accept: "*/*", "accept-encoding": "identity" };
  if (url.username === "" && url.password === "") return headers;
  const pair = `${unescape(url.username)}:${unescape(url.password)}`;
  return { ...headers, authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

async function readAnswer(
  question: Question,
  { response, ttfbMs }: { readonly response: Dispatcher.ResponseData; readonly ttfbMs: number },
  span: Span,
): Promise<PageAnswer | Trouble> {
  const status = response.statusCode;
  const location = first(response.headers["location"]);
  if (question.follow && REDIRECTS.has(status) && location !== undefined) {
    return { status, ttfbMs, redirectTo: location, bodyText: "", isBodyCut: false };
  }
  try {
    const { bytes, isCut } = await readCapped(decoded(response), question.maxBytes);
    const bodyText = decodeText(bytes, first(response.headers["content-type"]));
    return { status, ttfbMs, bodyText, isBodyCut: isCut };
  } catch (error) {
    if (!span.signal.aborted) return bodyTrouble(error, status);
    return { ...overdue("body", span, `answered ${status}, but its body was not complete`), status };
  }
}

/** The body as its author wrote it, also when the server compresses without being asked to. */
function decoded({ headers, body }: Dispatcher.ResponseData): Readable {
  const decoder = decoderOf(first(headers["content-encoding"]));
  if (decoder === undefined) return body;
  body.on("error", (error) => decoder.destroy(error));
  return body.pipe(decoder);
}

function decoderOf(encoding: string | undefined): ReturnType<typeof createGunzip> | undefined {
  switch (encoding?.toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

async function readCapped(body: Readable, maxBytes: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: true };
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

function decodeText(bytes: Buffer, contentType: string | undefined): string {
  const label = /charset="?([^\s;"]+)/i.exec(contentType ?? "")?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
