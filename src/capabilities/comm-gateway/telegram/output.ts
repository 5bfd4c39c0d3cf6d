import type { Clock } from "../../../envelope/clock.ts";
import type { Ids } from "../../../envelope/ids.ts";
import type { Log } from "../../../sdk/context.ts";
import type { Delivery } from "../ports.ts";
import { createAsked } from "./asked.ts";
import { createButtons } from "./buttons.ts";
import { createChats } from "./chats.ts";
import { parseChatName } from "./chat-name.ts";
import type { TelegramClient } from "./client.ts";
import type { WayOut } from "./intake-ports.ts";
import { createLanes } from "./lanes.ts";
import { createOutgoing } from "./outgoing.ts";
import { createPace } from "./pace.ts";
import { createParts } from "./parts.ts";
import { createProgress } from "./progress.ts";
import { renderMarkup } from "./render-telegram.ts";
import type { TelegramDatabase } from "./store.ts";

/** The way out to Telegram: replies, what is shown while work runs, and what stands behind buttons. */
export interface Output extends WayOut {
  /** Takes up what is owed since the last run. */
  start(): void;
  /** See `Channel.deliver`. */
  deliver(delivery: Delivery): Promise<void>;
  /** See `Channel.progress`. */
  progress(requestId: string, text: string, fraction?: number): void;
  /** The token works again. */
  resume(): void;
  health(): OutputHealth;
  /** Begins nothing more; calls under way may take `graceMs`, and are then ended. */
  close(graceMs: number): Promise<void>;
}

export interface OutputHealth {
  /** Whether Telegram refuses the token: nothing is sent. */
  readonly isHalted: boolean;
  /** Parts of replies that are on their way. */
  readonly open: number;
  /** Parts of replies that were given up, in the last weeks. */
  readonly failed: number;
}

export interface OutputParts {
  readonly db: TelegramDatabase;
  readonly client: TelegramClient;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longer than the core may deliver the same reply again. */
const KEEP_MS = { parts: 30 * DAY_MS, buttons: 90 * DAY_MS, asked: 8 * DAY_MS } as const;
const UNAUTHORISED = "Telegram refuses the bot's token";

export function createOutput({ db, client, clock, ids, log }: OutputParts): Output {
  const now = (): number => clock.now();
  const parts = createParts(db, now);
  const chats = createChats(db);
  const asked = createAsked(db);
  const buttons = createButtons({ db, ids, now });
  const ended = new AbortController();
  let stillness: string | undefined = "the Telegram channel has not started";

  const lanes = createLanes({
    clock,
    pace: createPace(clock),
    next: (chat) => outgoing.next(chat) ?? progress.next(chat),
    onHalt() {
      stillness = UNAUTHORISED;
      log.error(`${UNAUTHORISED}: nothing is sent. Correct TELEGRAM_BOT_TOKEN and start again.`);
      outgoing.giveUp(UNAUTHORISED);
    },
    onFault: (error) => log.error("a step towards Telegram broke", { error: String(error) }),
  });
  const wake = (chat: number): void => lanes.wake(chat);
  const outgoing = createOutgoing({
    db,
    client,
    clock,
    log,
    parts,
    chats,
    buttons,
    asked,
    wake,
    signal: ended.signal,
    stillness: () => stillness,
    onDelivery: (request) => progress.end(request),
  });
  const progress = createProgress({
    client,
    clock,
    asked,
    parts,
    wake,
    heldMs: (chat) => lanes.heldMs(chat),
    isStill: () => stillness !== undefined,
    failed: outgoing.failed,
    signal: ended.signal,
  });

  const goOn = (): void => {
    stillness = undefined;
    progress.start();
    for (const chat of parts.openChats()) wake(chat);
  };

  return {
    start() {
      outgoing.recover();
      const at = now();
      parts.prune(at - KEEP_MS.parts);
      buttons.prune(at - KEEP_MS.buttons);
      asked.prune(at - KEEP_MS.asked);
      goOn();
    },
    deliver: outgoing.deliver,
    progress: progress.tell,
    resume() {
      if (!lanes.isHalted()) return;
      log.info("Telegram takes the bot's token again");
      lanes.resume();
      goOn();
    },
    asked({ id, chat, messageId, isGroup }) {
      const address = parseChatName(chat);
      if (!address || parts.isKnown(id)) return;
      const answers = isGroup && messageId !== undefined ? { message: messageId } : {};
      asked.add({ request: id, address, at: now(), ...answers });
      progress.begin(id);
    },
    tell(chat, text, answers) {
      const address = parseChatName(chat);
      if (!address) return;
      const replyTo = answers?.isGroup ? answers.messageId : undefined;
      const content = {
        kind: "text",
        ...renderMarkup(text),
        ...(replyTo === undefined ? {} : { replyTo }),
      } as const;
      outgoing.add(ids.next(), address, content);
    },
    press(payload, chat) {
      const button = buttons.find(payload);
      const home = button && parts.place(button.part)?.address.chat;
      const here = parseChatName(chat)?.chat;
      if (!button || home === undefined || here === undefined) return { kind: "gone" };
      if (chats.resolve(home) !== chats.resolve(here)) return { kind: "gone" };
      buttons.press(button);
      if (button.isOnce && !button.isPressed) outgoing.strip(button.part);
      // The same press may come again, when its words could not be handed over the first time.
      if ("say" in button.does) return { kind: "say", text: button.does.say };
      if (button.isPressed) return { kind: "gone" };
      outgoing.showAgain(button.does.showAgain, button.id);
      return { kind: "done" };
    },
    moved: outgoing.moved,
    shut: outgoing.shut,
    opened: (chat) => chats.reopen(chat),
    health: () => ({ isHalted: lanes.isHalted(), ...parts.count() }),
    async close(graceMs) {
      stillness = "the Telegram channel is closed";
      progress.close();
      const stop = clock.after(graceMs, () => ended.abort());
      await lanes.close();
      stop();
      ended.abort();
      outgoing.giveUp(stillness);
    },
  };
}
