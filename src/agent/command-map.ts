import { z } from "zod";
import { canonicalJson } from "../envelope/index.ts";
import { CommandAnnouncement } from "../sdk/announcement.ts";

/** The payload of an announcement. */
export const Announcement = z.strictObject({ commands: z.array(CommandAnnouncement).max(2000) });
export type Announcement = z.output<typeof Announcement>;

/** Where a command is carried out. */
export type Place = { readonly kind: "own" } | { readonly kind: "child"; readonly child: string };

/** Two children that offer one command: the later one's is not taken up. */
export interface Collision {
  readonly command: string;
  readonly kept: string;
  readonly disabled: string;
}

/** What an agent can be asked for: its own commands, and as its own those of its children. */
export interface CommandMap {
  /** Takes up what a child announces; says whether anything changed. */
  announce(child: string, commands: readonly CommandAnnouncement[]): boolean;
  /** What is offered twice just now. */
  readonly collisions: readonly Collision[];
  find(command: string): { readonly place: Place; readonly announcement: CommandAnnouncement } | undefined;
  list(): readonly CommandAnnouncement[];
  of(child: string): readonly CommandAnnouncement[] | undefined;
}

export function createCommandMap(own: readonly CommandAnnouncement[]): CommandMap {
  const children = new Map<string, readonly CommandAnnouncement[]>();
  let places = new Map<string, { readonly place: Place; readonly announcement: CommandAnnouncement }>();
  let collisions: Collision[] = [];

  const rebuild = (): void => {
    collisions = [];
    places = new Map(
      own.map((announcement) => [announcement.name, { place: { kind: "own" }, announcement }]),
    );
    for (const [child, commands] of children) {
      for (const announcement of commands) {
        const taken = places.get(announcement.name)?.place;
        if (!taken) places.set(announcement.name, { place: { kind: "child", child }, announcement });
        else
          collisions.push({
            command: announcement.name,
            kept: taken.kind === "own" ? "itself" : taken.child,
            disabled: child,
          });
      }
    }
  };
  rebuild();

  return {
    announce(child, commands) {
      const before = children.get(child);
      if (before && canonicalJson(before) === canonicalJson(commands)) return false;
      children.set(child, commands);
      rebuild();
      return true;
    },
    get collisions() {
      return collisions;
    },
    find: (command) => places.get(command),
    list: () => [...places.values()].map(({ announcement }) => announcement),
    of: (child) => children.get(child),
  };
}
