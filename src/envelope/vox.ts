import { z } from "zod";
import { AEE_FIELDS, type AeeType, isAnswer, Json, Priority, Requires, Signature, Trace } from "./aee.ts";
import { deepFrozen } from "./frozen.ts";

/** What an envelope is for, in Voxtree's own words, and the AEE type that carries it. */
export const AEE_TYPE_OF = {
  command_request: "task",
  command_result: "result",
  command_error: "error",
  progress: "stream",
  message_acknowledged: "event",
  announcement: "event",
  heartbeat: "event",
  notice: "event",
  cancel: "event",
  alert: "event",
  system_failure: "event",
} as const satisfies Record<string, AeeType>;

/** The kinds of message that agents exchange; what an AEE `event` is about is told by this alone. */
export const VoxType = z.enum(Object.keys(AEE_TYPE_OF) as (keyof typeof AEE_TYPE_OF)[]);
export type VoxType = z.output<typeof VoxType>;

/** The fields of an envelope that the view names; every other one stands in `extensions`. */
export const VIEWED_FIELDS: ReadonlySet<string> = new Set([...AEE_FIELDS, "message_source", "message_type"]);

/**
 * An envelope as the product reads it: a lossless view of an AEE envelope.
 * `source` and `target` are `agent.<uuid>` or `human.<pseudonym>`; `message_source` is the name the receiver
 * knows the sender by; fields that AEE knows and this view does not stand unread in `extensions`.
 * What is parsed is frozen at every level.
 */
export const VoxMessage = z
  .strictObject({
    message_id: z.string().min(8),
    emitted_at: z.string().min(10),
    source: z.string().min(1),
    target: z.string().min(1),
    message_source: z.string().min(1),
    type: VoxType,
    intent: z.string().min(3),
    details: Json,
    reply_to: z.string().min(8).nullable(),
    corr: z.string().min(8).optional(),
    priority: Priority.optional(),
    requires: Requires.nullable().optional(),
    trace: Trace.nullable().optional(),
    sig: Signature.nullable().optional(),
    extensions: Json.optional(),
  })
  .refine((message) => !isAnswer(AEE_TYPE_OF[message.type]) || message.reply_to !== null, {
    path: ["reply_to"],
    message: "a result or an error must name the message it answers",
  })
  .refine((message) => !Object.keys(message.extensions ?? {}).some((key) => VIEWED_FIELDS.has(key)), {
    path: ["extensions"],
    message: "an extension may not bear the name of a field of the envelope",
  })
  .overwrite(deepFrozen)
  .readonly();
export type VoxMessage = z.output<typeof VoxMessage>;

/** The payload of a `command_request`. A command's name is short: failures repeat it. */
export const RequestDetails = z.looseObject({
  command: z.string().min(1).max(200),
  params: Json,
});
export type RequestDetails = z.output<typeof RequestDetails>;

/** The payload of a `command_error`: AEE's `code`, `message`, `retryable`. */
export const ErrorDetails = z.looseObject({
  code: z.string().min(1),
  message: z.string(),
  retryable: z.boolean().default(false),
});
export type ErrorDetails = z.output<typeof ErrorDetails>;
