import type { BaseContext } from "../sdk/context.ts";
import { runAtDoor } from "../sdk/door.ts";
import type { Failure, ReplyShape } from "../sdk/reply.ts";
import type { AgentCommand, AgentRole } from "./roles.ts";

/** Runs a command at its role's door. What does not fit there is a failure that names the role and the place. */
export function readReply(
  { role, command }: { readonly role: AgentRole; readonly command: AgentCommand },
  params: Readonly<Record<string, unknown>>,
  context: BaseContext,
): Promise<ReplyShape | Failure> {
  return runAtDoor(command, params, { context, by: `The role ${role.name}` });
}
