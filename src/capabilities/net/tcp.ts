import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Trouble } from "./contract.ts";
import { connectTrouble } from "./faults.ts";
import type { VettedAddress } from "./lookup.ts";
import { msSince, overdue, type Span } from "./span.ts";
import type { Host } from "./target.ts";

/** How long one address is tried before the next; Node's own 250 ms gives up on addresses that are only far away. */
const ATTEMPT_MS = 2000;

export interface OpenSocket {
  readonly socket: Socket;
  readonly address: string;
  readonly ms: number;
  readonly deadAddresses: readonly string[];
}

/** Connects to the first of the vetted addresses that accepts. Nothing is looked up here. */
export async function openTcp(
  target: { readonly host: Host; readonly port: number },
  addresses: readonly VettedAddress[],
  span: Span,
): Promise<OpenSocket | Trouble> {
  const { host, port } = target;
  const start = performance.now();
  const [only] = addresses;
  const socket = connect({
    port,
    host: addresses.length === 1 && only !== undefined ? only.address : host.name,
    lookup: (_name, _options, found) => found(null, [...addresses]),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    noDelay: true,
  });
  // A socket may fail at any later moment, also between two owners; whoever reads from it learns of it there.
  socket.on("error", () => undefined);
  const deadAddresses: string[] = [];
  socket.on("connectionAttemptFailed", (address: string) => deadAddresses.push(address));
  socket.on("connectionAttemptTimeout", (address: string) => deadAddresses.push(address));
  try {
    await once(socket, "connect", { signal: span.signal });
    return { socket, address: socket.remoteAddress ?? "", ms: msSince(start), deadAddresses };
  } catch (error) {
    socket.destroy();
    if (span.signal.aborted) return overdue("connect", span, `${host.shown} did not react on port ${port}`);
    return connectTrouble(host.shown, port, error instanceof AggregateError ? error.errors : [error]);
  }
}
