// One process, the whole way: a person's words, root → coordinator → specialist → coordinator → root, the reply.
// Everything is on: every ledger is written, every envelope is checked, the reply is marked as shown.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Channel, Delivery } from "../src/capabilities/comm-gateway/index.ts";
import { createGateway } from "../src/capabilities/comm-gateway/index.ts";
import { openTree } from "../src/cli/compose.ts";
import { createIds, isFailure } from "../src/envelope/index.ts";
import { createLog } from "../src/log.ts";
import { plainText } from "../src/sdk/markup.ts";
import { measureFlow } from "./measure.ts";

const dataDir = mkdtempSync(join(tmpdir(), "voxtree-bench-"));
const log = createLog({ level: "error" });
const ids = createIds(Date.now);
const waiting = new Map<string, (text: string) => void>();
let accept: Parameters<Channel["start"]>[0] | undefined;

const channel: Channel = {
  name: "bench",
  finished: new Promise(() => {}),
  start(take) {
    accept = take;
    return Promise.resolve();
  },
  deliver({ requestId, reply }: Delivery) {
    waiting.get(requestId)?.(plainText(reply.text));
    waiting.delete(requestId);
    return Promise.resolve();
  },
  progress() {},
  greet() {},
  close: () => Promise.resolve(),
};

const tree = await openTree({
  config: { dataDir, logLevel: "error", keepDays: 30, durability: "normal", zone: "UTC", netAllow: [] },
  rolesDir: join(import.meta.dirname, "tree"),
  gateway: createGateway({ channels: [channel], log }),
  log,
  ids,
});
if (isFailure(tree)) throw new Error(tree.text);

const ask = (text: string): Promise<string> => {
  const id = ids.next();
  const { promise, resolve } = Promise.withResolvers<string>();
  waiting.set(id, resolve);
  void accept?.({ id, chat: "one", person: "ann", text });
  return promise;
};

const figures = await measureFlow(ask, { sequential: 2000, inFlight: 200, total: 20_000 });
await tree.close(1000);
rmSync(dataDir, { recursive: true, force: true });
process.stdout.write(`${JSON.stringify(figures)}\n`);
