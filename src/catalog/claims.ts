import type { DisabledRole, RoleFile } from "./role-file.ts";
import { shownPath } from "./suggest.ts";

/** Who offers which command below one master. */
export type Claims = Map<string, { readonly role: RoleFile; readonly by: string }>;

/**
 * Enters a role's commands in `claims`, or disables the role when another offers one of them already.
 * Those of one `by` may offer the same.
 */
export function claimCommands(
  role: RoleFile,
  { by, claims }: { readonly by: string; readonly claims: Claims },
): RoleFile | DisabledRole {
  for (const { name, line } of role.commands) {
    const first = claims.get(name);
    if (first === undefined || first.by === by) continue;
    const firstLine = first.role.commands.find((command) => command.name === name)?.line ?? 1;
    return {
      role: role.name,
      file: role.file,
      line,
      code: "E_ROLE_DUPLICATE",
      reason: `offers the command ${name}, which ${shownPath(first.role.file)}:${firstLine} offers already`,
      remedy: "Rename one of the two.",
    };
  }
  for (const { name } of role.commands) if (!claims.has(name)) claims.set(name, { role, by });
  return role;
}

/** Tells a role that does not run from one that may. */
export function isDisabled(role: object): role is DisabledRole {
  return "code" in role && "remedy" in role;
}
