import { createHash } from "node:crypto";
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
  /** Tells the state of `list()`: 16 hex digits. */
  readonly digest: string;
  /** The same of what a child has announced, as it would tell it. */
  digestOf(child: string): string | undefined;
}

export function createCommandMap(own: readonly CommandAnnouncement[]): CommandMap {
  const children = new Map<
    string,
    { readonly commands: readonly CommandAnnouncement[]; readonly digest: string }
  >();
  let places = new Map<string, { readonly place: Place; readonly announcement: CommandAnnouncement }>();
  let collisions: Collision[] = [];
  let digest: string | undefined;

  const list = (): readonly CommandAnnouncement[] =>
    [...places.values()].map(({ announcement }) => announcement);

  const rebuild = (): void => {
    digest = undefined;
    collisions = [];
    places = new Map(
      own.map((announcement) => [announcement.name, { place: { kind: "own" }, announcement }]),
    );
    for (const [child, { commands }] of children) {
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
      const announced = digestOf(commands);
      if (children.get(child)?.digest === announced) return false;
      children.set(child, { commands, digest: announced });
      rebuild();
      return true;
    },
    get collisions() {
      return collisions;
    },
    find: (command) => places.get(command),
    list,
    of: (child) => children.get(child)?.commands,
    get digest() {
      return (digest ??= digestOf(list()));
    },
    digestOf: (child) => children.get(child)?.digest,
  };
}

function digestOf(commands: readonly CommandAnnouncement[]): string {
  return createHash("sha256").update(canonicalJson(commands)).digest("hex").slice(0, 16);
}
