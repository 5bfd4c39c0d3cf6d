import type { Clock } from "../envelope/index.ts";
import { failure } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { Log } from "../sdk/context.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Runner } from "./runner.ts";
import type { Scheduler } from "./scheduler.ts";

/** What an agent does for its ledger beside its work: takes up what was unfinished, and forgets what is old. */
export interface Upkeep {
  /** Lines up what was unfinished when the process ended. */
  recover(): void;
  /** Puts aside what crashed the agent, and looks after the ledger from now on. Called once answers can be sent. */
  start(): void;
  stop(): void;
}

export interface UpkeepParts {
  readonly ledger: Ledger;
  readonly scheduler: Scheduler;
  readonly runner: Runner;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly log: Log;
  /** How long finished conversations are kept. */
  readonly keepMs: number;
}

const EVERY_MS = 1000;
const FORGET_EVERY_MS = 60_000;
const MOST_SOLO_CRASHES = 2;
/** A copy of an envelope is refused by its age after 7 days; until then its record must be there to know it by. */
const LEAST_KEPT_MS = 8 * 24 * 60 * 60 * 1000;

export function createUpkeep(parts: UpkeepParts): Upkeep {
  const { ledger, scheduler, runner, clock, deadlines, log, keepMs } = parts;
  const crashed: number[] = [];
  let seenChanges = 0;
  /** The newest task that this process found when it began: those until then may have had a turn in an earlier one. */
  let newestBefore = 0;
  let forgottenAt = 0;
  let stopTimer: (() => void) | undefined;

  const takeUp = (row: { n: number; priority: number; deadline: number }, isSuspect: boolean): void => {
    newestBefore = Math.max(newestBefore, row.n);
    enqueue(row, isSuspect);
  };

  const enqueue = (row: { n: number; priority: number; deadline: number }, isSuspect: boolean): void =>
    scheduler.enqueue({ ...row, deadlineAt: deadlines.live(row.deadline), isSuspect });

  /** Takes up what an operator has given another run. */
  const lookOutside = (): void => {
    const changes = ledger.outsideChanges();
    if (changes === seenChanges) return;
    seenChanges = changes;
    ledger.outbox.takeUp();
    for (const row of ledger.inbox.ready()) if (!scheduler.isWaiting(row.n)) enqueue(row, false);
  };

  /** What waited until it was too late ends now: nobody need wait for a slot to be told so. */
  const expire = (): void => {
    const now = clock.monotonic();
    for (const { n, deadlineAt } of scheduler.waiting()) {
      if (deadlineAt > now || !scheduler.withdraw(n)) continue;
      runner.expire(n, n <= newestBefore);
    }
  };

  const forget = (): void => {
    if (clock.monotonic() - forgottenAt < FORGET_EVERY_MS) return;
    // When there is more to look at, the next second goes on with it.
    if (!ledger.forget(Math.max(keepMs, LEAST_KEPT_MS))) forgottenAt = clock.monotonic();
  };

  const run = (): void => {
    deadlines.follow();
    lookOutside();
    expire();
    forget();
    stopTimer = clock.after(EVERY_MS, run);
  };

  return {
    recover() {
      for (const row of ledger.inbox.interrupted()) {
        if (row.soloCrashes < MOST_SOLO_CRASHES) takeUp(row, true);
        else crashed.push(row.n);
      }
      for (const row of ledger.inbox.ready()) takeUp(row, false);
      seenChanges = ledger.outsideChanges();
    },
    start() {
      for (const n of crashed.splice(0)) {
        log.error("a request crashed this agent twice while it ran alone and is put aside", { n });
        const text = "This request crashed the agent that worked on it twice, and has been put aside.";
        runner.bury(n, failure("E_DEAD_LETTER", text));
      }
      stopTimer = clock.after(EVERY_MS, run);
    },
    stop: () => stopTimer?.(),
  };
}
