import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { CapabilityDefinition } from "../../src/sdk/capability.ts";

/** What roles of the fault suite do to the world: nothing but leave a trail, by which each step is accounted for. */
export interface Trail {
  /** Acts for `ms`; says when it begins and when it is done. Gives the key. */
  act(key: string, subject: string, ms: number): Promise<string>;
  /** Says that a step has come back to its role: from here on it is durable. */
  finished(key: string): void;
  /** Ends the process as by SIGKILL, unless the world has been mended. */
  endProcess(): void;
  isMended(): boolean;
}

declare module "../../src/sdk/role.ts" {
  interface Capabilities {
    trail: Trail;
  }
}

/** One line of the trail. */
export type Deed =
  | { readonly did: "begin"; readonly key: string; readonly subject: string }
  | { readonly did: "end" | "finished"; readonly key: string };

/** `mended` is the path of a file that says by being there that unruly roles are to behave. */
export function createTrailCapability(
  mended: string,
  say: (deed: Deed) => void,
): CapabilityDefinition<"trail"> {
  const isMended = (): boolean => existsSync(mended);
  return {
    id: "trail",
    rootOnly: false,
    settings: z.strictObject({}),
    mount: () => ({
      handle: () => ({
        async act(key, subject, ms) {
          say({ did: "begin", key, subject });
          if (ms > 0) await sleep(ms);
          say({ did: "end", key });
          return key;
        },
        finished: (key) => say({ did: "finished", key }),
        endProcess() {
          if (!isMended()) process.kill(process.pid, "SIGKILL");
        },
        isMended,
      }),
      close: () => Promise.resolve(),
    }),
  };
}
