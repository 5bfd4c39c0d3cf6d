/** `#sdk/testing`: runs one command or event of a role in a test, by the same doors as in an agent. */
import type { z } from "zod";
import type { BaseContext } from "../context.ts";
import { runAtDoor, type UntypedCommand } from "../door.ts";
import type { Failure, ReplyShape } from "../reply.ts";
import type { CapabilityId, Events, Role } from "../role.ts";
import type { Handles, Traces } from "./stand-in.ts";
import { createTestContext } from "./test-context.ts";

export { createMemoryStore } from "./memory-store.ts";
export type { ChildAnswer, Handles, Overrides, StandIn, Traces } from "./stand-in.ts";

type Input<S> = [S] extends [z.ZodObject] ? z.input<S> : Readonly<Record<string, never>>;
type Output<S> = [S] extends [z.ZodObject] ? z.output<S> : undefined;
/** Handles may be left out where the role requires none. */
type Rest<R extends readonly CapabilityId[]> = R extends readonly []
  ? [handles?: Handles<R>]
  : [handles: Handles<R>];

/** A reply as it leaves the agent: read by the strict reply schema, its data by the command's. */
export type TriedReply<D> = Omit<ReplyShape, "data"> & { readonly data: Output<D>; readonly failure?: never };

/** A reply, or a failure as a value, with what the command did besides. */
export type Tried<D> = (TriedReply<D> | (Failure & { readonly data?: never; readonly verdict?: never })) &
  Traces;

/**
 * Asks a role's command as an agent would. What does not fit the parameters is E_BAD_PARAMS and what does not fit
 * a reply is E_BAD_REPLY, both as values; what `run` throws is thrown here too.
 */
export async function tryCommand<R extends readonly CapabilityId[], P, D, E, Name extends keyof P & string>(
  role: Role<R, P, D, E>,
  name: Name,
  ...[given, handles]: [params: Input<P[Name]>, ...rest: Rest<R>]
): Promise<Tried<Name extends keyof D ? D[Name] : unknown>> {
  const command = untyped(role).commands?.[name];
  if (command === undefined) throw new Error(`the role has no command ${name}`);
  const { context, traces } = createTestContext({ ...handles });
  const tried = { ...(await runAtDoor(command, given, { context, by: "The role" })), ...traces };
  // The reply has been parsed by the very schema that the type speaks of.
  return tried as Tried<Name extends keyof D ? D[Name] : unknown>;
}

/** Hands a role an event, of its own making or of the framework's, as an agent would. */
export async function tryEvent<
  R extends readonly CapabilityId[],
  P,
  D,
  E,
  Name extends (keyof E & string) | keyof Events,
>(
  role: Role<R, P, D, E>,
  name: Name,
  ...[given, handles]: [
    payload: Name extends keyof Events ? Events[Name] : Name extends keyof E ? Input<E[Name]> : never,
    ...rest: Rest<R>,
  ]
): Promise<Traces> {
  const { context, traces } = createTestContext({ ...handles });
  const own = untyped(role).events?.[name];
  const listener = untyped(role).on?.[name];
  if (own) await own.run(context, own.payload.parse(given));
  else if (listener) await listener(context, given);
  else throw new Error(`the role does not hear ${name}`);
  return traces;
}

/** A role with its author's types forgotten. */
interface AnyRole {
  commands?: Readonly<Record<string, UntypedCommand>>;
  events?: Readonly<
    Record<string, { payload: z.ZodObject; run(context: BaseContext, payload: object): unknown }>
  >;
  on?: Readonly<Record<string, ((context: BaseContext, event: unknown) => unknown) | undefined>>;
}

function untyped<R extends readonly CapabilityId[], P, D, E>(role: Role<R, P, D, E>): AnyRole {
  return role as unknown as AnyRole;
}
