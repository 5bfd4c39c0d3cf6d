import type { FailureValue, VoxMessage } from "../envelope/index.ts";
import type { Letter, StoreWrite } from "../ledger/index.ts";
import type { Request } from "../sdk/context.ts";
import type { Failure, ReplyShape } from "../sdk/reply.ts";
import type { OnBehalfOf } from "./letters.ts";
import type { Replay } from "./replay.ts";
import type { Slot } from "./scheduler.ts";

/** One task in work. */
export interface Run {
  readonly n: number;
  readonly slot: Slot;
  /** The lane it came by: a neighbour's name, `people` or `self`. */
  readonly peer: string;
  readonly message: VoxMessage;
  readonly request: Request;
  readonly behalf: OnBehalfOf;
  /** By the monotonic clock. */
  readonly deadlineAt: number;
  readonly abort: AbortController;
  readonly replay: Replay;
  /** What the handler has set in its role's store and is not durable yet; a later write of a key stands last. */
  staged: StoreWrite[];
  /** The reply to a person, where the handler has set one. */
  answer: ReplyShape | undefined;
  /** Further envelopes that leave with the outcome. */
  readonly also: (Letter & { readonly peer: string })[];
  /** What the war room is told with the outcome. */
  readonly alerts: Letter[];
  /** More will come on it, later. */
  isFollowed: boolean;
  /** Followed requests on which nothing more will come. */
  readonly letGo: number[];
  isOver: boolean;
  readonly stopTimer: () => void;
}

/** How a task ended. */
export type Outcome =
  | { readonly kind: "reply"; readonly reply: ReplyShape }
  /** Nobody waits for an answer: an event was handled. */
  | { readonly kind: "handled" }
  | {
      readonly kind: "failure";
      readonly failure: Failure | FailureValue;
      /** Put aside for an operator to look at. */
      readonly isDead?: boolean;
      /** False where who asked goes on asking until it hears, so that the answer need not be kept ready for it. */
      readonly isOwed?: boolean;
    };

/** The lanes that lead to nobody else: what people write, and what an agent tells itself. */
export const PEOPLE = "people";
export const SELF = "self";

const DEFAULT_TIMEOUT_MS = 60_000;
const LONGEST_TIMEOUT_MS = 24 * 60 * 60 * 1000;

/**
 * How long a request may take in ms; never longer than a day, whatever its sender says. Time on the way counts where
 * the lanes have a clock that both ends can ask (`sharedNow`, Unix ms): it shortens what is left, and never lengthens it.
 */
export function grantedOf({ requires }: VoxMessage, sharedNow?: number): number {
  const granted = Math.min(requires?.timeout_ms ?? DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS);
  const askedAt = requires?.asked_at;
  if (sharedNow === undefined || askedAt === undefined) return granted;
  return granted - Math.min(Math.max(0, sharedNow - askedAt), granted);
}

export const PRIORITY_ORDER = { urgent: 0, high: 1, normal: 2, low: 3 } as const;

/** The event that a task of the agent's own raises; a neighbour's words for it count for nothing. */
export function eventOf(peer: string, { details }: VoxMessage): string | undefined {
  return peer === SELF && typeof details["event"] === "string" ? details["event"] : undefined;
}

/** On whose behalf a task is done: who asked, or else who sent it. */
export function behalfOf({ details, source }: VoxMessage): OnBehalfOf {
  const text = (value: unknown, otherwise: string): string => (typeof value === "string" ? value : otherwise);
  return {
    asked_by: text(details["asked_by"], source),
    language: text(details["language"], "en"),
    zone: text(details["zone"], "UTC"),
  };
}
