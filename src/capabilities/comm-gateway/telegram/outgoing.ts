import type { Clock } from "../../../envelope/clock.ts";
import { timeOfId } from "../../../envelope/ids.ts";
import type { Log } from "../../../sdk/context.ts";
import { type Delivery, NotDeliveredError } from "../ports.ts";
import type { Asked } from "./asked.ts";
import type { Buttons } from "./buttons.ts";
import type { Chats } from "./chats.ts";
import { type Address, parseChatName } from "./chat-name.ts";
import type { TelegramClient, Why } from "./client.ts";
import { contentsOf } from "./contents.ts";
import type { Step, StepEnd } from "./lanes.ts";
import type { Content, Part, Parts } from "./parts.ts";
import { isIdempotent, isTidying, sendPart } from "./send-part.ts";
import type { TelegramDatabase } from "./store.ts";
import { withoutTrouble } from "./without-trouble.ts";

/** Replies on their way to chats: durable, in order, each part once. */
export interface Outgoing {
  /** Settles what was under way when the process ended. Before the first step. */
  recover(): void;
  /**
   * Resolves when the last part is out or its failure is recorded for good. Rejects with `NotDeliveredError` while it is
   * certainly still owed and nothing more will be tried here.
   */
  deliver(delivery: Delivery): Promise<void>;
  /** Adds one part of a delivery of its own. May be part of a commit. */
  add(delivery: string, address: Address, content: Content & { readonly kind: "text" }): void;
  /** Shows a part once more. */
  showAgain(part: number, by: string): void;
  /** Takes away the keyboard of a part. */
  strip(part: number): void;
  /** What a chat has to do next. */
  next(chat: number): Step | undefined;
  /** What a failed call means for its whole chat, if it means that; the record of it is made. */
  failed(chat: number, why: Why): StepEnd | undefined;
  moved(from: number, to: number): void;
  shut(chat: number, why: string): void;
  /** Nothing more is tried: those who wait for a delivery hear that it is owed. */
  giveUp(why: string): void;
}

export interface OutgoingParts {
  readonly db: TelegramDatabase;
  readonly client: TelegramClient;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly parts: Parts;
  readonly chats: Chats;
  readonly buttons: Buttons;
  readonly asked: Asked;
  readonly wake: (chat: number) => void;
  /** Ends calls under way, as `unknown`. */
  readonly signal: AbortSignal;
  /** Why nothing is being tried at the time, if so. */
  readonly stillness: () => string | undefined;
  /** A delivery begins: nothing of its progress is shown any more. */
  readonly onDelivery: (request: string) => void;
}

const CUT_OFF = "I was cut off while answering, and cannot tell whether it arrived.";

export function createOutgoing(given: OutgoingParts): Outgoing {
  const { db, client, log, parts, chats, buttons, asked, wake } = given;
  const waiting = new Map<string, PromiseWithResolvers<void>>();

  const settle = (delivery: string): void => {
    if (parts.isOpen(delivery)) return;
    waiting.get(delivery)?.resolve();
    waiting.delete(delivery);
  };

  /** Nobody can tell whether a part arrived: it is not repeated, and whoever reads it is told so, once. */
  function cutOff(part: Part): void {
    const { n, delivery, address, content } = part;
    parts.unknown(n);
    if (content.kind === "text" && content.isNote) return;
    const { keyboard, meanings } = buttons.makeAgain(n);
    const note = { kind: "text", text: CUT_OFF, entities: [], keyboard, isNote: true } as const;
    buttons.keep(parts.add({ delivery, address, content: note, inPlaceOf: n }), meanings, true);
  }

  function shut(chat: number, why: string): void {
    if (chats.closedBy(chat) !== undefined) return;
    chats.close(chat, why);
    const ended = parts.failChat(chat, why);
    log.warn("a chat cannot be written to; nothing more is sent there until somebody writes from it", {
      chat,
      why,
      lostReplies: ended.length,
    });
    for (const delivery of ended) settle(delivery);
  }

  function moved(from: number, to: number): void {
    if (from === to) return;
    chats.move(from, to);
    parts.move(from, to);
    asked.move(from, to);
    log.info("a group became a supergroup", { from, to });
    wake(to);
  }

  function failed(chat: number, why: Why): StepEnd | undefined {
    switch (why.kind) {
      case "flood":
        log.debug("Telegram asks to wait", { chat, retryAfterMs: why.retryAfterMs });
        return { kind: "flood", retryAfterMs: why.retryAfterMs };
      case "closed":
        db.commit(() => shut(chat, why.text));
        return { kind: "done" };
      case "migrated":
        db.commit(() => moved(chat, why.chatId));
        return { kind: "done" };
      case "unauthorised":
        return { kind: "halt" };
      case "conflict":
      case "unreached":
        log.debug("Telegram was not reached", { chat, why: why.text });
        return { kind: "later" };
      case "refused":
        if (!/\bchat not found\b/i.test(why.text)) return undefined;
        db.commit(() => shut(chat, why.text));
        return { kind: "done" };
      case "unknown":
        return undefined;
      default:
        return why satisfies never;
    }
  }

  /** A part that Telegram will never take as it is: without what it stumbled over, or else recorded and told. */
  function refused(part: Part, text: string): void {
    const { n, delivery, address, content, message } = part;
    if (isTidying(content)) return parts.failed(n, text);
    const other = withoutTrouble(part, text);
    if (other) {
      log.debug("a part of a reply goes in another form", { delivery, part: n, why: text });
      return parts.change(n, other);
    }
    parts.failed(n, text);
    log.error("Telegram refused a part of a reply", {
      chat: address.chat,
      requestId: delivery,
      part: n,
      why: text,
    });
    if (content.kind === "text" && content.isNote) return;
    const words = `⚠️ Telegram refused a part of this answer, and it is missing here (${text}).\nE_NOT_SHOWN`;
    parts.add({
      delivery,
      address,
      content: { kind: "text", text: words, entities: [], isNote: true },
      inPlaceOf: n,
      ...(message === undefined ? {} : { message }),
    });
  }

  /** The first part of a reply takes the place of the message that showed how far the work was. */
  function begin(part: Part): Part {
    const row = asked.find(part.delivery);
    const shown = typeof row?.progress === "number" ? row.progress : undefined;
    const message = part.message ?? (part.content.kind === "text" ? shown : undefined);
    db.commit(() => {
      parts.sending(part.n, message);
      // Files cannot take a text's place.
      if (row && shown !== undefined && message === undefined) tidy(part.delivery, part.address, shown);
      if (row) asked.remove(part.delivery);
    });
    return message === undefined ? part : { ...part, message };
  }

  const tidy = (delivery: string, address: Address, message: number): void =>
    void parts.add({ delivery, address, content: { kind: "gone" }, message });

  async function send(ready: Part): Promise<StepEnd> {
    const part = begin(ready);
    const outcome = await sendPart(client, part, given.signal);
    if (outcome.kind === "done") {
      parts.sent(part.n, outcome.result);
      settle(part.delivery);
      return { kind: "done" };
    }
    const { why } = outcome;
    if (why.kind === "unknown" && !isIdempotent(part)) {
      log.warn("nobody can tell whether a part of a reply arrived", {
        requestId: part.delivery,
        why: why.text,
      });
      db.commit(() => cutOff(part));
    } else if (why.kind !== "refused" || /\bchat not found\b/i.test(why.text)) {
      parts.ready(part.n);
    } else {
      db.commit(() => refused(part, why.text));
    }
    const end = failed(part.address.chat, why);
    settle(part.delivery);
    return end ?? (why.kind === "unknown" && isIdempotent(part) ? { kind: "later" } : { kind: "done" });
  }

  /** Records the parts of a reply; from here on they are sent whatever happens to this process. */
  function record(delivery: Delivery, address: Address): void {
    const { requestId, reply, ending } = delivery;
    const row = asked.find(requestId);
    const closed = chats.closedBy(address.chat);
    if (closed !== undefined) {
      log.warn("a reply is not sent: its chat cannot be written to", { requestId, why: closed });
      parts.addNothing(requestId, address, closed);
      return asked.remove(requestId);
    }
    // Words bear the time at which they were written, presses none: whoever typed is answered in any case.
    if (reply.isShown && timeOfId(requestId) === undefined) {
      if (typeof row?.progress === "number") tidy(requestId, address, row.progress);
      else parts.addNothing(requestId, address);
      return asked.remove(requestId);
    }
    const keys = reply.buttons?.length ? buttons.make(reply.buttons) : undefined;
    const contents = contentsOf(delivery, { keyboard: keys?.keyboard, replyTo: row?.message });
    const numbers = contents.map((content) => parts.add({ delivery: requestId, address, content }));
    const carrier = numbers[contents.findIndex((content) => "keyboard" in content)];
    if (keys && carrier !== undefined) buttons.keep(carrier, keys.meanings, ending?.kind === "asked");
  }

  return {
    failed,
    moved,
    shut,
    recover() {
      db.commit(() => {
        for (const part of parts.interrupted()) {
          if (isIdempotent(part)) parts.ready(part.n);
          else cutOff(part);
        }
      });
    },
    async deliver(delivery) {
      const named = parseChatName(delivery.chat);
      if (!named) throw new Error(`${delivery.chat} is no chat of Telegram's`);
      const { requestId } = delivery;
      const address = { ...named, chat: chats.resolve(named.chat) };
      given.onDelivery(requestId);
      if (!parts.isKnown(requestId)) db.commit(() => record(delivery, address));
      if (!parts.isOpen(requestId)) return;
      const still = given.stillness();
      if (still !== undefined) throw new NotDeliveredError(still);
      const waiter = waiting.get(requestId) ?? Promise.withResolvers<void>();
      waiting.set(requestId, waiter);
      wake(address.chat);
      return waiter.promise;
    },
    add(delivery, address, content) {
      const at = { ...address, chat: chats.resolve(address.chat) };
      if (chats.closedBy(at.chat) !== undefined) return;
      parts.add({ delivery, address: at, content });
      wake(at.chat);
    },
    showAgain(n, by) {
      const part = parts.read(n);
      if (!part) return;
      const { delivery, address, content } = part;
      const at = { ...address, chat: chats.resolve(address.chat) };
      const copy = parts.add({ delivery: `${delivery} again ${by}`, address: at, content });
      buttons.move(n, copy);
      wake(at.chat);
    },
    strip(n) {
      const part = parts.place(n);
      if (part?.message === undefined) return;
      const { address, message } = part;
      const at = { ...address, chat: chats.resolve(address.chat) };
      parts.add({ delivery: `keyboard of ${n}`, address: at, content: { kind: "bare" }, message });
      wake(at.chat);
    },
    next(chat) {
      const part = parts.next(chat);
      return part && (() => send(part));
    },
    giveUp(why) {
      for (const { reject } of waiting.values()) reject(new NotDeliveredError(why));
      waiting.clear();
    },
  };
}
