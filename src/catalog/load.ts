import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { FailureCode } from "../envelope/index.ts";
import { CommandAnnouncement } from "../sdk/announcement.ts";
import { RoleShape, type AnyRole } from "./any-role.ts";
import { isDisabled } from "./claims.ts";
import { currentHash, type DisabledRole, type RoleFile } from "./role-file.ts";

/** A role that is ready to run, and its commands as its agent announces them. */
export interface LoadedRole {
  readonly name: string;
  readonly file: string;
  readonly hash: string;
  readonly requires: readonly string[];
  readonly role: AnyRole;
  readonly announcements: readonly CommandAnnouncement[];
}

/**
 * Imports a role file, which runs its top level, and checks what it exports.
 * A process loads a file once: what is changed afterwards takes a restart.
 */
export async function loadRole(file: RoleFile): Promise<LoadedRole | DisabledRole> {
  const disable = (
    code: FailureCode,
    reason: string,
    rest: { remedy: string; line?: number },
  ): DisabledRole => ({
    role: file.name,
    file: file.file,
    code,
    reason,
    ...rest,
  });
  if ((await currentHash(file.file)) !== file.hash) {
    return disable("E_ROLE_LOAD", "changed while it was being loaded", { remedy: "Start the agent again." });
  }
  const url = pathToFileURL(file.file).href;
  const imported = await withinTime(import(url)).then(
    (module: { readonly default?: unknown }) => ({ value: module.default }),
    (error: unknown) => disable("E_ROLE_LOAD", ...describeThrow(error, file.file)),
  );
  if (isDisabled(imported)) return imported;
  const parsed = RoleShape.safeParse(imported.value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const reason = `exports no role: ${issue?.path.map(String).join(".")}: ${issue?.message}`;
    const line = lineOfCommand(file, issue?.path[1]);
    return disable("E_ROLE_SHAPE", reason, { remedy: "Correct that part of defineRole({ … }).", ...line });
  }
  const role = withoutPrototypes(parsed.data);
  const announcements: CommandAnnouncement[] = [];
  for (const [name, command] of Object.entries(role.commands)) {
    const input = inputOf(command);
    if ("wrong" in input) {
      const reason = `the parameters of the command ${name} cannot be written as JSON Schema: ${input.wrong}`;
      const remedy = "Use types that JSON has: text for a date (param.when()), a number for a bigint.";
      return disable("E_ROLE_SCHEMA", reason, { remedy, ...lineOfCommand(file, name) });
    }
    const announced = announce(name, command, input.schema);
    if (!announced.success) {
      const issue = announced.error.issues[0];
      const part = issue?.path[0] === "input" ? "params" : String(issue?.path[0]);
      const reason = `${part} of the command ${name} ${issue?.message}`;
      const remedy = `Make ${part} smaller: it is kept in mind by every agent above.`;
      return disable("E_ROLE_SHAPE", reason, { remedy, ...lineOfCommand(file, name) });
    }
    announcements.push(announced.data);
  }
  return { name: file.name, file: file.file, hash: file.hash, requires: file.requires, role, announcements };
}

function inputOf({ params }: AnyRole["commands"][string]): { schema: unknown } | { wrong: string } {
  try {
    return { schema: z.toJSONSchema(params ?? z.object({}), { io: "input" }) };
  } catch (error) {
    // The library's only way to say that a type has no JSON form.
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

/** A command as it is announced, unless there is more of it than may be. */
function announce(name: string, command: AnyRole["commands"][string], input: unknown) {
  const { description, prompts, effect, access, approval, timeoutMs } = command;
  return CommandAnnouncement.safeParse({
    name,
    description,
    input,
    ...(prompts && { prompts }),
    ...(effect && { effect }),
    ...(access && { access }),
    ...(approval && { approval }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
}

/** How long a role's top level may take; one that waits for ever would keep the whole tree from starting. */
const LOADED_WITHIN_MS = 10_000;

async function withinTime<T>(loading: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`its top level did not come to an end within ${LOADED_WITHIN_MS / 1000} s`)),
    LOADED_WITHIN_MS,
  );
  return Promise.race([loading, late.promise]).finally(() => clearTimeout(timer));
}

function describeThrow(
  error: unknown,
  file: string,
): [reason: string, rest: { remedy: string; line?: number }] {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_MODULE_NOT_FOUND") {
    const library = /package '([^']+)'/.exec(message)?.[1];
    const remedy = library === undefined ? "Correct the import." : `Run \`npm install ${library}\`.`;
    return [`could not be loaded: ${message.split(" imported from ")[0]}`, { remedy }];
  }
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const at = stack.split("\n").find((frame) => frame.includes(file));
  const line = Number(/:(\d+):\d+\)?$/.exec(at ?? "")?.[1]);
  return [
    `threw while it was loaded: ${message}`,
    { remedy: "Mend the top level of the file.", ...(line > 0 && { line }) },
  ];
}

function lineOfCommand(file: RoleFile, name: PropertyKey | undefined): { line?: number } {
  const line = file.commands.find((command) => command.name === name)?.line;
  return line === undefined ? {} : { line };
}

/** Looking up a name that a role does not have must find nothing, not what every object inherits. */
function withoutPrototypes(role: AnyRole): AnyRole {
  const bare = <T extends object>(from: T): T => Object.assign(Object.create(null) as T, from);
  return { ...role, commands: bare(role.commands), events: bare(role.events), on: bare(role.on) };
}
