import type { Clock, FailureCode, VoxMessage } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { Log } from "../sdk/context.ts";
import type { AlertStream, LaneTrouble } from "../transport/port.ts";
import type { Letters } from "./letters.ts";
import type { PresenceChange } from "./presence.ts";

/** What the war room is to hear of this agent's own affairs. */
export interface SystemAlert {
  readonly code: FailureCode;
  /** In words for whoever is on call. */
  readonly text: string;
  /** What it is about, so that the same again is told apart from something else. */
  readonly about: string;
  /** Whether it is over now. */
  readonly isOver?: boolean;
}

/** The agent's alerts, on their way to the war room. Nothing else ever waits for them. */
export interface Alerts {
  /** Says whether it is told: the same is not told again and again. */
  raise(alert: SystemAlert): boolean;
  /** Keeps an envelope that a role has the war room told; it goes once it is durable. */
  post(text: string): void;
  /** A child is gone or back. */
  presence(change: PresenceChange): void;
  /** A neighbour damaged or flooded its lane to this agent. */
  trouble(trouble: LaneTrouble): void;
  /** A task was put aside. */
  dead(message: VoxMessage, code: string): void;
  /** An envelope to a neighbour was put aside. */
  undelivered(to: string): void;
  /** Sends what has not been confirmed; called when the lanes are up again, too: they may have lost it. */
  resend(): void;
  stop(): void;
}

export interface AlertsParts {
  readonly ledger: Ledger;
  readonly letters: Letters;
  readonly clock: Clock;
  readonly log: Log;
  readonly stream: () => AlertStream | undefined;
}

/** The same is not told more often than this; the next one says how many there were. */
const SAME_EVERY_MS = 60_000;
const CONFIRMED_EVERY_MS = 10_000;
/**
 * What is in the stream and not confirmed is added again no sooner than this, and half as often each time: whoever reads
 * it may be away for days.
 */
const AGAIN_AFTER_MS = { first: 60_000, most: 60 * 60_000 } as const;
/** At most so many are sent ahead of what is confirmed. */
const MOST_AHEAD = 1000;

/** Keeps alerts in the ledger until they are confirmed, and sends them whenever there is a stream to take them. */
export function createAlerts({ ledger, letters, clock, log, stream }: AlertsParts): Alerts {
  const toldAt = new Map<string, { at: number; unsaid: number }>();
  let sent = 0;
  /** The watermark as it was last seen, and from when it counts as standing still. */
  const watermark = { at: 0, since: clock.monotonic(), waitMs: AGAIN_AFTER_MS.first as number };
  let isSending = false;
  /** Changes whenever all has to be sent anew. */
  let round = 0;
  let isStopped = false;
  let stopTimer: (() => void) | undefined;

  /** Whether what was sent has to go once more: the stream, or the watermark with it, is not what it was. */
  const isLost = async (to: AlertStream, confirmed: number): Promise<boolean> => {
    const now = clock.monotonic();
    const wentBack = confirmed < watermark.at;
    if (confirmed !== watermark.at || sent <= confirmed) {
      Object.assign(watermark, { at: confirmed, since: now, waitMs: AGAIN_AFTER_MS.first });
      return wentBack;
    }
    if (now - watermark.since < watermark.waitMs) return false;
    watermark.since = now;
    const waiting = ledger.alerts.after(confirmed, sent - confirmed).filter(({ seq }) => seq <= sent);
    const there = await to.newest(sent - confirmed);
    // A reader that is merely away finds them there.
    if (there && waiting.every(({ seq }) => there.includes(seq))) return false;
    watermark.waitMs = Math.min(watermark.waitMs * 2, AGAIN_AFTER_MS.most);
    return true;
  };

  /** Sends what comes after the last that was sent. */
  const send = async (): Promise<void> => {
    const to = stream();
    if (!to || isSending) return;
    isSending = true;
    const mine = round;
    try {
      const confirmed = await to.confirmed();
      ledger.alerts.confirm(confirmed);
      sent = (await isLost(to, confirmed)) ? confirmed : Math.max(sent, confirmed);
      const room = MOST_AHEAD - Math.min(sent - confirmed, MOST_AHEAD);
      for (const { seq, body } of ledger.alerts.after(sent, room)) {
        await to.add(seq, body);
        if (mine !== round) break;
        sent = seq;
      }
    } catch (error) {
      if (!ledger.hasFailed()) log.debug("alerts wait for their stream", { error: String(error) });
    } finally {
      isSending = false;
    }
    // Meanwhile the stream may have lost what was in it.
    if (mine !== round) sendSoon();
  };

  const sendSoon = (): void => {
    stopTimer?.();
    if (isStopped) return;
    void send();
    stopTimer = clock.after(CONFIRMED_EVERY_MS, sendSoon);
  };

  const raise: Alerts["raise"] = ({ code, text, about, isOver = false }) => {
    const now = clock.monotonic();
    const kind = `${code} ${about} ${isOver}`;
    const told = toldAt.get(kind);
    if (told && now - told.at < SAME_EVERY_MS) {
      told.unsaid += 1;
      return false;
    }
    toldAt.set(kind, { at: now, unsaid: 0 });
    // The opposite is news again: whoever reads must not be left with the word before the last.
    toldAt.delete(`${code} ${about} ${!isOver}`);
    const { text: body } = letters.alert({ code, text, about, isOver, more: told?.unsaid ?? 0 });
    ledger.alerts.add(body);
    sendSoon();
    return true;
  };

  return {
    raise,
    post(text) {
      ledger.alerts.add(text);
      sendSoon();
    },
    presence({ child, state, isPlanned }) {
      const gone = isPlanned ? "was stopped as planned and is not back" : "has not been heard of";
      const text =
        state === "offline" ? `${child} ${gone}; its commands are not available.` : `${child} is back.`;
      raise({ code: "E_OFFLINE", about: child, text, isOver: state === "online" });
    },
    trouble({ from, kind, detail }) {
      const text = `The lane from ${from} was ${kind}: ${detail}. Only ${from} can write it.`;
      if (raise({ code: "E_LANE", about: `${from} ${kind}`, text })) log.warn(text, { from, kind });
    },
    dead({ message_id: id, details }, why) {
      const named = details["command"] ?? details["event"];
      const what = typeof named === "string" ? named : "request";
      const text = `"${what}" was put aside as a dead letter (${why}, request ${id}); see \`voxtree dead\`.`;
      raise({ code: "E_DEAD_LETTER", about: `${what} ${why}`, text });
    },
    undelivered(to) {
      const text = `An envelope to ${to} was not taken for three days and is put aside; see \`voxtree dead\`.`;
      raise({ code: "E_OFFLINE", about: `envelopes to ${to}`, text });
    },
    resend() {
      round += 1;
      sent = 0;
      sendSoon();
    },
    stop() {
      isStopped = true;
      stopTimer?.();
    },
  };
}
