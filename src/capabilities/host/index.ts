import { z } from "zod";
import type { CapabilityDefinition } from "../../sdk/capability.ts";
import type { Host } from "./contract.ts";
import { createMountRooms } from "./mount-rooms.ts";
import { takeSnapshot } from "./snapshot.ts";
import { createHostSources, type HostSources } from "./sources.ts";

export type { Host } from "./contract.ts";

declare module "../../sdk/role.ts" {
  interface Capabilities {
    host: Host;
  }
}

export interface HostParts {
  /** Put before the paths of the files that are read; default "/". */
  readonly root?: string;
  /** Facts from elsewhere than the machine itself. */
  readonly sources?: Partial<HostSources>;
  /** How long a mount may take to say how full it is, in ms; default 2 s. */
  readonly stuckMs?: number;
}

/** The capability to look at the machine that the agent runs on. It changes nothing there. */
export function createHostCapability(parts: HostParts = {}): CapabilityDefinition<"host"> {
  const sources = { ...createHostSources(parts.root ?? "/"), ...parts.sources };
  // One for all agents: they share the threads that a dead mount holds.
  const rooms = createMountRooms(sources, parts.stuckMs === undefined ? {} : { stuckMs: parts.stuckMs });
  return {
    id: "host",
    rootOnly: false,
    settings: z.strictObject({}).prefault({}),
    mount() {
      return {
        handle: ({ signal }): Host => ({
          snapshot: (options = {}) =>
            unlessAborted(
              () => takeSnapshot(sources, rooms),
              options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
            ),
        }),
        // Nothing is kept open: a mount that is stuck is the kernel's to release.
        close: () => Promise.resolve(),
      };
    },
  };
}

async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
