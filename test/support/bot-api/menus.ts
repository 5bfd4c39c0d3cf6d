import { isRecord, structureOf, textOf } from "./arguments.ts";
import { type Arguments, badRequest, done, type Outcome } from "./shapes.ts";
import type { MenuCommand, World } from "./world.ts";

const MOST_COMMANDS = 100;
const COMMAND = /^[a-z0-9_]{1,32}$/;
const LONGEST_DESCRIPTION = 256;

/** A menu belongs to a scope and a language. */
function menuOf(given: Arguments): string {
  const scope = structureOf(given.scope);
  const named = scope.kind === "given" && isRecord(scope.value) ? scope.value : { type: "default" };
  return JSON.stringify([
    textOf(named.type),
    textOf(named.chat_id),
    textOf(named.user_id),
    textOf(given.language_code),
  ]);
}

export function setMyCommands(world: World, given: Arguments): Outcome {
  const structure = structureOf(given.commands);
  if (structure.kind !== "given" || !Array.isArray(structure.value)) {
    return badRequest("can't parse commands: an array of commands was expected");
  }
  const menu: MenuCommand[] = [];
  for (const item of structure.value as unknown[]) {
    const command = isRecord(item) ? textOf(item.command).replace(/^\//, "") : "";
    const description = isRecord(item) ? textOf(item.description) : "";
    if (!COMMAND.test(command)) return badRequest("BOT_COMMAND_INVALID");
    const length = Array.from(description).length;
    if (length === 0 || length > LONGEST_DESCRIPTION) return badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
    menu.push({ command, description });
  }
  if (menu.length > MOST_COMMANDS) return badRequest("BOT_COMMANDS_TOO_MUCH");
  world.menus.set(menuOf(given), menu);
  return done(true);
}

export function getMyCommands(world: World, given: Arguments): Outcome {
  return done(menuIn(world, given));
}

/** The menu of a scope and a language; empty where none was set. */
export function menuIn(world: World, given: Arguments): readonly MenuCommand[] {
  return world.menus.get(menuOf(given)) ?? [];
}
