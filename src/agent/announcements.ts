import type { Neighbour } from "../admission/index.ts";
import type { Clock } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";
import type { Log } from "../sdk/context.ts";
import type { CommandMap } from "./command-map.ts";
import { Announcement } from "./command-map.ts";
import type { Addressee, Letters } from "./letters.ts";
import type { Sender } from "./sender.ts";

/** What children offer comes in here, and goes on to the master as the agent's own. */
export interface Announcements {
  /** Takes up what each child offered last, so that its commands are known before it has spoken. */
  recall(): void;
  take(child: string, commands: readonly CommandAnnouncement[]): void;
  /** A child went or is back: what is offered in its pool may be another's word now. */
  turn(child: string, state: "online" | "offline"): void;
  /** Whether a child has spoken since the start; what the others offer is remembered from before. */
  hasHeard(child: string): boolean;
  /** Tells the master what can be asked for here. */
  announce(): void;
  /** A child says by a digest what it offers; it is told when that is not what is known of it here. */
  compare(child: string, digest: string): void;
  /** The master says by a digest what it knows of what is offered here. */
  knownAbove(digest: unknown): void;
  /** Resolves when of every child it is known what it offers. */
  readonly complete: Promise<void>;
}

export interface AnnouncementsParts {
  readonly master: Neighbour | undefined;
  readonly children: readonly Neighbour[];
  readonly map: CommandMap;
  readonly ledger: Ledger;
  readonly letters: Letters;
  readonly sender: Sender;
  readonly addressees: ReadonlyMap<string, Addressee>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether what a child offered before counts as known: it may come much later than its master, or not at all. */
  readonly isMemoryEnough: boolean;
  /** Whether the agent is up: before, nobody is told anything. */
  readonly isUp: () => boolean;
}

/** Where the agent keeps what is its own; no role's file can have this name. */
const OWN_VALUES = ":agent";
const AT_ONCE = 5;
const WINDOW_MS = 1000;
const COMPARE_EVERY_MS = 2000;

export function createAnnouncements(parts: AnnouncementsParts): Announcements {
  const { master, children, map, ledger, letters, sender, clock, log, addressees } = parts;
  const heard = new Set<string>();
  const known = new Set<string>();
  const comparedAt = new Map<string, number>();
  const complete = Promise.withResolvers<void>();
  let windowAt = -WINDOW_MS;
  let told = 0;
  let isWaiting = false;

  const tell = (): void => {
    if (!master || !parts.isUp()) return;
    const to = { address: `agent.${master.id}`, name: master.name };
    sender.post(to.name, letters.announce(to, map.list()));
  };

  /** A child that changes its mind without end floods nobody above: the rest of a second's changes go up together. */
  const announce = (): void => {
    if (isWaiting) return;
    const now = clock.monotonic();
    if (now - windowAt >= WINDOW_MS) {
      windowAt = now;
      told = 0;
    }
    told += 1;
    if (told <= AT_ONCE) return tell();
    isWaiting = true;
    clock.after(windowAt + WINDOW_MS - now, () => {
      isWaiting = false;
      announce();
    });
  };

  return {
    recall() {
      for (const { name } of children) {
        const remembered = Announcement.safeParse(ledger.values.get(OWN_VALUES, `commands/${name}`));
        if (!remembered.success) continue;
        map.announce(name, remembered.data.commands);
        if (parts.isMemoryEnough) known.add(name);
      }
      if (children.every(({ name }) => known.has(name))) complete.resolve();
    },
    take(child, commands) {
      heard.add(child);
      known.add(child);
      if (map.announce(child, commands)) {
        for (const collision of map.collisions) {
          log.warn("two children offer one command; the later one is not taken up", { ...collision });
        }
        for (const difference of map.differences) {
          log.warn("two members of a pool differ in a command; the later one is not asked for it", {
            ...difference,
          });
        }
        const value = JSON.stringify({ commands });
        ledger.values.write([{ role: OWN_VALUES, key: `commands/${child}`, value }]);
        announce();
      }
      if (children.every(({ name }) => known.has(name))) complete.resolve();
    },
    turn(child, state) {
      if (map.turn(child, state)) announce();
    },
    compare(child, digest) {
      const held = map.digestOf(child) ?? "";
      const now = clock.monotonic();
      const to = addressees.get(child);
      if (held === digest || !to || now - (comparedAt.get(child) ?? -COMPARE_EVERY_MS) < COMPARE_EVERY_MS)
        return;
      comparedAt.set(child, now);
      sender.post(child, letters.hold(to, held));
    },
    knownAbove(digest) {
      if (typeof digest === "string" && digest !== map.digest) announce();
    },
    hasHeard: (child) => heard.has(child),
    announce,
    complete: complete.promise,
  };
}
