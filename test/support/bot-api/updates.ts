import type { Clock } from "../../../src/envelope/index.ts";
import { numberOf, structureOf } from "./arguments.ts";
import { type Arguments, done, type Failed, type Outcome, type Update } from "./shapes.ts";

/** What a bot gets only when it asks for it by name. */
const ONLY_WHEN_NAMED = new Set(["chat_member", "message_reaction", "message_reaction_count"]);
const LIFE_MS = 24 * 3_600_000;
const FARTHEST_PAST_THE_NEWEST = 10;

export const OTHER_POLLER: Failed = conflict(
  "terminated by other getUpdates request; make sure that only one bot instance is running",
);
const WEBHOOK_SET: Failed = conflict(
  "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
);

function conflict(what: string): Failed {
  return { ok: false, error_code: 409, description: `Conflict: ${what}` };
}

/** What else there is to know about one poll. */
interface PollOptions {
  /** The offset of this poll confirms nothing. */
  readonly isForgetful: boolean;
  /** Changes which updates an answer carries, right before it does. */
  spoil(updates: readonly Update[]): readonly Update[];
  /** Whoever polled hung up. */
  readonly signal: AbortSignal;
}

/** The updates that wait for the bot, and its long poll. */
export interface Updates {
  /** Adds an update of a kind, unless the bot does not want that kind. Its number; undefined: not wanted. */
  push(kind: string, content: unknown): number | undefined;
  /** getUpdates. The outcome comes when there is something, when the timeout is over, or when the poll is ended. */
  poll(given: Arguments, options: PollOptions): Promise<Outcome>;
  /** Ends the poll that is being held, if one is. */
  endPoll(outcome: Outcome): boolean;
  /** The next update is numbered so. */
  restartAt(id: number): void;
  setWebhook(url: string): Outcome;
  readonly webhook: string;
  readonly pending: readonly Update[];
  /** Throws away what waits, as `drop_pending_updates` does. */
  drop(): void;
}

/** @param firstId Where the numbers begin. */
export function createUpdates(clock: Clock, firstId: number): Updates {
  let nextId = firstId;
  let webhook = "";
  let wanted: ReadonlySet<string> | undefined;
  let waiting: { readonly update: Update; readonly at: number }[] = [];
  let held: { look(): void; end(outcome: Outcome): void } | undefined;

  const isWanted = (kind: string): boolean => wanted?.has(kind) ?? !ONLY_WHEN_NAMED.has(kind);
  const endPoll = (outcome: Outcome): boolean => {
    const poll = held;
    poll?.end(outcome);
    return poll !== undefined;
  };

  function confirm(offset: number): void {
    if (offset < 0) {
      waiting = waiting.slice(offset);
    } else if (offset <= nextId - 1 + FARTHEST_PAST_THE_NEWEST) {
      waiting = waiting.filter(({ update }) => update.update_id >= offset);
    }
  }

  return {
    push(kind, content) {
      if (!isWanted(kind)) return undefined;
      const update: Update = { update_id: nextId, [kind]: content };
      nextId += 1;
      waiting.push({ update, at: clock.now() });
      held?.look();
      return update.update_id;
    },
    async poll(given, { isForgetful, spoil, signal }) {
      if (webhook !== "") return WEBHOOK_SET;
      const kinds = structureOf(given.allowed_updates);
      if (kinds.kind === "given" && Array.isArray(kinds.value)) {
        wanted = kinds.value.length === 0 ? undefined : new Set(kinds.value.map(String));
      }
      const offset = numberOf(given.offset);
      const limit = Math.min(Math.max(numberOf(given.limit) ?? 100, 1), 100);
      const timeoutMs = Math.min(Math.max(numberOf(given.timeout) ?? 0, 0), 50) * 1000;
      const since = clock.now() - LIFE_MS;
      waiting = waiting.filter(({ at }) => at > since);
      if (offset !== undefined && !isForgetful) confirm(offset);
      const ready = (): Outcome | undefined => {
        const updates = waiting.slice(0, limit).map(({ update }) => update);
        return updates.length === 0 ? undefined : done(spoil(updates));
      };
      const now = ready();
      if (now !== undefined || timeoutMs === 0) return now ?? done([]);
      endPoll(OTHER_POLLER);
      return new Promise((resolve) => {
        let isEnded = false;
        const poll = {
          look(): void {
            const outcome = ready();
            if (outcome) poll.end(outcome);
          },
          end(outcome: Outcome): void {
            if (isEnded) return;
            isEnded = true;
            stop();
            if (held === poll) held = undefined;
            resolve(outcome);
          },
        };
        const stop = clock.after(timeoutMs, () => poll.end(done([])));
        held = poll;
        signal.addEventListener("abort", () => poll.end(done([])), { once: true });
      });
    },
    endPoll,
    restartAt(id) {
      nextId = id;
    },
    setWebhook(url) {
      webhook = url;
      if (url !== "") endPoll(WEBHOOK_SET);
      return done(true);
    },
    get webhook() {
      return webhook;
    },
    get pending() {
      return waiting.map(({ update }) => update);
    },
    drop() {
      waiting = [];
    },
  };
}
