import {
  createClassifier,
  type Classifier,
  type Parameter,
  readParameters,
  shippedBackground,
} from "../intent/index.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";

/** A command with what the dialogue needs of it at hand. */
export interface KnownCommand {
  readonly announcement: CommandAnnouncement;
  readonly parameters: readonly Parameter[];
  /** What it does, in one line. */
  readonly description: string;
  readonly example: string | undefined;
}

/** The commands that can be asked for, and the classifier that tells them apart. */
export interface CommandMap {
  readonly commands: readonly KnownCommand[];
  readonly names: readonly string[];
  readonly classifier: Classifier;
  get(name: string): KnownCommand | undefined;
}

/** Prepares commands for the dialogue. Takes milliseconds for a usual bot: build it once for each list of commands. */
export function createCommandMap(announcements: readonly CommandAnnouncement[]): CommandMap {
  const commands = announcements.map((announcement) => ({
    announcement,
    // What the root itself fills in, words can neither give nor take.
    parameters: readParameters(announcement.input).filter(({ kind }) => kind !== "asker"),
    description: inEnglish(descriptionsOf(announcement)) ?? announcement.name,
    example: inEnglish(promptsOf(announcement))?.[0],
  }));
  const byName = new Map(commands.map((command) => [command.announcement.name, command]));
  return {
    commands,
    names: [...byName.keys()],
    classifier: createClassifier({
      background: shippedBackground(),
      commands: announcements.map((announcement) => ({
        name: announcement.name,
        effect: announcement.effect,
        descriptions: Object.values(descriptionsOf(announcement)),
        prompts: Object.values(promptsOf(announcement)).flat(),
      })),
    }),
    get: (name) => byName.get(name),
  };
}

/** Words that ask for up to three commands, `first` ones before the others. */
export function thingsToTry(map: CommandMap, first: readonly string[] = []): string[] {
  const order = [...new Set([...first, ...map.names])];
  return order
    .flatMap((name) => map.get(name) ?? [])
    .slice(0, 3)
    .map(({ announcement, example }) => example ?? `/${announcement.name}`);
}

/** A command's descriptions by language; one without a language is English. */
function descriptionsOf({ description }: CommandAnnouncement): Readonly<Record<string, string>> {
  return typeof description === "string" ? { en: description } : description;
}

function promptsOf({ prompts }: CommandAnnouncement): Readonly<Record<string, readonly string[]>> {
  return Array.isArray(prompts) ? { en: prompts } : prompts;
}

function inEnglish<T>(texts: Readonly<Record<string, T>>): T | undefined {
  return texts["en"] ?? Object.values(texts)[0];
}
