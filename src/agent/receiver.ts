import type { Neighbour, Refused } from "../admission/index.ts";
import { admit } from "../admission/index.ts";
import type { Clock, FailureCode, FailureValue, VoxMessage } from "../envelope/index.ts";
import { FAILURES, failure, isUuid, parseEnvelope } from "../envelope/index.ts";
import type { Ledger, Letter } from "../ledger/index.ts";
import { keyOfAnswered } from "../ledger/index.ts";
import type { Log } from "../sdk/context.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import { Announcement } from "./command-map.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Delegation } from "./delegation.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Addressee, Letters } from "./letters.ts";
import type { Receipt } from "../transport/port.ts";
import type { News } from "./news.ts";
import type { Notices } from "./notices.ts";
import type { Step } from "./progress.ts";
import { PRIORITY_ORDER, SELF, grantedOf } from "./run.ts";
import type { Run } from "./run.ts";
import type { Runner } from "./runner.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Sender } from "./sender.ts";

/** Takes in what comes by the lanes: checks it, records it, and only then lets it act. */
export interface Receiver {
  /** Resolves when the envelope is durable and may be taken from the lane. Never throws for what an envelope holds. */
  receive(from: string, text: string): Promise<Receipt>;
  /** Takes in what the agent tells itself. */
  loopBack(n: number, text: string): void;
  /** Takes in a task that has no lane: words of a person. Resolves when it is durable. */
  accept(peer: string, letter: Letter): Promise<void>;
}

export interface ReceiverParts {
  readonly self: { readonly id: string; readonly name: string };
  readonly ledger: Ledger;
  readonly runner: Runner;
  readonly scheduler: Scheduler;
  readonly delegation: Delegation;
  readonly sender: Sender;
  readonly acknowledgements: Acknowledgements;
  readonly letters: Letters;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly log: Log;
  readonly neighbours: ReadonlyMap<string, Neighbour>;
  readonly addressees: ReadonlyMap<string, Addressee>;
  readonly news: News;
  readonly notices: Notices;
  readonly onAnnouncement: (child: string, commands: readonly CommandAnnouncement[]) => void;
  readonly mostWaiting: number | undefined;
  /** Unix ms by the clock of the lanes, where they have one. */
  readonly sharedNow: () => number | undefined;
  readonly onProgress: (run: Run, step: Step) => void;
  /** A child has sent something that may act. */
  readonly onHeard: (child: string) => void;
  readonly onHeartbeat: (child: string, beat: Heartbeat) => void;
  /** The master says, unchecked, what it knows of what is offered here. */
  readonly onHeld: (digest: unknown) => void;
}

/** More answers than this that a master has not acknowledged, and new tasks are refused: it bounds the outbox. */
const MOST_OPEN_ANSWERS = 5000;
/** Ids that are looked at in one acknowledgement; ours name at most 100. */
const MOST_ACKNOWLEDGED = 1000;
/** A refusal of one kind is logged once in this time: the ledger counts them all. */
const LOG_EVERY_MS = 60_000;

const MOST_WAITING = 50_000;
const BUSY = failure("E_BUSY", FAILURES.E_BUSY.meaning);

export function createReceiver(parts: ReceiverParts): Receiver {
  const { self, ledger, runner, scheduler, delegation, sender, acknowledgements, letters, clock, log } =
    parts;

  const loggedAt = new Map<string, number>();

  const refuse = (from: string, code: FailureCode, detail: string): Receipt => {
    ledger.reject(from, code, detail);
    const kind = `${from} ${code}`;
    const now = clock.monotonic();
    if (now - (loggedAt.get(kind) ?? -LOG_EVERY_MS) >= LOG_EVERY_MS) {
      loggedAt.set(kind, now);
      log.warn("an envelope was refused", { from, code, detail });
    }
    return "refused";
  };

  /** Records a task and sees to it that it runs; `why` says that it is not taken on. */
  const takeTask = (peer: string, letter: Letter, why?: FailureValue): void => {
    const { message } = letter;
    const grantedMs = grantedOf(message, parts.sharedNow());
    const priority = PRIORITY_ORDER[message.priority ?? "normal"];
    const refusal =
      why ?? (grantedMs > 0 ? undefined : failure("E_TIMEOUT", "There is no time left for this."));
    const take = refusal ? undefined : scheduler.tryTake();
    const isClaimed = take !== undefined || refusal !== undefined;
    const deadline = parts.deadlines.kept(clock.monotonic() + grantedMs);
    const accepted = ledger.inbox.accept({ ...letter, peer, priority, deadline, isClaimed });
    switch (accepted.kind) {
      case "new": {
        const { n } = accepted;
        if (refusal) return runner.refuse(n, refusal, false);
        acknowledgements.oweLater(peer, message.message_id, n);
        const task = { n, priority, deadlineAt: clock.monotonic() + grantedMs };
        if (take) runner.begin(take(task), { peer, message });
        else scheduler.enqueue(task);
        return;
      }
      case "cancelled":
        runner.refuse(accepted.n, failure("E_CANCELLED", "This was cancelled before it began."));
        return;
      case "seen":
        if (accepted.answer !== undefined) sendAgain(accepted.answer);
        else if (!accepted.isFinished) acknowledgements.owe(peer, message.message_id);
        return;
    }
  };

  const isBusy = (master: string): boolean =>
    scheduler.backlog >= (parts.mostWaiting ?? MOST_WAITING) ||
    ledger.outbox.count(master) >= MOST_OPEN_ANSWERS;

  const sendAgain = (n: number): void => {
    const answer = ledger.outbox.read(n);
    if (parts.neighbours.has(answer.peer)) sender.post(answer.peer, answer, true);
  };

  /** An answer that comes late or once more is honest: its question is on record for longer than lanes take envelopes. */
  const takeAnswer = (peer: string, letter: Letter): Receipt => {
    const fate = ledger.waits.applyAnswer(peer, letter);
    const isNew = fate.kind === "applied" || fate.kind === "late";
    if (isNew && letter.message.details["follows"] === true) ledger.followed.keepCause(peer, letter);
    acknowledgements.owe(peer, letter.message.message_id);
    if (fate.kind === "unasked") {
      return refuse(peer, "E_NOT_ASKED", `an answer to ${letter.message.reply_to}`);
    }
    if (fate.kind === "applied") delegation.answered(fate.wait, letter.message);
    else log.debug(`a ${fate.kind} answer is not applied`, { peer, id: letter.message.message_id });
    return "taken";
  };

  const takeCancel = (peer: string, message: VoxMessage): void => {
    const n = ledger.inbox.cancel(keyOfAnswered(peer, message));
    acknowledgements.owe(peer, message.message_id);
    if (n === undefined) return;
    const why = failure("E_CANCELLED", "This was cancelled by who asked.");
    if (!runner.end(n, why) && scheduler.withdraw(n)) runner.refuse(n, why);
  };

  const takeProgress = (peer: string, message: VoxMessage): void => {
    const run = delegation.askerOf(peer, message.reply_to ?? "");
    const { text, fraction } = message.details;
    if (run) parts.onProgress(run, { text, fraction });
  };

  const takeAnnouncement = (peer: string, message: VoxMessage): Receipt => {
    const announced = Announcement.safeParse(message.details);
    if (!announced.success) {
      return refuse(peer, "E_ENVELOPE_INVALID", `announcement: ${announced.error.issues[0]?.message}`);
    }
    if (parts.news.isNew(peer, message)) {
      parts.onAnnouncement(peer, announced.data.commands);
      parts.news.keep(peer, message);
    } else {
      log.debug("an older announcement came late or once more", { peer, id: message.message_id });
    }
    return "taken";
  };

  const takeHeartbeat = (peer: string, message: VoxMessage): Receipt => {
    const beat = Heartbeat.safeParse(message.details);
    if (!beat.success) {
      return refuse(peer, "E_ENVELOPE_INVALID", `heartbeat: ${beat.error.issues[0]?.message}`);
    }
    if (parts.news.isNew(peer, message)) parts.onHeartbeat(peer, beat.data);
    return "taken";
  };

  /** What is refused here counts against its lane, as what admission refuses does. */
  const take = (lane: Neighbour, message: VoxMessage, text: string): Receipt => {
    const letter = { message, text };
    switch (message.type) {
      case "command_request":
        // A child may give tasks in AEE's own name alone, and nothing here answers any of those.
        if (lane.relation === "child") return refuse(lane.name, "E_UNKNOWN_COMMAND", message.intent);
        takeTask(lane.name, letter, isBusy(lane.name) ? BUSY : undefined);
        return "taken";
      case "command_result":
      case "command_error":
        return takeAnswer(lane.name, letter);
      case "cancel":
        takeCancel(lane.name, message);
        return "taken";
      case "progress":
        takeProgress(lane.name, message);
        return "taken";
      case "announcement":
        return takeAnnouncement(lane.name, message);
      case "message_acknowledged": {
        const { ids, commands } = message.details;
        if (lane.relation === "master" && commands !== undefined) parts.onHeld(commands);
        const some: readonly unknown[] = Array.isArray(ids) ? ids.slice(0, MOST_ACKNOWLEDGED) : [];
        ledger.outbox.acknowledge(lane.name, some.filter(isUuid));
        return "taken";
      }
      case "heartbeat":
        return takeHeartbeat(lane.name, message);
      case "notice":
        acknowledgements.owe(lane.name, message.message_id);
        if (parts.notices.take(lane.name, letter)) return "taken";
        return refuse(lane.name, "E_NOT_ASKED", `a notice on ${message.reply_to}`);
      case "alert":
      case "system_failure":
        break;
    }
    return refuse(lane.name, "E_WRONG_DIRECTION", `${message.type} is not taken here`);
  };

  /** Tells a master why its task may not act. Nothing is kept of it: a copy gets the same answer. */
  const answerRefused = (lane: Neighbour, { code, message }: Refused): void => {
    const to = parts.addressees.get(lane.name);
    if (!to || lane.relation !== "master" || message?.type !== "command_request") return;
    sender.post(lane.name, letters.error(to, message, failure(code, FAILURES[code].meaning)));
  };

  return {
    async receive(from, text) {
      const lane = parts.neighbours.get(from);
      if (!lane) return "refused";
      const admitted = admit(text, lane, { id: self.id, now: clock.now() });
      let receipt: Receipt;
      if ("code" in admitted) {
        receipt = refuse(from, admitted.code, admitted.detail);
        answerRefused(lane, admitted);
      } else {
        if (lane.relation === "child") parts.onHeard(from);
        receipt = take(lane, admitted.message, text);
      }
      await ledger.committed();
      return receipt;
    },
    loopBack(n, text) {
      const parsed = parseEnvelope(JSON.parse(text));
      if (typeof parsed === "string") throw new Error(`the agent wrote itself a damaged envelope: ${parsed}`);
      const { message } = parsed;
      ledger.outbox.close(n);
      if (message.type === "command_request") takeTask(SELF, { message, text });
      else if (message.type === "cancel") takeCancel(SELF, message);
      else takeAnswer(SELF, { message, text });
    },
    accept(peer, letter) {
      takeTask(peer, letter);
      return ledger.committed();
    },
  };
}
