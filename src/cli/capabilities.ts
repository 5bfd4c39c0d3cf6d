import { join } from "node:path";
import { createCommandsCapability } from "../capabilities/commands/index.ts";
import type { CommandsPort } from "../capabilities/commands/index.ts";
import { createHostCapability } from "../capabilities/host/index.ts";
import { createIncidentsCapability } from "../capabilities/incidents/index.ts";
import { createNetCapability } from "../capabilities/net/index.ts";
import { createScheduleCapability } from "../capabilities/schedule/index.ts";
import { createStoreCapability } from "../capabilities/store/index.ts";
import { createUnderstandingCapability } from "../capabilities/understanding/index.ts";
import type { Config } from "../config.ts";
import type { Clock } from "../envelope/index.ts";
import type { CapabilityDefinition } from "../sdk/capability.ts";
import type { Log } from "../sdk/context.ts";
import type { Transport } from "../transport/port.ts";
import { createLogRoom, type Room } from "../warroom/index.ts";

/** Every capability that ships, but the gateway: that one is made with its channels. */
export function createCapabilities(parts: {
  readonly config: Config;
  readonly clock: Clock;
  readonly root: () => CommandsPort;
  readonly transport: Transport;
  /** Where the war room speaks, in the order in which they are tried; default: the log. */
  readonly rooms?: ((log: Log) => readonly Room[]) | undefined;
}): readonly CapabilityDefinition[] {
  const { config, clock, root, transport, rooms = (log: Log) => [createLogRoom(log)] } = parts;
  return [
    createNetCapability({ allow: config.netAllow }),
    createHostCapability(),
    createStoreCapability(),
    createScheduleCapability({ clock }),
    createIncidentsCapability({
      path: (agent) => join(config.dataDir, agent, "incidents.db"),
      reader: () => transport.readAlerts(),
      rooms,
      zone: config.zone,
      clock,
      durability: config.durability,
    }),
    createUnderstandingCapability({ now: clock.now }),
    createCommandsCapability(root),
  ];
}
