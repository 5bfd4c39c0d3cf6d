import { findPlace, type Neighbours } from "../catalog/index.ts";
import type { Config } from "../config.ts";
import type { FailureValue } from "../envelope/index.ts";
import { createIds, failure, isFailure, systemClock } from "../envelope/index.ts";
import type { ProcessLog } from "../log.ts";
import { createCapabilities } from "./capabilities.ts";
import { KNOWN_CAPABILITIES } from "./known.ts";
import { openLanes } from "./lanes.ts";
import { openAgents, type OpenAgents } from "./open-agents.ts";

/** What one agent in a process of its own is made of. */
export interface AgentProcessParts {
  readonly config: Config;
  readonly rolesDir: string;
  readonly name: string;
  readonly log: ProcessLog;
}

/** An agent at work in a process of its own. */
export interface OpenAgent extends OpenAgents {
  /** Whom it knows. */
  readonly neighbours: Neighbours;
}

/** Starts one agent below the root in this process; REDIS_URL leads to its neighbours. */
export async function openAgent({
  config,
  rolesDir,
  name,
  log,
}: AgentProcessParts): Promise<OpenAgent | FailureValue> {
  if (config.redisUrl === undefined) {
    const text = `REDIS_URL is not set, and ${name} would find nobody: set it, such as REDIS_URL=redis://127.0.0.1:6379. \`voxtree start\` without it runs all agents in one process.`;
    return failure("E_CONFIG", text);
  }
  const place = await findPlace(rolesDir, { name, known: KNOWN_CAPABILITIES });
  if (isFailure(place)) return place;
  if (place.folder.manifest.master_id === "") {
    return failure("E_USAGE", `${name} is the root, which talks to people: start it by \`voxtree start\`.`);
  }
  const clock = systemClock();
  const transport = await openLanes(config, { clock, log });
  if (isFailure(transport)) return transport;
  const agents = await openAgents({
    config,
    log,
    clock,
    ids: createIds(clock.now),
    places: [place],
    capabilities: createCapabilities({
      config,
      clock,
      root() {
        throw new Error("the root runs elsewhere, and what is its alone is mounted there");
      },
    }),
    transport,
  });
  if (isFailure(agents)) return agents;
  await agents.orchestrator.boot();
  return { ...agents, neighbours: place.neighbours };
}
