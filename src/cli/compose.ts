import { createHmac, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenGateway } from "../capabilities/comm-gateway/index.ts";
import { NotDeliveredError } from "../capabilities/comm-gateway/index.ts";
import { findPlace, readTree, type AgentPlace } from "../catalog/index.ts";
import type { Config } from "../config.ts";
import type { Clock, FailureValue, Ids } from "../envelope/index.ts";
import { createIds, failure, isFailure, systemClock } from "../envelope/index.ts";
import type { ProcessLog } from "../log.ts";
import type { Orchestrator, OrchestratorParts } from "../orchestrator/index.ts";
import { placesOfTree } from "../orchestrator/index.ts";
import type { CapabilityDefinition } from "../sdk/capability.ts";
import { makeFolder, refuseIrregular } from "../storage/index.ts";
import type { Log } from "../sdk/context.ts";
import type { Room } from "../warroom/index.ts";
import { createCapabilities } from "./capabilities.ts";
import { openLanes } from "./lanes.ts";
import { type AgentsParts, openAgents, type OpenAgents } from "./open-agents.ts";

/** What a tree, or its root alone, is made of. The parts that have a default may be replaced, by a test's own main for one. */
export interface TreeParts {
  readonly config: Config;
  readonly rolesDir: string;
  readonly gateway: OpenGateway;
  readonly log: ProcessLog;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly openLedger?: OrchestratorParts["openLedger"];
  readonly transport?: OrchestratorParts["transport"];
  /** How long a handler may hold the process up before it is ended; default 10 s. */
  readonly patienceMs?: number;
  /** How the Telegram channel is, where there is one. */
  readonly telegramHealth?: AgentsParts["telegramHealth"];
  /** Called when every agent runs, before people can write. */
  readonly onStarted?: (orchestrator: Orchestrator) => void;
  /** Where the war room speaks, in the order in which they are tried; default: the log. */
  readonly rooms?: (log: Log) => readonly Room[];
  /** Further capabilities, or others in place of those that ship. */
  readonly capabilities?: readonly CapabilityDefinition[];
}

/** A person's request must be answered within this. */
const PERSON_WAITS_MS = 90_000;
const CHILDREN_KNOWN_WITHIN_MS = 5000;
const KEY_BYTES = 32;

/**
 * Starts every agent of `rolesDir` in this process and opens the gateway's channels; with REDIS_URL the root alone, whose
 * children are processes of their own.
 */
export async function openTree(parts: TreeParts): Promise<OpenAgents | FailureValue> {
  const { config, gateway, log } = parts;
  const clock = parts.clock ?? systemClock();
  /** Resolves once it is known whether the channels are open. */
  const opened = Promise.withResolvers<boolean>();
  let orchestrator: Orchestrator | undefined;
  const root = (): Orchestrator["top"] => {
    if (!orchestrator) throw new Error("the root is asked before it has started");
    return orchestrator.top;
  };

  const transport = parts.transport ?? (await openLanes(config, { clock, log }));
  if (isFailure(transport)) return transport;
  const capabilities = merge(
    [...createCapabilities({ config, clock, root, transport, rooms: parts.rooms }), gateway.definition],
    parts.capabilities ?? [],
  );
  const places = await findPlaces(parts, new Map(capabilities.map(({ id, rootOnly }) => [id, { rootOnly }])));
  if (isFailure(places)) return places;
  const pseudonymOf = createPseudonyms(config.dataDir);
  if (isFailure(pseudonymOf)) return pseudonymOf;

  const agents = await openAgents({
    ...parts,
    places,
    capabilities,
    clock,
    transport,
    ids: parts.ids ?? createIds(clock.now),
    people: {
      pseudonymOf,
      timeoutMs: PERSON_WAITS_MS,
      async show(reply) {
        if (!(await opened.promise)) return false;
        const { vantage } = reply.reply;
        return gateway.deliver(vantage === undefined ? reply : { ...reply, vantage }).then(
          () => true,
          (error: unknown) => {
            if (error instanceof NotDeliveredError) return false;
            throw error;
          },
        );
      },
      progress: (requestId, text, fraction) => gateway.progress(requestId, text, fraction),
      close: () => gateway.close(),
    },
  });
  if (isFailure(agents)) return agents;
  ({ orchestrator } = agents);
  const { top } = agents.orchestrator;
  // What runs elsewhere has not been waited for yet. Whoever is away is told so when it is asked.
  if (transport.isShared) await top.childrenKnown(CHILDREN_KNOWN_WITHIN_MS);
  parts.onStarted?.(agents.orchestrator);
  try {
    await gateway.start({
      accept: (inbound) => top.accept({ language: "en", zone: config.zone, ...inbound }),
      lastReply: (chat) => top.lastReply(chat),
    });
    opened.resolve(true);
    await agents.orchestrator.boot();
  } catch (error) {
    // What is owed to people waits for the next start.
    opened.resolve(false);
    await agents.close(0);
    const lost = agents.lost();
    if (lost) return lost;
    throw error;
  }
  return agents;
}

/** All agents of the tree, or the root alone where the others are processes of their own. */
async function findPlaces(
  { config, rolesDir }: TreeParts,
  known: ReadonlyMap<string, { readonly rootOnly: boolean }>,
): Promise<readonly AgentPlace[] | FailureValue> {
  if (config.redisUrl !== undefined) {
    const root = await findPlace(rolesDir, { name: undefined, known });
    return isFailure(root) ? root : [root];
  }
  const tree = await readTree(rolesDir, known);
  if (tree.problems.length > 0) {
    return failure("E_MANIFEST", tree.problems.map(({ text }) => text).join("\n"));
  }
  return placesOfTree(tree.agents);
}

function merge(
  shipped: readonly CapabilityDefinition[],
  others: readonly CapabilityDefinition[],
): readonly CapabilityDefinition[] {
  const replaced = new Set(others.map(({ id }) => id));
  return [...shipped.filter(({ id }) => !replaced.has(id)), ...others];
}

/** People stand below the root under names that only the root's own key can make. */
function createPseudonyms(dataDir: string): ((channel: string, person: string) => string) | FailureValue {
  const path = join(dataDir, "root", "pseudonym.key");
  try {
    makeFolder(join(dataDir, "root"));
    refuseIrregular(path);
    const key = readOrMake(path);
    return (channel, person) =>
      createHmac("sha256", key).update(`${channel}\u0000${person}`).digest("base64url").slice(0, 22);
  } catch (error) {
    return failure(
      "E_LEDGER",
      `${path} cannot be read or made: ${(error as Error).message}. Give the folder to whoever runs this, or set VOXTREE_DATA_DIR to another one.`,
    );
  }
}

function readOrMake(path: string): Buffer {
  try {
    // Whoever comes second reads what the first one made.
    writeFileSync(path, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const key = readFileSync(path);
  if (key.length !== KEY_BYTES) throw new Error(`it holds ${key.length} bytes and not ${KEY_BYTES}`);
  return key;
}
