import { AeeEnvelope } from "./aee.ts";
import { AEE_TYPE_OF, VIEWED_FIELDS, type VoxMessage, type VoxType } from "./vox.ts";

/**
 * The AEE envelope of a message. Defaults: `corr` is the message's own id when it has none
 * (a reply is built with the corr of what it answers), `priority` is normal; what the message lacks is null.
 */
export function toAee(message: VoxMessage): AeeEnvelope {
  return Object.freeze({
    ...message.extensions,
    v: "1",
    id: message.message_id,
    ts: message.emitted_at,
    type: AEE_TYPE_OF[message.type],
    from: message.source,
    to: message.target,
    intent: message.intent,
    corr: message.corr ?? message.message_id,
    reply_to: message.reply_to,
    trace: message.trace ?? null,
    priority: message.priority ?? "normal",
    requires: message.requires ?? null,
    payload: message.details,
    sig: message.sig ?? null,
    message_source: message.message_source,
    message_type: message.type,
  });
}

/** The message in an AEE envelope, or `undefined` when the envelope is valid AEE but not one of ours. */
export function toVox(envelope: AeeEnvelope): VoxMessage | undefined {
  const message = view(envelope);
  return typeof message === "string" ? undefined : message;
}

/** Parses an untrusted value into the envelope and the message in it; a string says what is wrong. */
export function parseEnvelope(value: unknown): { envelope: AeeEnvelope; message: VoxMessage } | string {
  const parsed = AeeEnvelope.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join(".") || "envelope"}: ${issue?.message ?? "is not an AEE v1 envelope"}`;
  }
  const message = view(parsed.data);
  return typeof message === "string" ? message : { envelope: parsed.data, message };
}

/**
 * What AeeEnvelope has checked is not checked again: this runs on every hop. It checks what makes an envelope one of
 * ours, and gives exactly what `VoxMessage` would (a property test holds the two together).
 */
function view(envelope: AeeEnvelope): VoxMessage | string {
  const { message_source: source, message_type: type, reply_to = null } = envelope;
  if (typeof source !== "string" || source === "") return "message_source: must name the sender";
  if (!isVoxType(type)) return "message_type: is not known here";
  if (AEE_TYPE_OF[type] !== envelope.type) return "message_type: does not belong to the envelope's type";
  if (reply_to !== null && reply_to.length < 8) return "reply_to: must be null or at least 8 characters long";
  const message = {
    message_id: envelope.id,
    emitted_at: envelope.ts,
    source: envelope.from,
    target: envelope.to,
    message_source: source,
    type,
    intent: envelope.intent,
    details: envelope.payload,
    reply_to,
    corr: envelope.corr,
    priority: envelope.priority,
    requires: envelope.requires ?? null,
    trace: envelope.trace ?? null,
    sig: envelope.sig ?? null,
  };
  const extensions = extensionsOf(envelope);
  return Object.freeze(extensions ? { ...message, extensions } : message);
}

function extensionsOf(envelope: AeeEnvelope): Readonly<Record<string, unknown>> | undefined {
  let extensions: Record<string, unknown> | undefined;
  for (const key of Object.keys(envelope)) {
    if (!VIEWED_FIELDS.has(key)) (extensions ??= {})[key] = envelope[key];
  }
  return extensions && Object.freeze(extensions);
}

function isVoxType(type: unknown): type is VoxType {
  return typeof type === "string" && Object.hasOwn(AEE_TYPE_OF, type);
}
