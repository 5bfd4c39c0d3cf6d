import { AeeEnvelope } from "./aee.ts";
import { AEE_TYPE_OF, VoxMessage } from "./vox.ts";

const AEE_FIELDS = new Set([
  "v", "id", "ts", "type", "from", "to", "intent", "corr", "reply_to", "trace", "priority", "requires", "payload", "sig",
  "message_source", "message_type",
]); // prettier-ignore

/**
 * The AEE envelope of a message. Defaults: `corr` is the message's own id when it has none
 * (a reply is built with the corr of what it answers), `priority` is normal.
 */
export function toAee(message: VoxMessage): AeeEnvelope {
  return {
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
  };
}

/**
 * The message in an AEE envelope, or `undefined` when the envelope is valid AEE but not one of ours
 * (no known `message_type`, or one that does not belong to its `type`).
 */
export function toVox(envelope: AeeEnvelope): VoxMessage | undefined {
  const extensions: Record<string, unknown> = {};
  let hasExtensions = false;
  for (const key of Object.keys(envelope)) {
    if (AEE_FIELDS.has(key)) continue;
    extensions[key] = envelope[key];
    hasExtensions = true;
  }
  const parsed = VoxMessage.safeParse({
    message_id: envelope.id,
    emitted_at: envelope.ts,
    source: envelope.from,
    target: envelope.to,
    message_source: envelope["message_source"],
    type: envelope["message_type"],
    intent: envelope.intent,
    details: envelope.payload,
    reply_to: envelope.reply_to ?? null,
    corr: envelope.corr,
    priority: envelope.priority,
    requires: envelope.requires ?? null,
    trace: envelope.trace ?? null,
    sig: envelope.sig ?? null,
    ...(hasExtensions ? { extensions } : {}),
  });
  if (!parsed.success || AEE_TYPE_OF[parsed.data.type] !== envelope.type) return undefined;
  return parsed.data;
}

/** Parses an untrusted value into the envelope and the message in it; a string says what is wrong. */
export function parseEnvelope(value: unknown): { envelope: AeeEnvelope; message: VoxMessage } | string {
  const envelope = AeeEnvelope.safeParse(value);
  if (!envelope.success) {
    const [issue] = envelope.error.issues;
    return `${issue?.path.join(".") || "envelope"}: ${issue?.message ?? "is not an AEE v1 envelope"}`;
  }
  const message = toVox(envelope.data);
  return message
    ? { envelope: envelope.data, message }
    : "message_type: unknown, or it does not belong to the envelope's type";
}
