import { createHash } from "node:crypto";
import { z } from "zod";
import type { Neighbour } from "../admission/index.ts";
import { canonicalJson } from "../envelope/index.ts";
import { CommandAnnouncement } from "../sdk/announcement.ts";

/** The payload of an announcement. */
export const Announcement = z.strictObject({ commands: z.array(CommandAnnouncement).max(2000) });
export type Announcement = z.output<typeof Announcement>;

/** Where a command is carried out; several children are members of one pool. */
export type Place =
  | { readonly kind: "own" }
  | { readonly kind: "child"; readonly children: readonly string[] };

/** Two children that offer one command: the later one's is not taken up. */
export interface Collision {
  readonly command: string;
  readonly kept: string;
  readonly disabled: string;
}

/** Two members of a pool that offer different things under one name, as when only one was upgraded: `left` is not asked. */
export interface Difference {
  readonly command: string;
  readonly kept: string;
  readonly left: string;
}

/** What an agent can be asked for: its own commands, and as its own those of its children. */
export interface CommandMap {
  /** Takes up what a child announces; says whether anything changed. */
  announce(child: string, commands: readonly CommandAnnouncement[]): boolean;
  /**
   * A child went, or is back: of a pool, the word of those that are there counts, and the last known where none is. Says
   * whether that changes what is offered.
   */
  turn(child: string, state: "online" | "offline"): boolean;
  /** Whether two children can be asked for a command in the same words, to the same effect. */
  areAlike(command: string, one: string, other: string): boolean;
  /** What is offered twice just now. */
  readonly collisions: readonly Collision[];
  readonly differences: readonly Difference[];
  find(command: string): { readonly place: Place; readonly announcement: CommandAnnouncement } | undefined;
  list(): readonly CommandAnnouncement[];
  of(child: string): readonly CommandAnnouncement[] | undefined;
  /** Tells the state of `list()`: 16 hex digits. */
  readonly digest: string;
  /** The same of what a child has announced, as it would tell it. */
  digestOf(child: string): string | undefined;
}

interface Offer {
  readonly child: string;
  readonly announcement: CommandAnnouncement;
}

/** `neighbours` are the children that may announce, in the order in which members of a pool count that are there. */
export function createCommandMap(
  own: readonly CommandAnnouncement[],
  neighbours: readonly Pick<Neighbour, "name" | "pool">[],
): CommandMap {
  const poolOf = new Map(neighbours.map(({ name, pool }) => [name, pool]));
  const order = new Map(neighbours.map(({ name }, i) => [name, i]));
  const children = new Map<
    string,
    { readonly commands: readonly CommandAnnouncement[]; readonly digest: string }
  >();
  const gone = new Set<string>();
  let places = new Map<string, { readonly place: Place; readonly announcement: CommandAnnouncement }>();
  let collisions: Collision[] = [];
  let differences: Difference[] = [];
  let digest: string | undefined;

  const list = (): readonly CommandAnnouncement[] =>
    [...places.values()].map(({ announcement }) => announcement);

  const rebuild = (): void => {
    digest = undefined;
    collisions = [];
    places = new Map(
      own.map((announcement) => [announcement.name, { place: { kind: "own" }, announcement }]),
    );
    differences = [];
    for (const [command, offers] of gather()) {
      const [first, ...others] = offers.sort((a, b) => rankOf(a) - rankOf(b));
      if (!first) continue;
      const asked = others.filter((other) => isAlike(first, other));
      const left = others.filter((other) => !asked.includes(other));
      differences.push(...left.map(({ child }) => ({ command, kept: first.child, left: child })));
      const place: Place = { kind: "child", children: [first, ...asked].map(({ child }) => child) };
      places.set(command, { place, announcement: first.announcement });
    }
  };

  /** Whoever is there comes before whoever is not. */
  const rankOf = ({ child }: Offer): number =>
    (order.get(child) ?? neighbours.length) + (gone.has(child) ? neighbours.length + 1 : 0);

  const offerOf = (child: string, command: string): Offer | undefined => {
    const announcement = children.get(child)?.commands.find(({ name }) => name === command);
    return announcement && { child, announcement };
  };

  /** Who of the children offers what, in the order of their first announcements; what collides is left out. */
  const gather = (): ReadonlyMap<string, Offer[]> => {
    const offered = new Map<string, Offer[]>();
    for (const [child, { commands }] of children) {
      for (const announcement of commands) {
        const { name } = announcement;
        const offers = offered.get(name) ?? [];
        const kept = places.has(name) ? "itself" : offers[0]?.child;
        if (kept === undefined || mayShare(child, offers))
          offered.set(name, [...offers, { child, announcement }]);
        else collisions.push({ command: name, kept, disabled: child });
      }
    }
    return offered;
  };

  const mayShare = (child: string, offers: readonly Offer[]): boolean => {
    const pool = poolOf.get(child);
    if (pool === undefined || offers.length === 0) return false;
    return offers.every((other) => other.child !== child && poolOf.get(other.child) === pool);
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
    turn(child, state) {
      const before = (digest ??= digestOf(list()));
      if (state === "online") gone.delete(child);
      else gone.add(child);
      rebuild();
      return (digest = digestOf(list())) !== before;
    },
    areAlike(command, one, other) {
      const [a, b] = [offerOf(one, command), offerOf(other, command)];
      return a !== undefined && b !== undefined && isAlike(a, b);
    },
    get collisions() {
      return collisions;
    },
    get differences() {
      return differences;
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

/** Whether two children can be asked for a command in the same words, to the same effect. */
function isAlike({ announcement: a }: Offer, { announcement: b }: Offer): boolean {
  return a.effect === b.effect && canonicalJson(a.input) === canonicalJson(b.input);
}

function digestOf(commands: readonly CommandAnnouncement[]): string {
  return createHash("sha256").update(canonicalJson(commands)).digest("hex").slice(0, 16);
}
