import type { Clock, VoxMessage } from "../envelope/index.ts";
import type { DueRow, Ledger, Letter, Outgoing } from "../ledger/index.ts";
import type { Log } from "../sdk/context.ts";
import type { Connection } from "../transport/port.ts";
import { detached } from "./detached.ts";
import { PEOPLE, SELF } from "./run.ts";

/** Sends what has been committed, again and again until it is acknowledged. */
export interface Sender {
  /** Sends rows that have just been committed. */
  dispatch(rows: readonly Outgoing[]): void;
  /** Sends one envelope that needs no acknowledgement; `isRepeat`: it has been sent before. */
  post(to: string, letter: Letter, isRepeat?: boolean): void;
  /** Owes a neighbour an acknowledgement; they go in batches. */
  acknowledge(to: string, id: string): void;
  /** Takes up what was open when the process ended, and the clockwork of repeats. */
  start(): void;
  /** Sends everything again that nobody has acknowledged: what carried it may have lost it. */
  resend(): void;
  stop(): Promise<void>;
}

export interface SenderParts {
  readonly ledger: Ledger;
  readonly connection: Pick<Connection, "send" | "isUp">;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Shows an answer to a person; `isRepeat` when it may have been shown before a restart.
   * False when it certainly was not shown and is still owed.
   */
  readonly show: (message: VoxMessage, isRepeat: boolean) => Promise<boolean>;
  /** An envelope was put aside: nobody took it for days. */
  readonly onUndelivered: (to: string) => void;
  readonly random: () => number;
  /** Hands an envelope to the agent itself. */
  readonly loopBack: (n: number, text: string) => void;
  readonly writeAcknowledgement: (to: string, ids: readonly string[]) => Letter;
}

const TICK_MS = 500;
const ACK_WITHIN_MS = 200;
const ACKS_AT_ONCE = 100;
const REPEATS_MS = [2000, 4000, 8000, 15_000];
/** So many are sent again at a time: the next ones go when these are on their lanes. */
const RESENT_AT_ONCE = 200;
const GIVE_UP_TRIES = (3 * 24 * 60 * 60 * 1000) / 15_000;

/** When an envelope that was just sent is sent again. */
export function firstRepeatAt(now: number): number {
  return now + (REPEATS_MS[0] ?? 0);
}

export function createSender(parts: SenderParts): Sender {
  const { ledger, connection, clock, log, random } = parts;
  const owed = new Map<string, string[]>();
  /** What is being shown to people, by its row. */
  const deliveries = new Map<number, Promise<void>>();
  let stopTick: (() => void) | undefined;
  let stopAcks: (() => void) | undefined;
  let isStopped = false;
  let isRepeating = false;
  let isAllDue = false;

  const put = (to: string, { message, text }: Letter, isRepeat = false): Promise<void> =>
    connection.send(to, { id: message.message_id, text, isRepeat }).catch((error: unknown) => {
      log.debug("a lane did not take an envelope; it is sent again later", { to, error: String(error) });
    });
  const post: Sender["post"] = (to, letter, isRepeat) => void put(to, letter, isRepeat);

  /** A send to people is never repeated blindly: that it has begun is durable before it begins. */
  const deliver = async (n: number, message: VoxMessage, isRepeat: boolean): Promise<void> => {
    ledger.outbox.markSending(n);
    await ledger.committed();
    const isShown = await parts.show(message, isRepeat);
    if (isShown) ledger.outbox.close(n);
    else ledger.outbox.reopen(n);
    await ledger.committed();
  };

  const deliverSoon = (n: number, message: VoxMessage, isRepeat: boolean): void => {
    // What a lane brings while the agent starts is committed and found open as well.
    if (deliveries.has(n)) return;
    const delivery = deliver(n, message, isRepeat).catch((error: unknown) => {
      log.error("an answer could not be shown; it is told after the next start", { error: String(error) });
    });
    deliveries.set(n, delivery);
    void delivery.then(() => deliveries.delete(n));
  };

  /** Sends an open row again, and notes when the next time will be. */
  const repeatOne = async ({ n, peer, tries }: DueRow): Promise<void> => {
    if (!ledger.outbox.isOpen(n)) return;
    if (tries >= GIVE_UP_TRIES) {
      ledger.outbox.bury(n);
      log.error("an envelope was not acknowledged for three days and is put aside", { peer, n });
      parts.onUndelivered(peer);
      return;
    }
    const wait = REPEATS_MS[Math.min(tries + 1, REPEATS_MS.length - 1)] ?? 0;
    ledger.outbox.retryAt(n, tries + 1, clock.now() + wait * (0.85 + 0.3 * random()));
    const letter = ledger.outbox.read(n);
    if (peer === SELF) parts.loopBack(n, letter.text);
    else await put(peer, letter, true);
  };

  /** A long outbox is sent again a part at a time, so that neither memory nor what is new has to wait for it. */
  const repeat = async (rows: readonly DueRow[]): Promise<void> => {
    isRepeating = true;
    try {
      for (let at = 0; at < rows.length && !isStopped; at += RESENT_AT_ONCE) {
        const sent = rows.slice(at, at + RESENT_AT_ONCE).map(repeatOne);
        if (at + RESENT_AT_ONCE >= rows.length) return;
        await Promise.all(sent);
        if (!connection.isUp()) return;
      }
    } finally {
      isRepeating = false;
    }
  };

  const repeatDue = (until?: number): void => {
    if (isRepeating) return;
    const rows = ledger.outbox.due(until).filter(({ peer }) => peer !== PEOPLE);
    if (rows.length > 0) detached(ledger, () => repeat(rows));
  };

  const resend = (): void => {
    // What has been sent in the present round may have been lost with the rest: the next tick begins anew.
    if (isRepeating) isAllDue = true;
    else repeatDue();
  };

  const sendAcknowledgements = (): void => {
    stopAcks?.();
    stopAcks = undefined;
    for (const [to, ids] of owed) post(to, parts.writeAcknowledgement(to, ids));
    owed.clear();
  };

  const tick = (): void => {
    if (isStopped) return;
    // While nothing can be sent, time does not count against anybody.
    if (connection.isUp() && !isRepeating) {
      repeatDue(isAllDue ? undefined : clock.now());
      isAllDue = false;
    }
    stopTick = clock.after(TICK_MS, tick);
  };

  return {
    post,
    dispatch(rows) {
      for (const row of rows) {
        const { n, peer, message, text } = row;
        if (peer === PEOPLE) deliverSoon(n, message, false);
        else if (peer === SELF) parts.loopBack(n, text);
        else post(peer, row);
      }
    },
    acknowledge(to, id) {
      const ids = owed.get(to) ?? [];
      owed.set(to, ids);
      ids.push(id);
      if (ids.length >= ACKS_AT_ONCE) sendAcknowledgements();
      else stopAcks ??= clock.after(ACK_WITHIN_MS, sendAcknowledgements);
    },
    start() {
      const { interrupted, due, read } = ledger.outbox;
      for (const { n, peer } of interrupted()) if (peer === PEOPLE) deliverSoon(n, read(n).message, true);
      for (const { n, peer } of due()) if (peer === PEOPLE) deliverSoon(n, read(n).message, false);
      resend();
      tick();
    },
    resend,
    async stop() {
      isStopped = true;
      stopTick?.();
      sendAcknowledgements();
      await Promise.all(deliveries.values());
    },
  };
}
