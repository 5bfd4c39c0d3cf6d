import type { z } from "zod";
import { failure } from "../envelope/index.ts";
import type { BaseContext } from "./context.ts";
import { type Failure, FailureShape, ReplyShape } from "./reply.ts";

/** A command with its author's types forgotten: what it is given and what it gives is parsed. */
export interface UntypedCommand {
  readonly params?: z.ZodObject | undefined;
  readonly data?: z.ZodObject | undefined;
  run(context: BaseContext, params: Readonly<Record<string, unknown>>): unknown;
}

/**
 * Runs a command at its role's door: parameters in by the command's schema, the reply out by the strict reply shape
 * and the command's data schema. What does not fit is a failure that names the place; what `run` throws is thrown on.
 * `by` is who gave the reply, in words: "The role http".
 */
export async function runAtDoor(
  command: UntypedCommand,
  params: unknown,
  { context, by }: { readonly context: BaseContext; readonly by: string },
): Promise<ReplyShape | Failure> {
  const parsed = command.params ? command.params.safeParse(params) : { success: true as const, data: {} };
  if (!parsed.success) return failure("E_BAD_PARAMS", explain(parsed.error));
  const refuse = (error: z.ZodError, where: readonly string[] = []): Failure =>
    failure("E_BAD_REPLY", `${by} gave something that is no reply: ${explain(error, where)}`);

  const given = await command.run(context, parsed.data);
  // A misspelt failure must not pass for a reply with a field too many.
  if (typeof given === "object" && given !== null && "failure" in given) {
    const failed = FailureShape.safeParse(given);
    return failed.success ? failed.data : refuse(failed.error);
  }
  const reply = ReplyShape.safeParse(given);
  if (!reply.success) return refuse(reply.error);
  if (!command.data || reply.data.data === undefined) return reply.data;
  const facts = command.data.safeParse(reply.data.data);
  return facts.success ? { ...reply.data, data: facts.data } : refuse(facts.error, ["data"]);
}

function explain(error: z.ZodError, where: readonly string[] = []): string {
  return error.issues
    .map(({ path, message }) => {
      const place = [...where, ...path].join(".");
      return place === "" ? message : `${place}: ${message}`;
    })
    .join("; ");
}
