import { failure } from "../envelope/index.ts";
import type { BaseContext } from "../sdk/context.ts";
import type { Failure } from "../sdk/reply.ts";
import { FailureShape, ReplyShape } from "../sdk/reply.ts";
import type { z } from "zod";
import type { AgentCommand, AgentRole } from "./roles.ts";

/**
 * Runs a command at its role's door: parameters in by the command's schema, the reply out by the strict reply shape
 * and the command's data schema. What does not fit is a failure that names the place.
 */
export async function readReply(
  { role, command }: { readonly role: AgentRole; readonly command: AgentCommand },
  params: Readonly<Record<string, unknown>>,
  context: BaseContext,
): Promise<ReplyShape | Failure> {
  const parsed = command.params ? command.params.safeParse(params) : { success: true as const, data: {} };
  if (!parsed.success) return failure("E_BAD_PARAMS", explain(parsed.error));
  const given = await command.run(context, parsed.data);
  if (typeof given === "object" && given !== null && "failure" in given) {
    const failed = FailureShape.safeParse(given);
    return failed.success ? failed.data : badReply(role, failed.error);
  }
  const reply = ReplyShape.safeParse(given);
  if (!reply.success) return badReply(role, reply.error);
  if (!command.data || reply.data.data === undefined) return reply.data;
  const facts = command.data.safeParse(reply.data.data);
  return facts.success ? { ...reply.data, data: facts.data } : badReply(role, facts.error);
}

function badReply(role: AgentRole, error: z.ZodError): Failure {
  return failure("E_BAD_REPLY", `The role ${role.name} gave something that is no reply: ${explain(error)}`);
}

function explain(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message))
    .join("; ");
}
