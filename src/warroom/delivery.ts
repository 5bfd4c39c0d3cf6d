import { describeError, type Clock } from "../envelope/index.ts";
import type { Log } from "../sdk/context.ts";
import { plainText } from "../sdk/markup.ts";
import { type Dispatch, type DispatchParts, nextDispatch } from "./dispatch.ts";
import { type Incident, nameOf, stateOf } from "./incident.ts";
import { REPEAT_MS } from "./messages.ts";
import { isRoomGone, TRY_AGAIN_MS } from "./places.ts";
import type { RoomFailure, RoomOutcome } from "./ports.ts";
import { PLAINEST, renderMessage } from "./render.ts";

/** Brings incidents into their room. */
export interface Delivery {
  /** Sends all that may be sent by now. */
  sendAll(): Promise<void>;
  /** What keeps incidents from people, in words; undefined when nothing does. */
  trouble(): string | undefined;
  /** Begins nothing more. */
  stop(): void;
}

export interface DeliveryParts extends Omit<DispatchParts, "triedLast" | "onNoRoom"> {
  readonly clock: Clock;
  readonly log: Log;
}

/** After so many attempts of unknown outcome another room is tried. */
const MOST_UNKNOWN = 3;
const UNREACHABLE_TOO_LONG_MS = 2 * 60_000;

export function createDelivery({ clock, log, ...rest }: DeliveryParts): Delivery {
  const { store, messages, places, zone } = rest;
  /** By incident, the last room into which it could not be brought whatever was tried. */
  const triedLast = new Map<number, string>();
  const undelivered = new Map<number, string>();
  let unreachableSince: number | undefined;
  let isStopped = false;

  const onNoRoom = (incident: Incident): void => {
    triedLast.delete(incident.n);
    messages.release(incident.n, { attempts: 0, plainness: 0, notBefore: clock.now() + TRY_AGAIN_MS });
    // Whoever reads the log at least is to know what nobody was told.
    const text = plainText(renderMessage(incident, zone));
    undelivered.set(incident.n, `${nameOf(incident)} could be brought into no room of the war room`);
    log.error(`nobody in the war room could be told: ${text}`, { incident: nameOf(incident) });
  };
  const parts: DispatchParts = { ...rest, triedLast: (n) => triedLast.get(n), onNoRoom };

  const settleSent = (dispatch: Dispatch, ref: string): void => {
    if (dispatch.kind === "note") {
      messages.endNote(dispatch.note.n, "sent");
      return;
    }
    const { message, incident, room, hash } = dispatch;
    undelivered.delete(incident.n);
    triedLast.delete(incident.n);
    messages.sent(incident.n, { rev: message.rev, hash, room: room.name, ref });
    if (dispatch.kind === "post") {
      const isWaited = stateOf(incident) === "firing" && !incident.isFlapping;
      messages.setRepeat(incident.n, isWaited ? clock.now() + REPEAT_MS[incident.severity] : null);
    }
  };

  const settleFailedNote = (dispatch: Extract<Dispatch, { kind: "note" }>, why: RoomFailure): void => {
    const { note, incident, room } = dispatch;
    const { wasCut, attempts } = note;
    if (isRoomGone(why)) {
      places.close(room.name);
      messages.forgetPlace(incident.n);
      messages.touch(incident.n);
      messages.endNote(note.n, "useless");
    } else if (why.kind === "too_many" || why.kind === "unreachable") {
      messages.releaseNote(note.n, { wasCut, attempts, notBefore: 0 });
    } else if (why.kind === "ambiguous" && attempts + 1 < MOST_UNKNOWN) {
      const notBefore = clock.now() + waitAfter(attempts);
      messages.releaseNote(note.n, { wasCut: true, attempts: attempts + 1, notBefore });
    } else {
      // The message itself says the same, and another reminder follows.
      messages.endNote(note.n, "refused");
    }
  };

  const settleFailed = (dispatch: Exclude<Dispatch, { kind: "note" }>, why: RoomFailure): void => {
    const { message, incident, room } = dispatch;
    const { n } = incident;
    const { attempts, plainness } = message;
    const isPost = dispatch.kind === "post";
    switch (why.kind) {
      case "chat_gone":
      case "kicked":
      case "topic_gone":
        places.close(room.name);
        if (isPost) messages.release(n, { plainness: 0 });
        else messages.forgetPlace(n);
        return;
      case "message_gone":
        messages.forgetPlace(n);
        // Somebody has taken away the message of what is over: nobody misses it.
        if (incident.resolvedAt !== null) messages.settle(n, message.rev);
        return;
      case "too_many":
      case "unreachable":
        messages.release(n, {});
        return;
      case "ambiguous": {
        const isEnough = isPost && attempts + 1 >= MOST_UNKNOWN;
        if (isEnough) triedLast.set(n, room.name);
        const next = isEnough ? 0 : attempts + 1;
        // An edit made twice is one edit.
        messages.release(n, { wasCut: isPost, attempts: next, notBefore: clock.now() + waitAfter(attempts) });
        return;
      }
      case "bad_request":
        if (plainness < PLAINEST) {
          messages.release(n, { plainness: plainness + 1 });
        } else if (isPost) {
          triedLast.set(n, room.name);
          messages.release(n, { plainness: 0 });
        } else {
          // It stands there as it was; the next change is tried anew.
          log.error(`the message of ${nameOf(incident)} can no longer be edited: ${why.text}`);
          messages.settle(n, message.rev);
        }
        return;
    }
  };

  const noteFailure = (dispatch: Dispatch, why: RoomFailure): void => {
    const { room, incident } = dispatch;
    log.warn(`${nameOf(incident)} was not taken by the war room's ${room.name}: ${why.text}`, {
      kind: why.kind,
    });
    if (why.kind === "too_many") places.rest(room.name, why.retryAfterMs);
    if (why.kind === "unreachable") {
      unreachableSince ??= clock.monotonic();
      places.unreachable(room.name);
    }
  };

  const perform = async (dispatch: Dispatch): Promise<void> => {
    const outcome = await call(dispatch);
    const why = outcome.kind === "failed" ? outcome.why : undefined;
    if (why) noteFailure(dispatch, why);
    if (why?.kind !== "unreachable") {
      unreachableSince = undefined;
      places.reached(dispatch.room.name);
    }
    store.transaction(() => {
      if (outcome.kind === "sent") settleSent(dispatch, outcome.ref);
      else if (dispatch.kind === "note") settleFailedNote(dispatch, outcome.why);
      else settleFailed(dispatch, outcome.why);
    });
  };

  return {
    async sendAll() {
      while (!isStopped) {
        const dispatch = store.transaction(() => nextDispatch(parts, clock.now()));
        if (!dispatch) return;
        await perform(dispatch);
      }
    },
    trouble() {
      for (const [n, words] of undelivered) {
        const message = messages.find(n);
        if (message && message.rev > message.sentRev) return words;
        // Nothing of it is to be told any more.
        undelivered.delete(n);
      }
      const isLong =
        unreachableSince !== undefined && clock.monotonic() - unreachableSince >= UNREACHABLE_TOO_LONG_MS;
      return isLong ? "the war room's chat cannot be reached" : undefined;
    },
    stop() {
      isStopped = true;
    },
  };
}

async function call(dispatch: Dispatch): Promise<RoomOutcome> {
  const { room, text, isSilent } = dispatch;
  try {
    if (dispatch.kind === "post") return await room.post({ text, buttons: dispatch.buttons, isSilent });
    if (dispatch.kind === "edit") return await room.edit(dispatch.ref, { text, buttons: dispatch.buttons });
    return await room.post({ text, buttons: [], isSilent, replyTo: dispatch.replyTo });
  } catch (error) {
    // A defect of the room: nobody can tell how far it came.
    return { kind: "failed", why: { kind: "ambiguous", text: describeError(error) } };
  }
}

function waitAfter(attempts: number): number {
  return Math.min(60_000, 5000 * 2 ** attempts);
}
