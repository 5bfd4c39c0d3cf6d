import type { FailureCode, VoxMessage, VoxType } from "../envelope/index.ts";
import { isUuid, parseCanonical, parseEnvelope, RequestDetails, timeOfId } from "../envelope/index.ts";

/** Who stands at the other end of a lane. */
export interface Neighbour {
  readonly id: string;
  readonly name: string;
  readonly relation: "master" | "child";
  /** Children of one pool offer their commands together. Its master's own knowledge, never what a child claims. */
  readonly pool?: string | undefined;
  /** False for a child that is started by hand, and that nobody misses before. */
  readonly autostart?: boolean | undefined;
}

/** An envelope that may act. */
export interface Admitted {
  readonly message: VoxMessage;
}

/** An envelope that may not. `message` is there when it is well made and its lane's owner sent it. */
export interface Refused {
  readonly code: FailureCode;
  readonly detail: string;
  readonly message?: VoxMessage;
}

/** One envelope text is at most this many bytes; more goes by reference. */
export const LARGEST_ENVELOPE_BYTES = 1024 * 1024;

const OLDEST_MS = 7 * 24 * 60 * 60 * 1000;
const FURTHEST_AHEAD_MS = 10 * 60 * 1000;

const FROM_MASTER: ReadonlySet<VoxType> = new Set(["command_request", "cancel", "message_acknowledged"]);
const FROM_CHILD: ReadonlySet<VoxType> = new Set([
  "command_result",
  "command_error",
  "progress",
  "notice",
  "heartbeat",
  "announcement",
  "message_acknowledged",
]);

/**
 * Decides whether an envelope may act: size, canonical text, shape, lane, recipient, direction, age, payload. Pure.
 * `selfId` is the receiver's id, `now` Unix ms.
 */
export function admit(
  text: string,
  lane: Neighbour,
  self: { readonly id: string; readonly now: number },
): Admitted | Refused {
  if (Buffer.byteLength(text) > LARGEST_ENVELOPE_BYTES) {
    return {
      code: "E_TOO_LARGE",
      detail: `${Buffer.byteLength(text)} bytes, at most ${LARGEST_ENVELOPE_BYTES}`,
    };
  }
  const parsed = parseCanonical(text);
  if (!parsed) return { code: "E_NOT_CANONICAL", detail: "the text is not its own canonical form" };
  const envelope = parseEnvelope(parsed.value);
  if (typeof envelope === "string") return { code: "E_ENVELOPE_INVALID", detail: envelope };
  const { message } = envelope;
  const flaw = flawOf(message);
  if (flaw !== undefined) return { code: "E_ENVELOPE_INVALID", detail: flaw };
  if (message.source !== `agent.${lane.id}`) {
    return { code: "E_WRONG_SENDER", detail: `from ${message.source} on the lane of ${lane.name}` };
  }
  if (message.target !== `agent.${self.id}`) {
    return { code: "E_WRONG_RECIPIENT", detail: `to ${message.target}`, message };
  }
  if (!mayTravel(message, lane.relation)) {
    return { code: "E_WRONG_DIRECTION", detail: `${message.type} from a ${lane.relation}`, message };
  }
  const age = self.now - (timeOfId(message.message_id) ?? 0);
  if (age > OLDEST_MS || age < -FURTHEST_AHEAD_MS) {
    return { code: "E_STALE", detail: `made ${Math.round(age / 1000)} s ago by its own id`, message };
  }
  if (lane.relation === "master" && message.type === "command_request") {
    const details = RequestDetails.safeParse(message.details);
    if (!details.success) {
      const [issue] = details.error.issues;
      return {
        code: "E_ENVELOPE_INVALID",
        detail: `payload.${issue?.path.join(".")}: ${issue?.message}`,
        message,
      };
    }
  }
  return { message };
}

/** What our own senders always keep to beyond AEE: ids are UUIDs, and whatever answers says what it answers. */
function flawOf(message: VoxMessage): string | undefined {
  if (!isUuid(message.message_id) || timeOfId(message.message_id) === undefined) return "id: is not a UUIDv7";
  if (message.corr !== undefined && !isUuid(message.corr)) return "corr: is not a UUID";
  if (message.reply_to !== null && !isUuid(message.reply_to)) return "reply_to: is not a UUID";
  if (
    message.reply_to === null &&
    (message.type === "cancel" || message.type === "progress" || message.type === "notice")
  ) {
    return `reply_to: a ${message.type} must name its request`;
  }
  return undefined;
}

function mayTravel(message: VoxMessage, relation: Neighbour["relation"]): boolean {
  if (relation === "master") return FROM_MASTER.has(message.type);
  return (
    FROM_CHILD.has(message.type) || (message.type === "command_request" && message.intent.startsWith("aee."))
  );
}
