import { z } from "zod";
import type { BaseContext, Events } from "../sdk/index.ts";

/** A role as who runs it sees it: what its author's types said is gone, and what it gives must be parsed. */
export interface AnyRole {
  readonly requires: readonly string[];
  readonly commands: Readonly<Record<string, AnyCommand>>;
  readonly events: Readonly<Record<string, AnyEvent>>;
  readonly on: Readonly<Record<string, AnyListener>>;
}

/** One command; `run` wants what `params` has parsed, and gives a reply or a failure yet to be parsed. */
interface AnyCommand {
  readonly description: string | Readonly<Record<string, string>>;
  readonly prompts?: readonly string[] | Readonly<Record<string, readonly string[]>> | undefined;
  readonly params?: z.ZodObject | undefined;
  readonly data?: z.ZodObject | undefined;
  readonly effect?: "read" | "change" | "destroy" | undefined;
  readonly access?: "viewer" | "operator" | "owner" | undefined;
  readonly approval?: "operator" | undefined;
  readonly timeoutMs?: number | undefined;
  run(context: BaseContext, params: Readonly<Record<string, unknown>>): unknown;
}

/** An event of the role's own making; `run` wants what `payload` has parsed. */
interface AnyEvent {
  readonly payload: z.ZodObject;
  run(context: BaseContext, payload: Readonly<Record<string, unknown>>): unknown;
}

/** Hears an event that the framework raises. */
type AnyListener = (context: BaseContext, event: unknown) => unknown;

/** Names every event of the framework; the compiler keeps it complete. */
const FRAMEWORK_EVENTS = { on_boot: true, inbound_message: true } as const satisfies Record<
  keyof Events,
  true
>;

const callable = <T>() => z.custom<T>((value) => typeof value === "function", "must be a function");
const ObjectSchema = z.custom<z.ZodObject>(
  (value) => value instanceof z.ZodObject,
  "must be a z.object({ … })",
);
const perLanguage = <T extends z.ZodType>(one: T) => z.union([one, z.record(z.string(), one)]);

const CommandShape: z.ZodType<AnyCommand> = z.strictObject({
  description: perLanguage(z.string()),
  prompts: perLanguage(z.array(z.string())).optional(),
  params: ObjectSchema.optional(),
  data: ObjectSchema.optional(),
  effect: z.enum(["read", "change", "destroy"]).optional(),
  access: z.enum(["viewer", "operator", "owner"]).optional(),
  approval: z.literal("operator").optional(),
  timeoutMs: z.int().positive().optional(),
  run: callable<AnyCommand["run"]>(),
});

const EventShape: z.ZodType<AnyEvent> = z.strictObject({
  payload: ObjectSchema,
  run: callable<AnyEvent["run"]>(),
});

/** The shape of what a role file exports by default. */
export const RoleShape: z.ZodType<AnyRole> = z.strictObject({
  requires: z.array(z.string()).default([]),
  commands: z.record(z.string(), CommandShape).default({}),
  events: z.record(z.string(), EventShape).default({}),
  on: z
    .partialRecord(z.enum(Object.keys(FRAMEWORK_EVENTS) as (keyof Events)[]), callable<AnyListener>())
    .default({}),
});
