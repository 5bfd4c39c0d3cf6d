import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { CapabilityDefinition } from "../../src/sdk/capability.ts";

/** Things done to the world, on files: one kind repeats when it is repeated, the other can tell by its key. */
export interface Effects {
  /** Adds a line, every time. */
  append(key: string): void;
  /** Does it once for a key; says which number it was. */
  put(key: string): string;
  /** Ends the process at once, unless a file `mended` stands in the data folder. */
  endProcess(how: "signal" | "exit"): void;
}

declare module "../../src/sdk/role.ts" {
  interface Capabilities {
    effects: Effects;
  }
}

/** Called around each effect, so that a test can end the process there. */
export type Around = (point: "before-effect" | "inside-step") => void;

export function createEffectsCapability(dir: string, around: Around): CapabilityDefinition<"effects"> {
  const log = join(dir, "effects.log");
  return {
    id: "effects",
    rootOnly: false,
    settings: z.strictObject({}),
    mount: () => ({
      handle: () => ({
        append(key) {
          around("before-effect");
          appendFileSync(log, `append ${key}\n`);
          around("inside-step");
        },
        put(key) {
          const path = join(dir, encodeURIComponent(key));
          if (!existsSync(path)) {
            writeFileSync(path, "done", { flag: "wx" });
            appendFileSync(log, `put ${key}\n`);
          }
          return "done";
        },
        endProcess(how) {
          if (existsSync(join(dir, "mended"))) return;
          if (how === "exit") process.exit(1);
          process.kill(process.pid, "SIGKILL");
        },
      }),
      close: () => Promise.resolve(),
    }),
  };
}
