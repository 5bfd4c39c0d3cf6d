// Voxtree itself on the way from a person's words over root → coordinator → specialist → coordinator → root to the reply.
// Everything is on: every ledger is written, every envelope is checked, the reply is marked as shown.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Channel, Delivery } from "../src/capabilities/comm-gateway/index.ts";
import { createGateway } from "../src/capabilities/comm-gateway/index.ts";
import { openAgent } from "../src/cli/compose-agent.ts";
import { openTree, type TreeParts } from "../src/cli/compose.ts";
import type { Config } from "../src/config.ts";
import { createIds, isFailure } from "../src/envelope/index.ts";
import { createLog } from "../src/log.ts";
import { plainText } from "../src/sdk/markup.ts";
import type { Open, OpenRoot } from "./measure-or-serve.ts";

const rolesDir = join(import.meta.dirname, "tree");
const log = createLog({ level: "error" });
const GRACE_MS = 1000;
const LOOK_EVERY_MS = 20;

/** Where its ledgers stand, and how its agents reach each other. */
export interface BenchPlace {
  readonly dataDir: string;
  /** Set where the other agents are processes of their own. */
  readonly redisUrl?: string;
  /** Other lanes than those between the agents of one process. */
  readonly transport?: NonNullable<TreeParts["transport"]>;
}

/** The root, and with it all agents that are not processes of their own. */
export async function openBenchTree({ transport, ...place }: BenchPlace): Promise<OpenRoot> {
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
    config: configFor(place),
    rolesDir,
    gateway: createGateway({ channels: [channel], log }),
    log,
    ids,
    ...(transport ? { transport } : {}),
  });
  if (isFailure(tree)) throw new Error(tree.text);
  // What a specialist offers comes up level by level, each in its own time where they are processes.
  while (!tree.orchestrator.top.commands().some(({ name }) => name === "echo")) await sleep(LOOK_EVERY_MS);
  return {
    ask(text) {
      const id = ids.next();
      const { promise, resolve } = Promise.withResolvers<string>();
      waiting.set(id, resolve);
      void accept?.({ id, chat: "one", person: "ann", text });
      return promise;
    },
    close: () => tree.close(GRACE_MS),
  };
}

/** One agent below the root in this process. */
export async function openBenchAgent(name: string, place: BenchPlace): Promise<Open> {
  const agent = await openAgent({ config: configFor(place), rolesDir, name, log });
  if (isFailure(agent)) throw new Error(agent.text);
  return { close: () => agent.close(GRACE_MS) };
}

function configFor({ dataDir, redisUrl }: BenchPlace): Config {
  return {
    dataDir,
    redisUrl,
    logLevel: "error",
    keepDays: 30,
    durability: "normal",
    zone: "UTC",
    netAllow: [],
  };
}
