import { type Job, Worker } from "bullmq";
import type { Redis } from "ioredis";
import type { Clock } from "../envelope/index.ts";
import { endsWithin } from "../envelope/index.ts";
import type { LaneName } from "./lane-keys.ts";
import { PREFIX, createLaneKeys, queueName } from "./lane-keys.ts";
import { MOST_TOGETHER } from "./outbound-lane.ts";
import type { LaneTrouble, Receipt } from "./port.ts";
import { whyUnwritable } from "./unwritable.ts";

/** The lane from one neighbour to this agent. */
export interface InboundLane {
  /** Looks after the lane; called each second while Redis answers. */
  tend(): Promise<void>;
  /** Lets go of the lane; when patient, what is in its hands may finish within a short time. */
  close(isPatient: boolean): Promise<void>;
}

export interface InboundLaneParts {
  readonly redis: Redis;
  readonly lane: LaneName;
  readonly clock: Clock;
  readonly receive: (text: string) => Promise<Receipt>;
  readonly onTrouble: (trouble: LaneTrouble) => void;
  readonly onError: (error: Error) => void;
}

/**
 * How many jobs are taken in at a time. One by one costs the fewest calls, and what comes in a crowd comes together in
 * one job; a backlog of single ones, sent again after Redis was away, is taken in many at a time: one commit holds them all.
 */
const AT_ONCE = { calm: 1, backlog: 16 } as const;
/** A job in the hands of a process that was killed is brought again within this and one second. */
const LOCK_MS = 2000;
const STALLED_EVERY_MS = 1000;
const RETRY_MS = 250;
const CLOSE_WITHIN_MS = 2000;

/** More than this in a window, and the lane is shut: its sender sends what nobody can take. */
const MOST_REFUSED = 100;
const MOST_REFUSED_BYTES = 8 * 1024 * 1024;
const MOST_FAULTS = 5;
const WINDOW_MS = 10_000;
/** More than this waiting is a flood, whatever it is. */
const MOST_WAITING = 500_000;
const SHUT_MS = 5000;
const LONGEST_SHUT_MS = 5 * 60_000;

/** Begins to take in at once, and looks after the lane from then on. */
export function createInboundLane(parts: InboundLaneParts): InboundLane {
  const { lane, clock } = parts;
  const keys = createLaneKeys(parts.redis, lane);
  let worker: Worker | undefined;
  let isClosed = false;
  /** Whoever takes in here has lost its ledger: the lane is left alone. */
  let isLost = false;
  const hasLeft = (): boolean => isClosed || isLost;
  let emptying: Promise<void> | undefined;
  let shutMs = SHUT_MS;
  let opensAt = 0;
  let openedAt = 0;
  let flood = { since: clock.monotonic(), refused: 0, bytes: 0, faults: 0 };

  const count = (what: Partial<Record<"refused" | "bytes" | "faults", number>>): void => {
    const now = clock.monotonic();
    if (now - flood.since > WINDOW_MS) flood = { since: now, refused: 0, bytes: 0, faults: 0 };
    flood.refused += what.refused ?? 0;
    flood.bytes += what.bytes ?? 0;
    flood.faults += what.faults ?? 0;
    if (isFlooded())
      void shut(`${flood.refused} envelopes of ${flood.bytes} bytes refused, ${flood.faults} damaged jobs`);
  };

  const isFlooded = (): boolean =>
    flood.refused > MOST_REFUSED || flood.bytes > MOST_REFUSED_BYTES || flood.faults > MOST_FAULTS;

  /** Never throws for what a job holds: BullMQ would run it again as often as its sender likes. */
  const take = async ({ data }: Job<unknown>): Promise<void> => {
    const texts = textsOf(data);
    let receipts: readonly Receipt[];
    try {
      receipts = await Promise.all(texts.map((text) => parts.receive(text)));
    } catch {
      // Whoever cannot take an envelope has lost its ledger. The job stays in its hands, and is brought again to the
      // next who joins.
      isLost = true;
      closeWorker(false).catch(parts.onError);
      return new Promise(() => undefined);
    }
    for (const [i, receipt] of receipts.entries()) {
      if (receipt === "refused") count({ refused: 1, bytes: Buffer.byteLength(texts[i] ?? "") });
    }
  };

  const open = (): void => {
    openedAt = clock.monotonic();
    worker = new Worker(queueName(lane), take, {
      connection: parts.redis,
      prefix: PREFIX,
      concurrency: AT_ONCE.calm,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_EVERY_MS,
      // How often a job was found in dead hands is no reason to give it up: the ledger counts crashes itself.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: RETRY_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      skipVersionCheck: true,
    });
    worker.on("error", (error) => {
      parts.onError(error);
      if (isDamage(error)) count({ faults: 1 });
    });
    // Nothing that is taken here fails by itself: its sender asked BullMQ for it, and could have it run again without end.
    worker.on("failed", (_, error) => {
      // What could not be marked as done while Redis took no writes is nobody's fault here.
      if (whyUnwritable(error) === undefined) count({ faults: 1 });
    });
  };

  const closeWorker = async (isPatient: boolean): Promise<void> => {
    const closing = worker;
    worker = undefined;
    if (!closing) return;
    if (!isPatient) return closing.close(true);
    // By itself it waits for what is in its hands without end.
    if (!(await endsWithin(clock, CLOSE_WITHIN_MS, closing.close()))) await closing.disconnect();
  };

  const shut = async (detail: string): Promise<void> => {
    if (worker === undefined) return;
    const now = clock.monotonic();
    // Whoever has behaved for a while since the last time is trusted again.
    const isAgain = opensAt > 0 && now - openedAt < 10 * WINDOW_MS;
    shutMs = isAgain ? Math.min(shutMs * 2, LONGEST_SHUT_MS) : SHUT_MS;
    opensAt = now + shutMs;
    flood = { since: now, refused: 0, bytes: 0, faults: 0 };
    parts.onTrouble({ from: lane.from, kind: "shut", detail: `${detail}; shut for ${shutMs / 1000} s` });
    emptying = closeWorker(true)
      .then(() => keys.clear())
      .catch((error: unknown) => parts.onError(error as Error));
    await emptying;
  };

  open();
  return {
    async tend() {
      if (hasLeft()) return;
      if (worker === undefined) {
        if (clock.monotonic() < opensAt) return;
        await emptying;
        await keys.clear();
        if (!hasLeft()) open();
        return;
      }
      const mended = await keys.mend();
      if (hasLeft()) return;
      if (mended.length > 0) {
        parts.onTrouble({ from: lane.from, kind: "repaired", detail: mended.join(", ") });
        count({ faults: 1 });
      }
      const waiting = await keys.waiting();
      if (worker) worker.concurrency = waiting > AT_ONCE.backlog ? AT_ONCE.backlog : AT_ONCE.calm;
      if (waiting > MOST_WAITING) await shut(`${waiting} envelopes waited`);
    },
    async close(isPatient) {
      isClosed = true;
      await closeWorker(isPatient);
    },
  };
}

/** The envelopes that a job carries; what is neither is one that will be refused. */
function textsOf(data: unknown): readonly string[] {
  if (typeof data === "string") return [data];
  const isFreight =
    Array.isArray(data) &&
    data.length > 0 &&
    data.length <= MOST_TOGETHER &&
    data.every((text): text is string => typeof text === "string");
  return isFreight ? data : [textOf(data)];
}

/** What is nested too deep cannot be written again; it is refused as what it is not. */
function textOf(data: unknown): string {
  try {
    return JSON.stringify(data ?? null);
  } catch {
    return "";
  }
}

/** Whether an error comes of what a job or a key holds, and not of Redis or of the way to it. */
function isDamage(error: Error): boolean {
  return error instanceof SyntaxError || /^(?:WRONGTYPE|ERR [^]*script)/.test(error.message);
}
