import { z } from "zod";
import type { CommandAnnouncement } from "../../sdk/announcement.ts";
import type { CapabilityDefinition } from "../../sdk/capability.ts";

/** What the root can be asked for, and who stands below it. */
export interface Commands {
  /** Every command that the root can hand down. */
  list(): readonly CommandAnnouncement[];
  /** The root's own children; what stands below them is theirs to know. */
  children(): readonly ChildOfRoot[];
  /** Cancels the other unfinished requests of who asked; says how many. */
  cancel(): number;
}

export interface ChildOfRoot {
  readonly name: string;
  readonly state: "online" | "offline" | "not started";
  readonly commands: readonly string[];
}

declare module "../../sdk/role.ts" {
  interface Capabilities {
    commands: Commands;
  }
}

/** What the capability asks of the root. */
export interface CommandsPort {
  commands(): readonly CommandAnnouncement[];
  children(): readonly ChildOfRoot[];
  cancelOthers(request: { readonly id: string; readonly askedBy: string }): number;
}

/** The root's view of its own command map. `port` is asked at each call, since the root is made after its capabilities. */
export function createCommandsCapability(port: () => CommandsPort): CapabilityDefinition<"commands"> {
  return {
    id: "commands",
    rootOnly: true,
    settings: z.strictObject({}),
    mount: () => ({
      handle: ({ request }) => ({
        list: () => port().commands(),
        children: () => port().children(),
        cancel: () => port().cancelOthers(request),
      }),
      close: () => Promise.resolve(),
    }),
  };
}
