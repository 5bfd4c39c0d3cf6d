import * as fc from "fast-check";
import { AEE_TYPE_OF, VoxMessage } from "../../src/envelope/index.ts";

/** The kinds of message. */
export const TYPES = Object.keys(AEE_TYPE_OF) as (keyof typeof AEE_TYPE_OF)[];
/** Every field of an envelope of ours. */
export const FIELDS = ["v", "id", "ts", "type", "from", "to", "intent", "corr", "reply_to", "trace", "priority", "requires", "payload", "sig", "message_source", "message_type"]; // prettier-ignore

/** JSON values. */
export const json = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => !JSON.stringify(value).includes("__proto__"));
const object = fc.dictionary(
  fc.string({ maxLength: 6 }).filter((key) => key !== "__proto__"),
  json,
  { maxKeys: 4, noNullPrototype: true },
);
const extensions = object.map((all) =>
  Object.fromEntries(Object.entries(all).filter(([key]) => !FIELDS.includes(key))),
);
/** The arbitrary's values, and null. */
export const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const id = fc.oneof(fc.uuid(), fc.string({ minLength: 8, maxLength: 12 }));
const trace = nullable(fc.record({ trace_id: fc.string(), span_id: fc.string() }, { requiredKeys: [] }));
const requires = nullable(
  fc.record(
    {
      timeout_ms: fc.nat(),
      human_approval: fc.boolean(),
      min_confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      decision_evidence: fc.constantFrom("none", "minimal", "standard", "full"),
      x_vendor: json,
    },
    { requiredKeys: [] },
  ),
);
const priority = fc.constantFrom("low", "normal", "high", "urgent");
const sig = nullable(fc.oneof(fc.string(), object));
const name = fc.string({ minLength: 1, maxLength: 8 });

/** Valid messages: required fields always, the others sometimes. */
export const message: fc.Arbitrary<VoxMessage> = fc
  .record(
    {
      message_id: id,
      emitted_at: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      source: name,
      target: name,
      message_source: name,
      type: fc.constantFrom(...TYPES),
      intent: fc.string({ minLength: 3, maxLength: 12 }),
      details: object,
      reply_to: id,
      corr: id,
      priority,
      requires,
      trace,
      sig,
      extensions,
    },
    {
      requiredKeys: [
        "message_id",
        "emitted_at",
        "source",
        "target",
        "message_source",
        "type",
        "intent",
        "details",
        "reply_to",
      ],
    },
  )
  .chain((made) => {
    if (["result", "error"].includes(AEE_TYPE_OF[made.type])) return fc.constant(made);
    return fc.constantFrom(made, { ...made, reply_to: null });
  })
  .map((made) => VoxMessage.parse(made));

/** Valid envelopes of ours, unknown fields included. */
export const envelope: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(message, extensions)
  .map(([made, unknown]) =>
    Object.assign({}, unknown, {
      v: "1",
      id: made.message_id,
      ts: made.emitted_at,
      type: AEE_TYPE_OF[made.type],
      from: made.source,
      to: made.target,
      intent: made.intent,
      corr: made.corr ?? made.message_id,
      reply_to: made.reply_to,
      trace: made.trace ?? null,
      priority: made.priority ?? "normal",
      requires: made.requires ?? null,
      payload: made.details,
      sig: made.sig ?? null,
      message_source: made.message_source,
      message_type: made.type,
    }),
  );

/** One valid envelope of ours. */
export const base = {
  v: "1",
  id: "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
  ts: "2026-03-01T10:00:00.000Z",
  type: "task",
  from: "agent.a",
  to: "agent.b",
  intent: "web.http",
  corr: "919108f7-52d1-4320-9bac-f847db4148a8",
  reply_to: null,
  trace: null,
  priority: "normal",
  requires: null,
  payload: { command: "http", params: { tags: ["a"] } },
  sig: null,
  message_source: "ops",
  message_type: "command_request",
} as const;
