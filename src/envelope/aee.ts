import { z } from "zod";
import { deepFrozen } from "./frozen.ts";

/** The five kinds of AEE envelope (AEE v1, field 4). */
export const AeeType = z.enum(["task", "result", "event", "error", "stream"]);
export type AeeType = z.output<typeof AeeType>;

/** How soon an envelope's receiver should turn to it (AEE v1, field 11). */
export const Priority = z.enum(["low", "normal", "high", "urgent"]);
export type Priority = z.output<typeof Priority>;

/** A JSON object. */
export const Json = z.record(z.string(), z.unknown());

/** What the sender asks of the receiver (AEE v1, field 12); unknown keys are kept. */
export const Requires = z.looseObject({
  timeout_ms: z.number().nonnegative().optional(),
  /** Voxtree's own: Unix ms, by the clock of the lanes, at which this was said; that time runs from then. */
  asked_at: z.number().nonnegative().optional(),
  human_approval: z.unknown().optional(),
  approval: z.unknown().optional(),
  evidence: z.unknown().optional(),
  format: z.unknown().optional(),
  min_confidence: z.number().min(0).max(1).optional(),
  decision_evidence: z.enum(["none", "minimal", "standard", "full"]).optional(),
});
export type Requires = z.output<typeof Requires>;

export const Signature = z.union([Json, z.string()]);
export const Trace = z.looseObject({ trace_id: z.string().optional(), span_id: z.string().optional() });

const Fields = z.looseObject({
  v: z.literal("1"),
  id: z.string().min(8),
  ts: z.string().min(10),
  type: AeeType,
  from: z.string().min(1),
  to: z.string().min(1),
  intent: z.string().min(3),
  corr: z.string().min(8),
  reply_to: z.string().nullish(),
  trace: Trace.nullish(),
  priority: Priority,
  requires: Requires.nullish(),
  payload: Json,
  sig: Signature.nullish(),
});

/** The names of the fourteen fields. */
export const AEE_FIELDS: readonly string[] = Object.keys(Fields.shape);

/**
 * The one envelope on the wire: AEE v1's fourteen fields. Unknown fields are kept, as AEE demands of consumers.
 * A result or an error must name what it answers. What is parsed is frozen at every level.
 */
export const AeeEnvelope = Fields.refine(
  (envelope) => !isAnswer(envelope.type) || (envelope.reply_to?.length ?? 0) >= 8,
  {
    path: ["reply_to"],
    message: "a result or an error must name the envelope it answers (AEE v1, field 9)",
  },
)
  .overwrite(deepFrozen)
  .readonly();
export type AeeEnvelope = z.output<typeof AeeEnvelope>;

/** Whether envelopes of this type answer another one. */
export function isAnswer(type: AeeType): boolean {
  return type === "result" || type === "error";
}
