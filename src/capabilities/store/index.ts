import { z } from "zod";
import type { CapabilityDefinition, Store } from "../../sdk/capability.ts";

declare module "../../sdk/role.ts" {
  interface Capabilities {
    store: Store;
  }
}

/**
 * The capability to remember across calls and restarts. Each role file has a memory of its own, which no other role
 * and no other agent sees. What a handler sets is staged: it becomes durable in the commit that holds the handler's
 * outcome, so a handler that fails, or is interrupted and runs again, leaves nothing half done.
 */
export function createStoreCapability(): CapabilityDefinition<"store"> {
  return {
    id: "store",
    rootOnly: false,
    settings: z.strictObject({}).prefault({}),
    mount: () => ({
      handle: ({ store }) => store,
      close: () => Promise.resolve(),
    }),
  };
}
