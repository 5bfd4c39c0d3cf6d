import type { Clock, FailureValue, VoxMessage } from "../envelope/index.ts";
import { describeError, failure, isFailure } from "../envelope/index.ts";
import type { Ledger, Letter } from "../ledger/index.ts";
import type { BaseContext, Log } from "../sdk/context.ts";
import type { Failure, ReplyShape } from "../sdk/reply.ts";
import { LARGEST_ENVELOPE_BYTES } from "../admission/index.ts";
import type { CommandMap } from "./command-map.ts";
import type { Delegation } from "./delegation.ts";
import { detached } from "./detached.ts";
import { readReply } from "./door.ts";
import { tooLate } from "./late.ts";
import type { Addressee, Letters } from "./letters.ts";
import { JournalMismatch, createReplay } from "./replay.ts";
import type { AgentRole, Router } from "./roles.ts";
import type { Outcome, Run } from "./run.ts";
import { PEOPLE, behalfOf, eventOf, grantedOf } from "./run.ts";
import type { Scheduler, Slot } from "./scheduler.ts";
import type { Sender } from "./sender.ts";
import { firstRepeatAt } from "./sender.ts";

/** Runs tasks from the ledger to their one outcome. */
export interface Runner {
  /** Begins a task that has its slot. `message` is at hand when it has just come in; else the ledger is read. */
  begin(slot: Slot, fresh?: { readonly peer: string; readonly message: VoxMessage }): void;
  /** Ends a task from outside: its handler is told to stop, its questions are closed. False when it is not in work. */
  end(n: number, failure: Failure): boolean;
  /** Ends a task that is not in work; `isOwed`: whether its asker is told until it says that it heard (default: yes). */
  refuse(n: number, failure: Failure, isOwed?: boolean): void;
  /** Ends a task whose time was up before its turn came; `mayHaveBegun`: it may have had a turn before a restart. */
  expire(n: number, mayHaveBegun: boolean): void;
  /** Puts a task aside as a dead letter; its asker is told. */
  bury(n: number, failure: Failure): void;
  /** Waits until nothing is in work, at most `graceMs`; what is left goes on after the next start. */
  drain(graceMs: number): Promise<void>;
  /** Tasks in work. */
  readonly live: ReadonlyMap<number, Run>;
}

export interface RunnerParts {
  readonly self: { readonly id: string; readonly name: string; readonly vantage?: string };
  readonly ledger: Ledger;
  readonly sender: Sender;
  readonly scheduler: Scheduler;
  readonly delegation: Delegation;
  readonly letters: Letters;
  readonly map: CommandMap;
  readonly router: Router;
  readonly clock: Clock;
  readonly log: Log;
  readonly addressees: ReadonlyMap<string, Addressee>;
  readonly contexts: (run: Run, role: AgentRole) => BaseContext;
  readonly onEnded: (n: number) => void;
  /** The war room is to be told of this envelope; it is durable with the outcome. */
  readonly onAlert: (text: string) => void;
  /** A task was put aside. */
  readonly onDead: (message: VoxMessage, failure: Failure | FailureValue) => void;
}

/** What is left of a task at its end. */
type Ending = Pick<Run, "n" | "peer" | "message" | "also" | "staged" | "alerts" | "letGo" | "isFollowed">;

// The framework's own code hands a command on to a child; its journal never goes out of date.
const RELAY_HASH = "@relay";

export function createRunner(parts: RunnerParts): Runner {
  const { self, ledger, sender, scheduler, delegation, letters, map, router, clock, log, contexts } = parts;
  const live = new Map<number, Run>();
  let whenIdle: (() => void) | undefined;

  const askerOf = (peer: string, message: VoxMessage): Addressee =>
    parts.addressees.get(peer) ?? { address: message.source, name: peer };

  /** The envelope that tells the asker, or why what a role gave cannot be told. */
  const writeResult = (
    asker: Addressee,
    { message, isFollowed }: Pick<Run, "message" | "isFollowed">,
    reply: ReplyShape,
  ): Letter | FailureValue => {
    try {
      const letter = letters.result(asker, message, { reply, isFollowed });
      if (Buffer.byteLength(letter.text) <= LARGEST_ENVELOPE_BYTES) return letter;
      return failure("E_TOO_LARGE", "The answer is larger than 1 MiB.");
    } catch (error) {
      // A role's data may hold what no type keeps out: a NaN, a Date, a circle.
      return failure(
        "E_BAD_REPLY",
        `The answer holds something that is not JSON: ${(error as Error).message}.`,
      );
    }
  };

  const settle = (run: Ending, given: Outcome): void => {
    const asker = askerOf(run.peer, run.message);
    // A child may have said so while its answer was on its way, also before a restart.
    const isFollowed = run.isFollowed || ledger.followed.has(run.n);
    const result =
      given.kind === "reply"
        ? writeResult(asker, { message: run.message, isFollowed }, given.reply)
        : undefined;
    const outcome: Outcome = isFailure(result) ? { kind: "failure", failure: result } : given;
    const isAnswered = outcome.kind !== "handled" && eventOf(run.peer, run.message) === undefined;
    const error = outcome.kind === "failure" ? letters.error(asker, run.message, outcome.failure) : undefined;
    const letter = isAnswered ? (error ?? result) : undefined;
    const isKept = outcome.kind !== "failure";
    const outgoing = ledger.inbox.settle({
      n: run.n,
      state: outcome.kind === "failure" && outcome.isDead === true ? "dead" : "done",
      also: isKept ? run.also : [],
      writes: isKept ? run.staged : [],
      nextAt: firstRepeatAt(clock.now()),
      isAnswerOwed: outcome.kind !== "failure" || outcome.isOwed !== false,
      ...(letter && !isFailure(letter) ? { answer: { ...letter, peer: run.peer } } : {}),
      ...(outcome.kind === "failure" ? { failure: JSON.stringify(outcome.failure) } : {}),
    });
    parts.onEnded(run.n);
    if (!outgoing) return;
    if (isKept) {
      if (run.isFollowed) ledger.followed.keep(run.n);
      for (const n of run.letGo) ledger.followed.letGo(n);
      for (const { text } of run.alerts) parts.onAlert(text);
    }
    if (outcome.kind === "failure" && outcome.isDead === true) parts.onDead(run.message, outcome.failure);
    detached(ledger, () => ledger.committed().then(() => sender.dispatch(outgoing)));
  };

  const settleUnrun = (n: number, outcome: Outcome): void => {
    const { peer, message } = ledger.inbox.read(n);
    delegation.abandon(n, message);
    settle({ n, peer, message, also: [], staged: [], alerts: [], letGo: [], isFollowed: false }, outcome);
  };

  const finish = (run: Run, outcome: Outcome, isOwnEnd = false): void => {
    if (run.isOver) return;
    run.isOver = true;
    run.stopTimer();
    live.delete(run.n);
    delegation.cancel(run);
    // What it asked before a restart and has not asked again: nobody waits for that any more either.
    delegation.abandon(run.n, run.message);
    settle(run, outcome);
    // A handler that has come to its own end has nobody left to tell.
    if (!isOwnEnd) run.abort.abort(new Error("the request has ended"));
    scheduler.finish(run.slot);
    if (live.size === 0) whenIdle?.();
  };

  const runCommand = async (run: Run, name: string): Promise<Outcome> => {
    const params = (run.message.details["params"] ?? {}) as Record<string, unknown>;
    const own = router.command(name);
    if (own) {
      await ledger.committed();
      if (run.isOver) return { kind: "handled" };
      const reply = await readReply(own, params, contexts(run, own.role));
      if (isFailure(reply)) return { kind: "failure", failure: reply };
      return {
        kind: "reply",
        reply: self.vantage === undefined ? reply : { vantage: self.vantage, ...reply },
      };
    }
    const known = map.find(name);
    if (!known || known.place.kind === "own") {
      return { kind: "failure", failure: failure("E_UNKNOWN_COMMAND", `Nobody here offers "${name}".`) };
    }
    const answer = await delegation.ask(run, { command: name, params, roleHash: RELAY_HASH });
    return isFailure(answer) ? { kind: "failure", failure: answer } : { kind: "reply", reply: answer };
  };

  const runListeners = async (run: Run, name: string, event: unknown): Promise<Outcome> => {
    const listeners = router.listeners(name);
    await ledger.committed();
    if (run.isOver) return { kind: "handled" };
    for (const { role, run: listen } of listeners) await listen(contexts(run, role), event);
    if (run.peer !== PEOPLE) return { kind: "handled" };
    if (run.answer) return { kind: "reply", reply: run.answer };
    const reason =
      listeners.length === 0 ? "No role listens to what people write." : "No role replied to these words.";
    return { kind: "failure", failure: failure("E_INTERNAL", reason) };
  };

  const runEvent = async (run: Run, name: string): Promise<Outcome> => {
    if (router.listeners(name).length > 0) return runListeners(run, name, run.message.details["payload"]);
    const only = run.message.details["role"];
    const handlers = router.events(name).filter(({ role }) => only === undefined || role.name === only);
    await ledger.committed();
    for (const { role, event } of handlers) {
      const payload = event.payload.safeParse(run.message.details["payload"] ?? {});
      if (!payload.success)
        throw new Error(`the event ${name} has a payload that does not fit: ${payload.error.message}`);
      await event.run(contexts(run, role), payload.data);
    }
    return { kind: "handled" };
  };

  const runHandler = (run: Run): Promise<Outcome> => {
    const { command, params } = run.message.details;
    const event = eventOf(run.peer, run.message);
    if (event !== undefined) return runEvent(run, event);
    if (run.peer === PEOPLE) return runListeners(run, String(command), params);
    return runCommand(run, String(command));
  };

  /** What a task that was begun may have done to the world. */
  const effectOf = (n: number, { peer, message: { details } }: Pick<Run, "peer" | "message">) => {
    if (peer !== PEOPLE) return map.find(String(details["command"]))?.announcement.effect;
    // What a person's words came to is known below; where nobody was asked, nothing was done.
    const isAsked = ledger.waits.journalOf(n).some(({ kind }) => kind === "wait" || kind === "answer");
    return isAsked ? undefined : "read";
  };

  const outOfTime = (n: number, task: Pick<Run, "peer" | "message">): FailureValue => {
    const { command, event } = task.message.details;
    const what = task.peer === PEOPLE ? "This" : `"${String(command ?? event)}"`;
    return tooLate(`${what} took too long.`, effectOf(n, task));
  };

  const run = async (task: Run): Promise<void> => {
    try {
      finish(task, await runHandler(task), true);
    } catch (error) {
      if (task.isOver || ledger.hasFailed()) return;
      if (error instanceof JournalMismatch) {
        const text = "The code changed while this was half done. Please ask again.";
        log.error("a journal does not fit the code any more", {
          request: task.message.message_id,
          reason: error.message,
        });
        finish(task, { kind: "failure", failure: failure("E_JOURNAL_MISMATCH", text), isDead: true });
        return;
      }
      log.error("a handler threw", {
        request: task.message.message_id,
        error: describeError(error),
      });
      const text = `Something went wrong here; it is noted as ${task.message.message_id}.`;
      finish(task, { kind: "failure", failure: failure("E_INTERNAL", text), isDead: true });
    }
  };

  return {
    live,
    begin(slot, fresh) {
      const stored = fresh ?? ledger.inbox.read(slot.n);
      const { peer, message } = stored;
      const behalf = behalfOf(message);
      // A wall clock that was set while this process was down may shorten what is left, and never lengthens it.
      const grantedMs = Math.min(slot.deadlineAt - clock.monotonic(), grantedOf(message));
      if (grantedMs <= 0) {
        settleUnrun(slot.n, { kind: "failure", failure: outOfTime(slot.n, stored) });
        scheduler.finish(slot);
        return;
      }
      if (!fresh) ledger.inbox.claim(slot.n);
      const task: Run = {
        n: slot.n,
        slot,
        peer,
        message,
        behalf,
        request: {
          id: message.message_id,
          corr: message.corr ?? message.message_id,
          deadline: clock.now() + grantedMs,
          askedBy: behalf.asked_by,
          language: behalf.language,
          zone: behalf.zone,
        },
        deadlineAt: clock.monotonic() + grantedMs,
        abort: new AbortController(),
        replay: createReplay(fresh ? [] : ledger.waits.journalOf(slot.n)),
        staged: [],
        answer: undefined,
        also: [],
        alerts: [],
        isFollowed: false,
        letGo: [],
        isOver: false,
        stopTimer: clock.after(grantedMs, () =>
          finish(task, { kind: "failure", failure: outOfTime(slot.n, stored) }),
        ),
      };
      live.set(slot.n, task);
      detached(ledger, () => run(task));
    },
    end(n, why) {
      const task = live.get(n);
      if (!task) return false;
      finish(task, { kind: "failure", failure: why });
      return true;
    },
    refuse: (n, why, isOwed = true) => settleUnrun(n, { kind: "failure", failure: why, isOwed }),
    expire(n, mayHaveBegun) {
      const effect = mayHaveBegun ? effectOf(n, ledger.inbox.read(n)) : "read";
      const why = tooLate("This waited its turn until it was too late.", effect);
      settleUnrun(n, { kind: "failure", failure: why });
    },
    bury: (n, why) => settleUnrun(n, { kind: "failure", failure: why, isDead: true }),
    async drain(graceMs) {
      if (live.size > 0 && graceMs > 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        whenIdle = resolve;
        const stop = clock.after(graceMs, resolve);
        await Promise.race([promise, ledger.failed]);
        stop();
      }
      for (const task of live.values()) {
        task.isOver = true;
        task.stopTimer();
        delegation.forget(task);
        ledger.inbox.release(task.n);
        task.abort.abort(new Error("the agent stops"));
        scheduler.finish(task.slot);
      }
      live.clear();
      await ledger.committed();
    },
  };
}
