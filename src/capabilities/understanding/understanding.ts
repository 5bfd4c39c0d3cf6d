import { z } from "zod";
import {
  type CommandMap,
  createCommandMap,
  explain,
  type Explained,
  type Outcome,
  understand,
} from "../../dialogue/index.ts";
import { timeOfId } from "../../envelope/ids.ts";
import type { CommandAnnouncement } from "../../sdk/announcement.ts";
import type { CapabilityDefinition, MountedCapability } from "../../sdk/capability.ts";
import { recall, remember } from "./memory.ts";

/** What a role says in order to have words understood. */
interface Words {
  readonly chat: string;
  readonly text: string;
  /** What can be asked for just now. */
  readonly commands: readonly CommandAnnouncement[];
  /** IANA time zone of who wrote. */
  readonly zone: string;
}

/** Tells what people's words ask for, and remembers the questions that are open in each chat. */
interface Understanding {
  /**
   * Decides what is to be done about a person's words, and remembers what that leaves open in their chat. Does so at once,
   * without waiting for anything: call it in a step, first thing in a handler, and words are understood once, in the
   * order in which they came, whatever happens to the process in between.
   */
  understand(words: Words): Outcome;
  /** Learns the commands that can be asked for, so that the next words do not wait for it. They may be others by then. */
  learn(commands: readonly CommandAnnouncement[]): void;
}

declare module "../../sdk/role.ts" {
  interface Capabilities {
    /** From words to a command. The root's alone. */
    understanding: Understanding;
  }
}

/** The capability in the root's hands; the command line asks it why. */
interface MountedUnderstanding extends MountedCapability<"understanding"> {
  /** What decides about a text when nothing was said before. */
  explain(text: string, commands: readonly CommandAnnouncement[], zone?: string): Explained;
}

interface UnderstandingDefinition extends CapabilityDefinition<"understanding"> {
  mount(): MountedUnderstanding;
}

/**
 * Builds the capability `understanding`. What is open in a chat is kept in the calling role's store.
 * `now` gives Unix ms for words whose id does not say when they were written.
 */
export function createUnderstandingCapability({
  now,
}: {
  readonly now: () => number;
}): UnderstandingDefinition {
  return {
    id: "understanding",
    rootOnly: true,
    settings: z.strictObject({}).default({}),
    mount() {
      const mapOf = createMapCache();
      return {
        handle: ({ request, store }) => ({
          understand({ chat, text, commands, zone }) {
            // Words that waited while the root was away mean what they meant when they were written.
            const at = new Date(timeOfId(request.id) ?? now());
            const world = { now: at, zone, language: request.language, map: mapOf(commands) };
            const { outcome, state } = understand(text, recall(store, chat), world);
            remember(store, chat, state);
            return outcome;
          },
          learn: (commands) => void mapOf(commands),
        }),
        explain: (text, commands, zone = "UTC") =>
          explain(text, { now: new Date(now()), zone, language: "en", map: mapOf(commands) }),
        close: () => Promise.resolve(),
      };
    },
  };
}

/** Keeps the classifier until the list of commands says something else. */
function createMapCache(): (commands: readonly CommandAnnouncement[]) => CommandMap {
  let list: readonly CommandAnnouncement[] | undefined;
  let spelled = "";
  let map: CommandMap | undefined;
  return (commands) => {
    if (map && isSameList(commands, list)) return map;
    const spelling = JSON.stringify(commands);
    if (!map || spelling !== spelled) map = createCommandMap(commands);
    list = [...commands];
    spelled = spelling;
    return map;
  };
}

function isSameList(
  commands: readonly CommandAnnouncement[],
  list: readonly CommandAnnouncement[] | undefined,
): boolean {
  return commands.length === list?.length && commands.every((command, i) => command === list[i]);
}
