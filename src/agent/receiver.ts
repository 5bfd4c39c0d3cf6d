import type { Neighbour } from "../admission/index.ts";
import { admit } from "../admission/index.ts";
import type { Clock, VoxMessage } from "../envelope/index.ts";
import { failure, parseEnvelope } from "../envelope/index.ts";
import type { Ledger, Letter } from "../ledger/index.ts";
import { keyOfAnswered } from "../ledger/index.ts";
import type { Log } from "../sdk/context.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import { Announcement } from "./command-map.ts";
import type { Delegation } from "./delegation.ts";
import type { Addressee, Letters } from "./letters.ts";
import { PRIORITY_ORDER, SELF } from "./run.ts";
import type { Run } from "./run.ts";
import type { Runner } from "./runner.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Sender } from "./sender.ts";
import { firstRepeatAt } from "./sender.ts";

/** Takes in what comes by the lanes: checks it, records it, and only then lets it act. */
export interface Receiver {
  /** Resolves when the envelope is durable and may be taken from the lane. Never throws for what an envelope holds. */
  receive(from: string, text: string): Promise<void>;
  /** Takes in what the agent tells itself. */
  loopBack(n: number, text: string): void;
  /** Takes in a task that has no lane: words of a person. Resolves when it is durable. */
  accept(peer: string, letter: Letter, grantedMs: number): Promise<void>;
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
  readonly log: Log;
  readonly neighbours: ReadonlyMap<string, Neighbour>;
  readonly addressees: ReadonlyMap<string, Addressee>;
  readonly onAnnouncement: (child: string, commands: readonly CommandAnnouncement[]) => void;
  readonly onProgress: (run: Run, text: string, fraction: number | undefined) => void;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const LONGEST_TIMEOUT_MS = 24 * 60 * 60 * 1000;
/** More answers than this that a master has not acknowledged, and new tasks are refused: it bounds the outbox. */
const MOST_OPEN_ANSWERS = 5000;

export function createReceiver(parts: ReceiverParts): Receiver {
  const { self, ledger, runner, scheduler, delegation, sender, acknowledgements, letters, clock, log } =
    parts;

  const takeTask = (peer: string, letter: Letter, grantedMs: number): void => {
    const { message } = letter;
    const priority = PRIORITY_ORDER[message.priority ?? "normal"];
    const take = scheduler.tryTake(priority);
    const deadline = clock.now() + grantedMs;
    const accepted = ledger.inbox.accept({
      ...letter,
      peer,
      priority,
      deadline,
      isClaimed: take !== undefined,
    });
    switch (accepted.kind) {
      case "new":
        acknowledgements.oweLater(peer, message.message_id, accepted.n);
        if (take) runner.begin(take(accepted.n), { peer, message, grantedMs });
        else scheduler.enqueue({ n: accepted.n, priority });
        return;
      case "cancelled":
        runner.refuse(accepted.n, failure("E_CANCELLED", "This was cancelled before it began."));
        return;
      case "seen":
        if (accepted.answer !== undefined) sendAgain(accepted.answer);
        else if (!accepted.isFinished) acknowledgements.owe(peer, message.message_id);
        return;
    }
  };

  const sendAgain = (n: number): void => {
    const { peer, text } = ledger.outbox.read(n);
    if (parts.neighbours.has(peer)) sender.post(peer, text);
  };

  const takeAnswer = (peer: string, letter: Letter): void => {
    const fate = ledger.waits.applyAnswer(peer, letter);
    acknowledgements.owe(peer, letter.message.message_id);
    if (fate.kind === "applied") delegation.answered(fate.wait, letter.message);
    else
      log.debug(`a ${fate.kind} answer is recorded and not applied`, { peer, id: letter.message.message_id });
  };

  const takeCancel = (peer: string, message: VoxMessage): void => {
    const n = ledger.inbox.cancel(keyOfAnswered(peer, message));
    acknowledgements.owe(peer, message.message_id);
    if (n === undefined) return;
    const why = failure("E_CANCELLED", "This was cancelled by who asked.");
    if (!runner.end(n, why) && scheduler.withdraw(n)) runner.refuse(n, why);
  };

  const takeProgress = (message: VoxMessage): void => {
    const run = delegation.askerOf(message.reply_to ?? "");
    const { text, fraction } = message.details;
    if (run && typeof text === "string") {
      parts.onProgress(run, text, typeof fraction === "number" ? fraction : undefined);
    }
  };

  const takeAnnouncement = (peer: string, message: VoxMessage): void => {
    const announced = Announcement.safeParse(message.details);
    if (announced.success) parts.onAnnouncement(peer, announced.data.commands);
    else ledger.reject(peer, "E_ENVELOPE_INVALID", `announcement: ${announced.error.issues[0]?.message}`);
  };

  const take = (lane: Neighbour, message: VoxMessage, text: string): void => {
    const letter = { message, text };
    switch (message.type) {
      case "command_request":
        if (ledger.outbox.count(lane.name) > MOST_OPEN_ANSWERS) refuseTask(lane, message, "E_BUSY");
        else takeTask(lane.name, letter, grantedOf(message));
        return;
      case "command_result":
      case "command_error":
        takeAnswer(lane.name, letter);
        return;
      case "cancel":
        takeCancel(lane.name, message);
        return;
      case "progress":
        takeProgress(message);
        return;
      case "announcement":
        takeAnnouncement(lane.name, message);
        return;
      case "message_acknowledged": {
        const { ids } = message.details;
        if (Array.isArray(ids)) ledger.outbox.acknowledge(lane.name, ids.filter(isUuid));
        return;
      }
      case "heartbeat":
      case "notice":
      case "system_failure":
        ledger.reject(lane.name, "E_WRONG_DIRECTION", `${message.type} is not taken here`);
        return;
    }
  };

  const refuseTask = (
    lane: Neighbour,
    message: VoxMessage,
    code: "E_BUSY" | "E_WRONG_DIRECTION" | "E_WRONG_RECIPIENT" | "E_STALE",
  ): void => {
    const to = parts.addressees.get(lane.name);
    if (!to) return;
    const letter = letters.error(to, message, failure(code, `${self.name} did not take this on (${code}).`));
    const outgoing = ledger.outbox.add(lane.name, letter, firstRepeatAt(clock.now()));
    void ledger.committed().then(
      () => sender.dispatch([outgoing]),
      () => undefined,
    );
  };

  return {
    async receive(from, text) {
      const lane = parts.neighbours.get(from);
      if (!lane) return;
      const admitted = admit(text, lane, { id: self.id, now: clock.now() });
      if ("code" in admitted) {
        ledger.reject(from, admitted.code, admitted.detail);
        log.warn("an envelope was refused", { from, code: admitted.code, detail: admitted.detail });
        const { code, message } = admitted;
        const isAnswerable =
          code === "E_WRONG_RECIPIENT" || code === "E_WRONG_DIRECTION" || code === "E_STALE";
        if (isAnswerable && message?.type === "command_request") refuseTask(lane, message, code);
      } else {
        take(lane, admitted.message, text);
      }
      await ledger.committed();
    },
    loopBack(n, text) {
      const parsed = parseEnvelope(JSON.parse(text));
      if (typeof parsed === "string") throw new Error(`the agent wrote itself a damaged envelope: ${parsed}`);
      const { message } = parsed;
      ledger.outbox.close(n);
      if (message.type === "command_request") takeTask(SELF, { message, text }, grantedOf(message));
      else if (message.type === "cancel") takeCancel(SELF, message);
      else takeAnswer(SELF, { message, text });
    },
    accept(peer, letter, grantedMs) {
      takeTask(peer, letter, grantedMs);
      return ledger.committed();
    },
  };
}

/** How long a request may take; never longer than a day, whatever its sender says. */
function grantedOf(message: VoxMessage): number {
  return Math.min(message.requires?.timeout_ms ?? DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS);
}

function isUuid(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}
