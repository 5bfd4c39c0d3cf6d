import { findPlace, type Neighbours } from "../catalog/index.ts";
import type { Config } from "../config.ts";
import type { Clock, FailureValue } from "../envelope/index.ts";
import { createIds, failure, isFailure, systemClock } from "../envelope/index.ts";
import type { ProcessLog } from "../log.ts";
import type { CapabilityDefinition } from "../sdk/capability.ts";
import type { Transport } from "../transport/port.ts";
import type { Log } from "../sdk/context.ts";
import type { Room } from "../warroom/index.ts";
import { createCapabilities } from "./capabilities.ts";
import { KNOWN_CAPABILITIES } from "./known.ts";
import { openLanes } from "./lanes.ts";
import { openAgents, type OpenAgents } from "./open-agents.ts";

/** What one agent in a process of its own is made of. The parts that have a default may be replaced, by a test's own main for one. */
export interface AgentProcessParts {
  readonly config: Config;
  readonly rolesDir: string;
  readonly name: string;
  readonly log: ProcessLog;
  readonly clock?: Clock;
  readonly transport?: Transport;
  /** Where the war room speaks, should this be its agent; default: the log. */
  readonly rooms?: (log: Log) => readonly Room[];
  /** Further capabilities. */
  readonly capabilities?: readonly CapabilityDefinition[];
}

/** An agent at work in a process of its own. */
export interface OpenAgent extends OpenAgents {
  /** Whom it knows. */
  readonly neighbours: Neighbours;
}

/** Starts one agent below the root in this process; REDIS_URL leads to its neighbours. */
export async function openAgent(parts: AgentProcessParts): Promise<OpenAgent | FailureValue> {
  const { config, rolesDir, name, log, capabilities = [], clock = systemClock() } = parts;
  if (config.redisUrl === undefined) {
    const text = `REDIS_URL is not set, and ${name} would find nobody: set it, such as REDIS_URL=redis://127.0.0.1:6379. \`voxtree start\` without it runs all agents in one process.`;
    return failure("E_CONFIG", text);
  }
  const known = new Map([...KNOWN_CAPABILITIES, ...capabilities.map((one) => [one.id, one] as const)]);
  const place = await findPlace(rolesDir, { name, known });
  if (isFailure(place)) return place;
  if (place.folder.manifest.master_id === "") {
    return failure("E_USAGE", `${name} is the root, which talks to people: start it by \`voxtree start\`.`);
  }
  const transport = parts.transport ?? (await openLanes(config, { clock, log }));
  if (isFailure(transport)) return transport;
  const agents = await openAgents({
    config,
    log,
    clock,
    ids: createIds(clock.now),
    places: [place],
    capabilities: [
      ...createCapabilities({
        config,
        clock,
        transport,
        rooms: parts.rooms,
        root() {
          throw new Error("the root runs elsewhere, and what is its alone is mounted there");
        },
      }),
      ...capabilities,
    ],
    transport,
  });
  if (isFailure(agents)) return agents;
  try {
    await agents.orchestrator.boot();
  } catch (error) {
    await agents.close(0);
    const lost = agents.lost();
    if (lost) return lost;
    throw error;
  }
  return { ...agents, neighbours: place.neighbours };
}
