import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";

/** Listens with room for almost nobody, then stops its event loop for good, so that it never accepts. */
const LISTENER = `
  const { createServer } = require("node:net");
  const { parentPort } = require("node:worker_threads");
  const server = createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/** A loopback port at which nothing comes back, as behind a firewall that drops: its queue is full and nobody empties it. */
export async function openDeafListener(): Promise<AsyncDisposable & { readonly port: number }> {
  const worker = new Worker(LISTENER, { eval: true });
  const [port] = (await once(worker, "message")) as [number];
  const waiting: Socket[] = [];
  // Far more than fit: those beyond the queue's length hang, and so does whoever comes after them.
  for (let i = 0; i < 8; i++) waiting.push(connect(port, "127.0.0.1").on("error", () => undefined));
  await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, "connect")));
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy();
      await worker.terminate();
    },
  };
}
