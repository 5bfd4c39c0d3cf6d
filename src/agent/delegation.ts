import { createHash } from "node:crypto";
import type { Clock, FailureValue, VoxMessage } from "../envelope/index.ts";
import { canonicalJson, failure, isFailure } from "../envelope/index.ts";
import type { ClosedAs, JournalEntry, Ledger, Letter, OpenWait } from "../ledger/index.ts";
import type { Failure, ReplyShape } from "../sdk/reply.ts";
import { LARGEST_ENVELOPE_BYTES } from "../admission/index.ts";
import type { Choice, Chosen } from "./choice.ts";
import type { Deadlines } from "./deadlines.ts";
import { detached } from "./detached.ts";
import { tooLate } from "./late.ts";
import type { Addressee, Letters } from "./letters.ts";
import type { Run } from "./run.ts";
import { readAnswer } from "./read-answer.ts";
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
  /**
   * A child went. What it was only to look at is asked of another member of its pool, or given up; what it was to
   * change it may have changed, and will tell.
   */
  lost(child: string): void;
  /** The task that waits for this child's answer to this request. */
  askerOf(child: string, requestId: string): Run | undefined;
}

export interface DelegationParts {
  readonly ledger: Ledger;
  readonly sender: Sender;
  readonly scheduler: Scheduler;
  readonly letters: Letters;
  readonly choice: Choice;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly addressees: ReadonlyMap<string, Addressee>;
}

/** A question as it is kept while somebody waits. */
interface Kept extends OpenWait {
  readonly ask: Ask;
  readonly key: string;
  /** By the monotonic clock. */
  readonly deadlineAt: number;
}

interface LiveWait extends Kept {
  readonly run: Run;
  readonly resolve: Resolve;
  readonly stopTimer: () => void;
}

type Resolve = (answer: ReplyShape | Failure) => void;

/** A question that is about to be put. */
interface Putting extends Pick<Kept, "ask" | "key"> {
  readonly chosen: Chosen;
  /** How long the child may take, and how long its answer is waited for. */
  readonly timeoutMs: number;
  readonly waitMs: number;
}

const LEAST_KEPT_BACK_MS = 200;

export function createDelegation(parts: DelegationParts): Delegation {
  const { ledger, sender, scheduler, letters, choice, clock, deadlines, addressees } = parts;
  const byRow = new Map<number, LiveWait>();
  const byRequest = new Map<string, LiveWait>();
  const byRun = new Map<Run, Set<LiveWait>>();

  /** It does not say whose: who asked does not know who is asked below. */
  const timedOut = ({ command }: Ask, child: string): FailureValue =>
    tooLate("No answer came in time.", choice.effectOf(command, child));

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

  const listen = (run: Run, kept: Kept, resolve: Resolve): void => {
    const live: LiveWait = {
      ...kept,
      run,
      resolve,
      stopTimer: clock.after(Math.max(0, kept.deadlineAt - clock.monotonic()), () => {
        if (close(live, "timeout", run.message)) settle(live, timedOut(kept.ask, kept.child));
      }),
    };
    add(live);
  };

  const wait = (run: Run, kept: Kept): Promise<ReplyShape | Failure> =>
    new Promise((resolve) => {
      listen(run, kept, resolve);
      scheduler.park(run.slot);
    });

  /** Puts a question to a child, durably; gives what is kept of it, or why it cannot be put. */
  const put = (run: Run, { ask, key, chosen, timeoutMs, waitMs }: Putting): Kept | FailureValue => {
    const { command, params, roleHash } = ask;
    const { child, to } = chosen;
    const letter = letters.request({
      to,
      command,
      params,
      cause: run.message,
      behalf: run.behalf,
      timeoutMs,
    });
    if (isTooLarge(letter))
      return failure("E_TOO_LARGE", `The question to "${command}" is larger than 1 MiB.`);
    const deadlineAt = clock.monotonic() + waitMs;
    const outgoing = ledger.waits.open({
      ...letter,
      task: run.n,
      position: run.replay.nextPosition(),
      key,
      roleHash,
      child,
      deadline: deadlines.kept(deadlineAt),
      nextAt: firstRepeatAt(clock.now()),
    });
    detached(ledger, () => ledger.committed().then(() => sender.dispatch([outgoing])));
    const { n, message } = outgoing;
    return { n, child, requestId: message.message_id, ask, key, deadlineAt };
  };

  /**
   * Closes a question to a child that is gone and, in the same commit, asks another member of its pool within the time
   * that is left: nobody twice. E_OFFLINE when there is nobody; undefined when the question is no longer open.
   */
  const moveOn = (run: Run, kept: Kept): Kept | FailureValue | undefined => {
    if (!close(kept, "offline", run.message)) return undefined;
    const { ask, key, child, deadlineAt } = kept;
    const gone = choice.offline(ask.command, child);
    const chosen = choice.choose(ask.command, ledger.waits.askedOf(run.n, key), child);
    if (isFailure(chosen)) return gone;
    const waitMs = deadlineAt - clock.monotonic();
    const keptBackMs = Math.max(LEAST_KEPT_BACK_MS / 2, waitMs * 0.05);
    const timeoutMs = Math.floor(Math.min(chosen.announcement.timeoutMs, waitMs - keptBackMs));
    return timeoutMs > 0 ? put(run, { ask, key, chosen, timeoutMs, waitMs }) : gone;
  };

  const recall = (
    run: Run,
    entry: JournalEntry,
    ask: Ask,
  ): Promise<ReplyShape | Failure> | ReplyShape | Failure => {
    switch (entry.kind) {
      case "answer":
        return readAnswer(entry.answer.message);
      case "wait": {
        const { n, child, requestId, key, state } = entry;
        if (state === "timeout") return timedOut(ask, child);
        if (state === "cancelled") return failure("E_CANCELLED", "This was cancelled.");
        if (state === "offline") return choice.offline(ask.command, child);
        // It may have been answered since the journal was read, when nobody was waiting yet.
        const answered = ledger.waits.answerOf(n);
        if (answered) return readAnswer(answered.message);
        // A wall clock that was set back seems to give time; the task must still hear of it before its own time is up.
        const latest = run.deadlineAt - LEAST_KEPT_BACK_MS / 2;
        const deadlineAt = Math.min(deadlines.live(entry.deadline), latest);
        const kept = { n, child, requestId, ask, key, deadlineAt };
        const next = choice.mayGiveUp(child, ask.command) ? moveOn(run, kept) : kept;
        return isFailure(next) ? next : wait(run, next ?? kept);
      }
      default:
        throw new Error(`the journal holds a step under the key of a question: ${entry.key}`);
    }
  };

  return {
    async ask(run, ask) {
      const { command, params, roleHash } = ask;
      const digest = createHash("sha1").update(canonicalJson(params)).digest("base64url");
      const { key } = run.replay.keyOf("delegate", `${command}:${digest}`);
      const entry = run.replay.find(key, roleHash);
      if (entry) return recall(run, entry, ask);

      if (run.isOver || run.abort.signal.aborted) return failure("E_CANCELLED", "This request has ended.");
      const chosen = choice.choose(command);
      if (isFailure(chosen)) return chosen;

      const remainingMs = run.deadlineAt - clock.monotonic();
      const keptBackMs = Math.max(LEAST_KEPT_BACK_MS, remainingMs * 0.1);
      const timeoutMs = Math.floor(Math.min(chosen.announcement.timeoutMs, remainingMs - keptBackMs));
      if (timeoutMs <= 0) return failure("E_TIMEOUT", `There is no time left to ask for "${command}".`);
      // The child answers a timeout of its own at its deadline; half of what is kept back leaves that answer time to come.
      const kept = put(run, { ask, key, chosen, timeoutMs, waitMs: timeoutMs + keptBackMs / 2 });
      return isFailure(kept) ? kept : wait(run, kept);
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
        const { run, ask, resolve } = live;
        if (live.child !== child || !choice.mayGiveUp(child, ask.command)) continue;
        const next = moveOn(run, live);
        if (isFailure(next)) settle(live, next);
        else if (next) {
          remove(live);
          listen(run, next, resolve);
        }
      }
    },
    askerOf(child, requestId) {
      const live = byRequest.get(requestId);
      return live?.child === child ? live.run : undefined;
    },
  };
}

function isTooLarge({ text }: Letter): boolean {
  return text.length > LARGEST_ENVELOPE_BYTES / 4 && Buffer.byteLength(text) > LARGEST_ENVELOPE_BYTES;
}
