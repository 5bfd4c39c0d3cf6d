import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { createNetCapability, type Net } from "../../src/capabilities/net/index.ts";
import type { NetParts } from "../../src/capabilities/net/index.ts";
import type { CallScope, MountScope } from "../../src/sdk/capability.ts";

export interface OpenNet extends AsyncDisposable {
  readonly net: Net;
  /** The names that were looked up, in order. */
  readonly lookedUp: readonly string[];
  close(): Promise<void>;
}

/** A mounted `net` whose names come from a table; a name may answer differently each time, or reject by a code. */
export async function openNet(
  parts: Partial<NetParts> & {
    readonly names?: Readonly<Record<string, readonly (readonly string[] | string)[]>>;
  },
  { signal = new AbortController().signal, settings = {} }: { signal?: AbortSignal; settings?: unknown } = {},
): Promise<OpenNet> {
  const { names = {}, ...rest } = parts;
  const lookedUp: string[] = [];
  const resolve = (name: string): Promise<readonly string[]> => {
    const nth = lookedUp.filter((each) => each === name).length;
    lookedUp.push(name);
    const answers = names[name] ?? ["ENOTFOUND"];
    const answer = answers[Math.min(nth, answers.length - 1)];
    if (answer === "never") return new Promise(() => undefined);
    if (typeof answer !== "object") return Promise.reject(Object.assign(new Error(answer), { code: answer }));
    return Promise.resolve(answer);
  };
  const capability = createNetCapability({ allow: ["127.0.0.0/8"], resolve, ...rest });
  const mounted = await capability.mount({ settings } as MountScope);
  const close = (): Promise<void> => mounted.close();
  const net = mounted.handle({ signal } as CallScope);
  return { net, lookedUp, close, [Symbol.asyncDispose]: close };
}

/** Starts a server on the loopback, on a free port unless one is given. Leaving the scope ends it with all its connections. */
export async function listen(
  server: Server,
  { host = "127.0.0.1", port: wanted = 0 }: { host?: string; port?: number } = {},
): Promise<AsyncDisposable & { readonly port: number; readonly connections: () => number }> {
  const sockets = new Set<{ destroy(): void }>();
  let connections = 0;
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(wanted, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
