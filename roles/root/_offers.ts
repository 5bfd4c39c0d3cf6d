import type { Context } from "#sdk";

/** A command as the root knows it. */
export type Offered = ReturnType<Context<["commands"]>["commands"]["list"]>[number];
/** A child of the root, with the names of its commands. */
export type Child = ReturnType<Context<["commands"]>["commands"]["children"]>[number];

/** Everything that can be asked for, and who does it. */
export interface Offering {
  readonly commands: readonly Offered[];
  readonly children: readonly Child[];
}

/** What a command does, in one line of English. */
export function descriptionOf({ name, description }: Offered): string {
  return typeof description === "string" ? description : inEnglish(description, name);
}

/** Words that ask for a command, the best example first. */
export function examplesOf({ prompts }: Offered): readonly string[] {
  return Array.isArray(prompts) ? prompts : inEnglish<readonly string[]>(prompts, []);
}

/** One prompt each of up to three commands, by turns of each child; of one without prompts its slash command. */
export function thingsToTry({ commands, children }: Offering): readonly string[] {
  const known = new Map(commands.map((command) => [command.name, command]));
  const most = Math.max(0, ...children.map((child) => child.commands.length));
  const names = Array.from({ length: most }, (_, turn) =>
    children.flatMap((child) => child.commands[turn] ?? []),
  ).flat();
  return [...new Set(names)]
    .flatMap((name) => known.get(name) ?? [])
    .slice(0, 3)
    .map((command) => examplesOf(command)[0] ?? `/${command.name}`);
}

function inEnglish<T>(texts: Readonly<Record<string, T>>, otherwise: T): T {
  return texts["en"] ?? Object.values(texts)[0] ?? otherwise;
}
