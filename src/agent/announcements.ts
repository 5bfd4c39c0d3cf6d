import type { Neighbour } from "../admission/index.ts";
import type { Clock } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";
import type { Log } from "../sdk/context.ts";
import type { CommandMap } from "./command-map.ts";
import { Announcement } from "./command-map.ts";
import type { Letters } from "./letters.ts";
import type { Sender } from "./sender.ts";

/** What children offer comes in here, and goes on to the master as the agent's own. */
export interface Announcements {
  /** Takes up what each child offered last, so that its commands are known before it has spoken. */
  recall(): void;
  take(child: string, commands: readonly CommandAnnouncement[]): void;
  /** Whether a child has spoken since the start; what the others offer is remembered from before. */
  hasHeard(child: string): boolean;
  /** Tells the master what can be asked for here. */
  announce(): void;
  /** Resolves when every child has spoken since the start. */
  readonly complete: Promise<void>;
}

export interface AnnouncementsParts {
  readonly master: Neighbour | undefined;
  readonly children: readonly Neighbour[];
  readonly map: CommandMap;
  readonly ledger: Ledger;
  readonly letters: Letters;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the agent is up: before, nobody is told anything. */
  readonly isUp: () => boolean;
}

/** Where the agent keeps what is its own; no role's file can have this name. */
const OWN_VALUES = ":agent";
const AT_ONCE = 5;
const WINDOW_MS = 1000;

export function createAnnouncements(parts: AnnouncementsParts): Announcements {
  const { master, children, map, ledger, letters, sender, clock, log } = parts;
  const heard = new Set<string>();
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
        if (remembered.success) map.announce(name, remembered.data.commands);
      }
      if (children.length === 0) complete.resolve();
    },
    take(child, commands) {
      heard.add(child);
      if (map.announce(child, commands)) {
        for (const collision of map.collisions) {
          log.warn("two children offer one command; the later one is not taken up", { ...collision });
        }
        const value = JSON.stringify({ commands });
        ledger.values.write([{ role: OWN_VALUES, key: `commands/${child}`, value }]);
        announce();
      }
      if (children.every(({ name }) => heard.has(name))) complete.resolve();
    },
    hasHeard: (child) => heard.has(child),
    announce,
    complete: complete.promise,
  };
}
