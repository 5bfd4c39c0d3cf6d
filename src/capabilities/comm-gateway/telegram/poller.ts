import type { Clock } from "../../../envelope/clock.ts";
import type { Log } from "../../../sdk/context.ts";
import type { Self } from "./address.ts";
import type { TelegramClient, Why } from "./client.ts";
import { ALLOWED_UPDATES, updateIdOf } from "./updates.ts";

/** How polling is. */
export interface PollHealth {
  readonly state: "ok" | "conflict" | "unauthorised" | "unreachable";
  /** Unix ms at which Telegram last answered as it should; undefined before the first time. */
  readonly lastGoodPollAt: number | undefined;
  /** What is wrong and what to do about it. */
  readonly text: string;
}

export interface Poller {
  start(): void;
  health(): PollHealth;
  /** Ends the poll that is under way at once; what it would have brought comes again at the next start. */
  close(): Promise<void>;
}

export interface PollerParts {
  readonly client: Pick<TelegramClient, "call">;
  readonly clock: Clock;
  /** From 0 up to 1, so that two programs that were stopped by the same thing do not come back in step. */
  readonly random: () => number;
  readonly log: Log;
  /** Makes a batch durable, or throws; then it is not confirmed and comes again. */
  readonly take: (updates: readonly unknown[], self: Self) => void;
  /** Called once, when Telegram has said who this bot is. */
  readonly onSelf?: (self: Self) => void;
  /** Called whenever the state becomes another. */
  readonly onChange?: (health: PollHealth) => void;
}

const POLL_SECONDS = 30;
/** How soon a batch that came once more is asked for again. */
const REPEAT_MS = 1_000;
const DAY_MS = 24 * 3_600_000;
/** The first wait after each kind of trouble and the longest; each wait is twice the one before. */
const WAITS = {
  conflict: { firstMs: 3_000, longestMs: 60_000 },
  unauthorised: { firstMs: 60_000, longestMs: 60_000 },
  unreachable: { firstMs: 1_000, longestMs: 30_000 },
};

interface Trouble {
  readonly state: keyof typeof WAITS;
  readonly text: string;
  /** Telegram's own word on how long to wait. */
  readonly waitMs?: number;
}

/**
 * Makes the loop over getUpdates. The offset lives in this loop alone: an update counts as had once it is stored, ids
 * that Telegram lets restart lower make nobody deaf, and what comes twice is told apart by whoever takes it.
 */
export function createPoller(parts: PollerParts): Poller {
  const { client, clock, random, log } = parts;
  const closed = new AbortController();
  let running: Promise<void> | undefined;
  let health: PollHealth = {
    state: "unreachable",
    lastGoodPollAt: undefined,
    text: "Telegram has not been asked yet.",
  };
  let self: Self | undefined;
  let offset: number | undefined;
  let lastBatch = "";
  let lastUpdateAt = clock.now();
  let hasDroppedWebhook = false;

  function become(next: PollHealth): void {
    const isNews = next.state !== health.state || health.lastGoodPollAt === undefined;
    const isRepeat = next.text === health.text;
    health = next;
    if (!isNews || isRepeat) return;
    if (next.state === "ok") log.info("Telegram is reached", {});
    else log.warn("Telegram cannot be polled", { state: next.state, text: next.text });
    parts.onChange?.(next);
  }

  /** One round; what is wrong, if something is. */
  async function step(): Promise<Trouble | "good" | "again"> {
    if (!self) {
      const outcome = await client.call("getMe", {}, closed.signal);
      if (outcome.kind === "failed") return troubleOf(outcome.why);
      self = { id: outcome.result.id, username: outcome.result.username };
      parts.onSelf?.(self);
    }
    // Ids may have begun again below the offset, which would then keep the new ones away for good.
    if (Math.abs(clock.now() - lastUpdateAt) >= DAY_MS) {
      offset = undefined;
      lastUpdateAt = clock.now();
    }
    const outcome = await client.call(
      "getUpdates",
      {
        // After trouble the answer is wanted at once, to know that it is over. Beside another poller that would tell
        // nothing: only a poll that waits is fought for.
        timeout: health.state === "ok" || health.state === "conflict" ? POLL_SECONDS : 0,
        limit: 100,
        allowed_updates: [...ALLOWED_UPDATES],
        ...(offset === undefined ? {} : { offset }),
      },
      closed.signal,
    );
    if (closed.signal.aborted) return "again";
    if (outcome.kind === "failed") {
      if (outcome.why.kind === "conflict" && /webhook/i.test(outcome.why.text) && !hasDroppedWebhook) {
        return dropWebhook();
      }
      return troubleOf(outcome.why);
    }
    return takeIn(outcome.result, self);
  }

  async function takeIn(updates: readonly unknown[], who: Self): Promise<Trouble | "good"> {
    if (updates.length === 0) return "good";
    try {
      parts.take(updates, who);
    } catch (error) {
      log.error("updates could not be stored; Telegram keeps them", { error: String(error) });
      return {
        state: "unreachable",
        text: `What Telegram brings cannot be stored (${String(error)}): see to the data folder's disk.`,
      };
    }
    const ids = updates.flatMap((update) => updateIdOf(update) ?? []);
    if (ids.length > 0) offset = Math.max(...ids) + 1;
    lastUpdateAt = clock.now();
    // A server that does not take the confirmation answers at once, and would be asked without end.
    const batch = ids.join();
    if (batch === lastBatch) await sleep(REPEAT_MS);
    lastBatch = batch;
    return "good";
  }

  async function dropWebhook(): Promise<Trouble | "again"> {
    const outcome = await client.call("deleteWebhook", {}, closed.signal);
    if (outcome.kind === "failed") return troubleOf(outcome.why);
    hasDroppedWebhook = true;
    log.warn(
      "a webhook was set for this bot, which keeps updates away from polling; it has been deleted",
      {},
    );
    return "again";
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!closed.signal.aborted) {
      const end = await step();
      if (closed.signal.aborted) return;
      if (end === "again") continue;
      if (end === "good") {
        failures = 0;
        become({ state: "ok", lastGoodPollAt: clock.now(), text: "Telegram is polled." });
        continue;
      }
      become({ ...health, state: end.state, text: end.text });
      await sleep(end.waitMs ?? backOffMs(end.state, failures));
      failures += 1;
    }
  }

  function backOffMs(state: keyof typeof WAITS, failures: number): number {
    const { firstMs, longestMs } = WAITS[state];
    const ms = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 10));
    return ms * (0.75 + random() / 4);
  }

  async function sleep(ms: number): Promise<void> {
    const over = Promise.withResolvers<void>();
    const stop = clock.after(ms, over.resolve);
    closed.signal.addEventListener("abort", () => over.resolve(), { once: true });
    await over.promise;
    stop();
  }

  return {
    start() {
      running ??= run();
    },
    health: () => health,
    async close() {
      closed.abort();
      await running;
    },
  };
}

function troubleOf(why: Why): Trouble {
  switch (why.kind) {
    case "unauthorised":
    case "closed":
      return refusedToken(why.text);
    case "conflict":
      return {
        state: "conflict",
        text: /webhook/i.test(why.text)
          ? `Another program sets a webhook for this bot (${why.text}): stop it, or give it a bot of its own.`
          : `Another program polls with the same token (${why.text}): stop it, or give it a bot of its own.`,
      };
    case "flood":
      return { state: "unreachable", text: `Telegram asks to wait (${why.text}).`, waitMs: why.retryAfterMs };
    case "refused":
      // A token that is not even shaped like one is an unknown address.
      if (why.text.startsWith("404")) return refusedToken(why.text);
      return { state: "unreachable", text: `Telegram refuses to be polled (${why.text}).` };
    case "migrated":
    case "unreached":
    case "unknown":
      return {
        state: "unreachable",
        text: `Telegram is not reached (${why.text}). It is tried again; check the network if it stays so.`,
      };
    default:
      return why satisfies never;
  }
}

function refusedToken(text: string): Trouble {
  return {
    state: "unauthorised",
    text: `Telegram refuses the bot's token (${text}): get a valid one from @BotFather, put it into the settings and restart.`,
  };
}
