import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { isTrouble, type NotReached, type PortAttempt } from "./contract.ts";
import { codeOf } from "./faults.ts";
import { vetHost, type Policy, type VettedAddress } from "./lookup.ts";
import { msSince, type Span } from "./span.ts";
import { parseHost } from "./target.ts";

/** How long an open port may take to say something by itself. */
const BANNER_MS = 300;
const BANNER_LENGTH = 120;
/** More addresses than this say nothing new and would knock at many doors at once. */
const MAX_ADDRESSES = 8;

/** Tries a port on every vetted address of a host, side by side. */
export async function probePort(
  target: { readonly host: string; readonly port: number },
  policy: Policy,
  span: Span,
): Promise<PortAttempt[] | NotReached> {
  const start = performance.now();
  const host = parseHost(target.host);
  const addresses = isTrouble(host) ? host : await vetHost(host, policy, span);
  if (isTrouble(addresses)) {
    const url = isTrouble(host) ? "" : host.shown;
    return { reached: false, url, totalMs: msSince(start), hops: [], ...addresses };
  }
  return Promise.all(
    addresses.slice(0, MAX_ADDRESSES).map((vetted) => probeAddress(vetted, target.port, span)),
  );
}

async function probeAddress({ address }: VettedAddress, port: number, span: Span): Promise<PortAttempt> {
  const start = performance.now();
  const socket = connect({ host: address, port });
  socket.on("error", () => undefined);
  try {
    await once(socket, "connect", { signal: span.signal });
    const ms = msSince(start);
    const banner = await readBanner(socket, span);
    return { address, state: "open", ms, ...(banner === "" ? {} : { banner }) };
  } catch (error) {
    return { address, state: span.signal.aborted ? "filtered" : stateOf(codeOf(error)), ms: msSince(start) };
  } finally {
    socket.destroy();
  }
}

function stateOf(code: string): PortAttempt["state"] {
  switch (code) {
    case "ECONNREFUSED":
    case "ECONNRESET":
      return "refused";
    case "ETIMEDOUT":
      return "filtered";
    default:
      return "unreachable";
  }
}

/** The first line that the other side says unasked; "" when it waits to be spoken to. */
async function readBanner(socket: Socket, span: Span): Promise<string> {
  const pause = new AbortController();
  const timer = setTimeout(() => pause.abort(), BANNER_MS);
  try {
    const [bytes] = await once(socket, "data", { signal: AbortSignal.any([pause.signal, span.signal]) });
    if (!(bytes instanceof Uint8Array)) return "";
    const line = new TextDecoder().decode(bytes).split(/\r?\n/, 1)[0] ?? "";
    return line
      .replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "")
      .slice(0, BANNER_LENGTH)
      .trim();
  } catch {
    return "";
  } finally {
    clearTimeout(timer);
  }
}
