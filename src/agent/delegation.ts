import { createHash } from "node:crypto";
import type { Clock, FailureValue, VoxMessage } from "../envelope/index.ts";
import { canonicalJson, failure } from "../envelope/index.ts";
import type { ClosedAs, JournalEntry, Ledger, Letter, OpenWait } from "../ledger/index.ts";
import type { Failure, ReplyShape } from "../sdk/reply.ts";
import { LARGEST_ENVELOPE_BYTES } from "../admission/index.ts";
import type { CommandMap } from "./command-map.ts";
import { detached } from "./detached.ts";
import type { Addressee, Letters } from "./letters.ts";
import type { Run } from "./run.ts";
import { SELF, monotonicDeadline } from "./run.ts";
import { readAnswer } from "./read-answer.ts";
import type { Presence } from "./presence.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Sender } from "./sender.ts";
import { firstRepeatAt } from "./sender.ts";

/** A question to a child, asked by a task. */
export interface Ask {
  readonly command: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly roleHash: string;
}

/** Asks children, remembers what they answered, and lets nobody wait for ever. */
export interface Delegation {
  ask(run: Run, ask: Ask): Promise<ReplyShape | Failure>;
  /** A child's answer has been recorded for an open question. */
  answered(wait: number, message: VoxMessage): void;
  /** Closes every open question of a task and tells the children. */
  cancel(run: Run): void;
  /** Stops waiting for a task whose agent stops: its questions stay open, for the next start. */
  forget(run: Run): void;
  /** As `cancel`, for a task that is not in work. */
  abandon(task: number, message: VoxMessage): void;
  /** A child went: what it was only to look at is not waited for; what it was to do, it may have done, and will tell. */
  lost(child: string): void;
  /** The task that waits for this child's answer to this request. */
  askerOf(child: string, requestId: string): Run | undefined;
}

export interface DelegationParts {
  readonly ledger: Ledger;
  readonly sender: Sender;
  readonly scheduler: Scheduler;
  readonly letters: Letters;
  readonly map: CommandMap;
  readonly presence: Pick<Presence, "isOnline" | "silentMs">;
  readonly clock: Clock;
  readonly addressees: ReadonlyMap<string, Addressee>;
}

interface LiveWait {
  readonly n: number;
  readonly run: Run;
  readonly child: string;
  readonly requestId: string;
  readonly command: string;
  readonly resolve: (answer: ReplyShape | Failure) => void;
  readonly stopTimer: () => void;
}

const LEAST_KEPT_BACK_MS = 200;

export function createDelegation(parts: DelegationParts): Delegation {
  const { ledger, sender, scheduler, letters, map, presence, clock, addressees } = parts;
  const byRow = new Map<number, LiveWait>();
  const byRequest = new Map<string, LiveWait>();
  const byRun = new Map<Run, Set<LiveWait>>();

  const add = (wait: LiveWait): void => {
    byRow.set(wait.n, wait);
    byRequest.set(wait.requestId, wait);
    byRun.set(wait.run, (byRun.get(wait.run) ?? new Set()).add(wait));
  };

  const remove = (wait: LiveWait): void => {
    wait.stopTimer();
    byRow.delete(wait.n);
    byRequest.delete(wait.requestId);
    const others = byRun.get(wait.run);
    others?.delete(wait);
    if (others?.size === 0) byRun.delete(wait.run);
  };

  const settle = (wait: LiveWait, answer: ReplyShape | Failure): void => {
    remove(wait);
    detached(ledger, () => goOn(wait, answer));
  };

  const goOn = async ({ run, resolve }: LiveWait, answer: ReplyShape | Failure): Promise<void> => {
    await scheduler.resume(run.slot);
    // Whoever runs alone says so durably first.
    if (run.slot.isSuspect) await ledger.committed();
    resolve(answer);
    // It has had its turn; while it waits for the rest of its answers, the slot is another's again.
    if (!byRun.has(run)) return;
    setImmediate(() => detached(ledger, () => byRun.has(run) && scheduler.park(run.slot)));
  };

  const close = (
    { n, child, requestId }: OpenWait,
    state: ClosedAs,
    { corr, priority }: VoxMessage,
  ): boolean => {
    if (!ledger.waits.close(n, state)) return false;
    // A child that has gone since it was asked need not be told.
    const to = addressees.get(child);
    if (!to) return true;
    const cancel = letters.cancel(to, { message_id: requestId, corr: corr ?? requestId, priority });
    const outgoing = ledger.outbox.add(child, cancel, firstRepeatAt(clock.now()));
    detached(ledger, () => ledger.committed().then(() => sender.dispatch([outgoing])));
    return true;
  };

  const wait = (
    run: Run,
    entry: { n: number; child: string; requestId: string; command: string; waitMs: number },
  ): Promise<ReplyShape | Failure> =>
    new Promise((resolve) => {
      const live: LiveWait = {
        ...entry,
        run,
        resolve,
        stopTimer: clock.after(entry.waitMs, () => {
          if (close(live, "timeout", run.message)) settle(live, timedOut());
        }),
      };
      add(live);
      scheduler.park(run.slot);
    });

  const offline = (command: string, child: string): FailureValue => {
    const span = inWords(presence.silentMs(child));
    const text = `"${command}" cannot be asked for just now: who can do it has not been heard of for ${span}.`;
    return failure("E_OFFLINE", text);
  };

  /** Whether a question that a child may never answer can be given up: nothing was changed by asking it. */
  const mayGiveUp = (child: string, command: string): boolean =>
    !presence.isOnline(child) && map.find(command)?.announcement.effect === "read";

  const recall = (
    run: Run,
    entry: JournalEntry,
    command: string,
  ): Promise<ReplyShape | Failure> | ReplyShape | Failure => {
    switch (entry.kind) {
      case "answer":
        return readAnswer(entry.answer.message);
      case "wait": {
        if (entry.state === "timeout") return timedOut();
        if (entry.state === "cancelled") return failure("E_CANCELLED", "This was cancelled.");
        if (entry.state === "offline") return offline(command, entry.child);
        // It may have been answered since the journal was read, when nobody was waiting yet.
        const answered = ledger.waits.answerOf(entry.n);
        if (answered) return readAnswer(answered.message);
        if (mayGiveUp(entry.child, command) && close(entry, "offline", run.message)) {
          return offline(command, entry.child);
        }
        // A wall clock that was set back seems to give time; the task must still hear of it before its own time is up.
        const latest = run.deadlineAt - LEAST_KEPT_BACK_MS / 2;
        const deadlineAt = Math.min(monotonicDeadline(clock, entry.deadline), latest);
        return wait(run, { ...entry, command, waitMs: Math.max(0, deadlineAt - clock.monotonic()) });
      }
      default:
        throw new Error(`the journal holds a step under the key of a question: ${entry.key}`);
    }
  };

  const put = (
    run: Run,
    letter: Letter,
    facts: { child: string; command: string; key: string; roleHash: string; waitMs: number },
  ) => {
    const now = clock.now();
    const outgoing = ledger.waits.open({
      ...letter,
      ...facts,
      task: run.n,
      position: run.replay.nextPosition(),
      deadline: now + facts.waitMs,
      nextAt: firstRepeatAt(now),
    });
    detached(ledger, () => ledger.committed().then(() => sender.dispatch([outgoing])));
    return wait(run, {
      n: outgoing.n,
      child: facts.child,
      command: facts.command,
      requestId: outgoing.message.message_id,
      waitMs: facts.waitMs,
    });
  };

  return {
    async ask(run, { command, params, roleHash }) {
      const digest = createHash("sha1").update(canonicalJson(params)).digest("base64url");
      const { key } = run.replay.keyOf("delegate", `${command}:${digest}`);
      const entry = run.replay.find(key, roleHash);
      if (entry) return recall(run, entry, command);

      if (run.isOver || run.abort.signal.aborted) return failure("E_CANCELLED", "This request has ended.");
      const known = map.find(command);
      if (!known) return failure("E_UNKNOWN_COMMAND", `Nobody here offers "${command}".`);
      const child = known.place.kind === "own" ? SELF : known.place.child;
      const to = addressees.get(child);
      if (!to || !presence.isOnline(child)) return offline(command, child);

      const remainingMs = run.deadlineAt - clock.monotonic();
      const keptBackMs = Math.max(LEAST_KEPT_BACK_MS, remainingMs * 0.1);
      const timeoutMs = Math.floor(Math.min(known.announcement.timeoutMs, remainingMs - keptBackMs));
      if (timeoutMs <= 0) return failure("E_TIMEOUT", `There is no time left to ask for "${command}".`);

      const letter = letters.request({
        to,
        command,
        params,
        cause: run.message,
        behalf: run.behalf,
        timeoutMs,
      });
      if (
        letter.text.length > LARGEST_ENVELOPE_BYTES / 4 &&
        Buffer.byteLength(letter.text) > LARGEST_ENVELOPE_BYTES
      ) {
        return failure("E_TOO_LARGE", `The question to "${command}" is larger than 1 MiB.`);
      }
      // The child answers a timeout of its own at its deadline; half of what is kept back leaves that answer time to come.
      return put(run, letter, { child, command, key, roleHash, waitMs: timeoutMs + keptBackMs / 2 });
    },
    answered(n, message) {
      const live = byRow.get(n);
      if (live) settle(live, readAnswer(message));
    },
    cancel(run) {
      for (const live of byRun.get(run) ?? []) {
        if (close(live, "cancelled", run.message))
          settle(live, failure("E_CANCELLED", "This was cancelled."));
      }
    },
    forget(run) {
      for (const live of byRun.get(run) ?? []) remove(live);
    },
    abandon(task, message) {
      for (const open of ledger.waits.openOf(task)) close(open, "cancelled", message);
    },
    lost(child) {
      for (const live of byRow.values()) {
        if (live.child !== child || !mayGiveUp(child, live.command)) continue;
        if (close(live, "offline", live.run.message)) settle(live, offline(live.command, child));
      }
    },
    askerOf(child, requestId) {
      const live = byRequest.get(requestId);
      return live?.child === child ? live.run : undefined;
    },
  };
}

function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** It does not say whose: who asked does not know who is asked below. */
function timedOut(): FailureValue {
  return failure("E_TIMEOUT", "No answer came in time.");
}
