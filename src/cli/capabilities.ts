import { createCommandsCapability } from "../capabilities/commands/index.ts";
import type { CommandsPort } from "../capabilities/commands/index.ts";
import { createHostCapability } from "../capabilities/host/index.ts";
import { createNetCapability } from "../capabilities/net/index.ts";
import { createScheduleCapability } from "../capabilities/schedule/index.ts";
import { createStoreCapability } from "../capabilities/store/index.ts";
import { createUnderstandingCapability } from "../capabilities/understanding/index.ts";
import type { Config } from "../config.ts";
import type { Clock } from "../envelope/index.ts";
import type { CapabilityDefinition } from "../sdk/capability.ts";

/** Every capability that ships, but the gateway: that one is made with its channels. */
export function createCapabilities(parts: {
  readonly config: Config;
  readonly clock: Clock;
  readonly root: () => CommandsPort;
}): readonly CapabilityDefinition[] {
  const { config, clock, root } = parts;
  return [
    createNetCapability({ allow: config.netAllow }),
    createHostCapability(),
    createStoreCapability(),
    createScheduleCapability({ clock }),
    createUnderstandingCapability({ now: clock.now }),
    createCommandsCapability(root),
  ];
}
