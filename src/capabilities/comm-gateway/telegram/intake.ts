import type { Clock } from "../../../envelope/clock.ts";
import type { Log } from "../../../sdk/context.ts";
import type { ChannelInbound } from "../ports.ts";
import type { Self } from "./address.ts";
import type { TelegramClient } from "./client.ts";
import type { Door, WayOut } from "./intake-ports.ts";
import { createIntakeStore, type Stored } from "./intake-store.ts";
import {
  BUTTON_GONE,
  NO_WORDS,
  ONLY_MY_NAME,
  PRESS_REFUSED,
  TOO_MANY_WORDS,
  WORDS_LIMIT_BYTES,
} from "./intake-words.ts";
import { JOIN_MS, joinWords } from "./joins.ts";
import { createPressAnswers } from "./press-answers.ts";
import type { TelegramDatabase } from "./store.ts";
import { createTaking } from "./take-updates.ts";
import type { Pressed, Words } from "./updates.ts";

/** The channel's name, as identities of people bear it. */
const CHANNEL = "telegram";
/** What stands on the war room's buttons begins so; its words are a command. */
const WAR_ROOM = "wr.";
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

export interface IntakeParts {
  readonly db: TelegramDatabase;
  readonly client: Pick<TelegramClient, "call">;
  readonly clock: Clock;
  readonly door: Door;
  readonly out: WayOut;
  readonly log: Log;
}

/** The way of words and presses from Telegram to the core. */
export interface Intake {
  /** Makes a batch of updates durable; throws when it cannot, and then the batch must not be confirmed. */
  take(updates: readonly unknown[], self: Self): void;
  /** Begins to hand over, what an earlier run left first. */
  start(accept: (inbound: ChannelInbound) => Promise<void>): void;
  /** Hands nothing more over; what is left stays stored. Resolves when what is under way has ended. */
  close(): Promise<void>;
}

/** Makes the intake. The order of each chat is kept, and a chat whose words cannot be handed over holds up no other. */
export function createIntake({ db, client, clock, door, out, log }: IntakeParts): Intake {
  const store = createIntakeStore(db);
  const take = createTaking({ db, store, out, clock, log });
  const answers = createPressAnswers({ client, log });
  const working = new Map<string, Promise<void>>();
  /** Until when a chat's newest row waits for what may belong to it; rows of an earlier run wait no more. */
  const joinUntil = new Map<string, { readonly n: number; readonly ms: number }>();
  /** Ends the wait of a chat early. */
  const joined = new Map<string, () => void>();
  const retrying = new Set<() => void>();
  let accept: ((inbound: ChannelInbound) => Promise<void>) | undefined;
  let isClosed = false;

  const mayUse = ({ sender }: Words | Pressed): boolean => door.find(CHANNEL, sender.userId) !== undefined;

  /** The last that is done about rows, together with something said. */
  const finish = (rows: readonly Stored[], change: () => void): void =>
    db.commit(() => {
      change();
      store.remove(rows);
    });

  async function hand(rows: readonly Stored[], body: Words | Pressed, text: string): Promise<void> {
    const { id, chat, messageId, isGroup, sender } = body;
    out.asked({ id, chat, messageId, isGroup });
    const { language, zone } = door.find(CHANNEL, sender.userId) ?? {};
    await accept?.({
      id,
      chat,
      person: sender.userId,
      name: sender.name,
      text,
      ...(language === undefined ? {} : { language }),
      ...(zone === undefined ? {} : { zone }),
    });
    store.remove(rows);
  }

  function knock(words: Words, text: string): void {
    // In a group only whoever turns to the bot beyond doubt is spoken to.
    if (words.isGroup && !words.isCalled) return;
    const { sender, chat } = words;
    const knocked = door.knock(CHANNEL, { ...sender, text });
    if (knocked.kind !== "silent") out.tell(chat, knocked.text, words);
  }

  async function handWords(rows: readonly Stored[], pieces: readonly Words[]): Promise<void> {
    const [first] = pieces;
    if (!first) return;
    const text = joinWords(pieces);
    if (!mayUse(first) || door.isPairing(text)) return finish(rows, () => knock(first, text));
    if (text === "") {
      const hasMedia = pieces.some((piece) => piece.hasMedia);
      return finish(rows, () => out.tell(first.chat, hasMedia ? NO_WORDS : ONLY_MY_NAME, first));
    }
    if (Buffer.byteLength(text) > WORDS_LIMIT_BYTES) {
      return finish(rows, () => out.tell(first.chat, TOO_MANY_WORDS, first));
    }
    return hand(rows, first, text);
  }

  /** Presses are answered before anything is done about them: Telegram lets the button wait for seconds only. */
  function answer(press: Pressed): boolean {
    const isAllowed = mayUse(press);
    answers.answer(press, isAllowed ? undefined : PRESS_REFUSED);
    return isAllowed;
  }

  async function handPress(rows: readonly Stored[], press: Pressed): Promise<void> {
    if (!answer(press)) return store.remove(rows);
    if (press.payload.startsWith(WAR_ROOM)) return hand(rows, press, `/incident_press ${press.payload}`);
    const behind = db.commit(() => {
      const found = out.press(press.payload, press.chat);
      if (found.kind === "gone") out.tell(press.chat, BUTTON_GONE, press);
      if (found.kind !== "say") store.remove(rows);
      return found;
    });
    if (behind.kind === "say") await hand(rows, press, behind.text);
  }

  async function handOver(rows: readonly Stored[]): Promise<void> {
    const bodies = rows.map(({ body }) => body);
    const [first] = bodies;
    if (first?.kind === "press") return handPress(rows, first);
    return handWords(
      rows,
      bodies.filter((body) => body.kind === "words"),
    );
  }

  async function sleep(ms: number, until: (wake: () => void) => void): Promise<void> {
    const woken = Promise.withResolvers<void>();
    const stop = clock.after(ms, woken.resolve);
    until(woken.resolve);
    await woken.promise;
    stop();
  }

  /** The next rows of a chat that belong together; undefined when there may come more of them, which was waited for. */
  async function nextRows(chat: string): Promise<readonly Stored[] | undefined> {
    const rows = store.next(chat);
    const last = rows.at(-1);
    if (!last?.opens) {
      if (rows.some(({ n }) => n === joinUntil.get(chat)?.n)) joinUntil.delete(chat);
      return rows;
    }
    const wait = joinUntil.get(chat);
    const waitMs = wait?.n === last.n ? wait.ms - clock.monotonic() : 0;
    if (waitMs > 0) {
      await sleep(waitMs, (wake) => joined.set(chat, wake));
      joined.delete(chat);
      return undefined;
    }
    store.shut(last.n);
    joinUntil.delete(chat);
    return rows;
  }

  async function work(chat: string): Promise<void> {
    let failures = 0;
    while (!isClosed) {
      try {
        const rows = await nextRows(chat);
        if (rows?.length === 0) break;
        if (rows && !isClosed) await handOver(rows);
        failures = 0;
      } catch (error) {
        failures += 1;
        log.warn("what came in waits, since it could not be handed over", { chat, error: String(error) });
        const ms = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 5));
        let wake: (() => void) | undefined;
        if (!isClosed) await sleep(ms, (resolve) => retrying.add((wake = resolve)));
        if (wake) retrying.delete(wake);
      }
    }
  }

  function wake(chat: string): void {
    joined.get(chat)?.();
    if (isClosed || !accept || working.has(chat)) return;
    const ended = work(chat).finally(() => {
      working.delete(chat);
      // Something may have come just as the last look was taken.
      if (!isClosed && store.next(chat).length > 0) wake(chat);
    });
    working.set(chat, ended);
  }

  return {
    take(updates, self) {
      const taken = take(updates, self);
      for (const { n, body, opens } of taken) {
        if (opens) joinUntil.set(body.chat, { n, ms: clock.monotonic() + JOIN_MS });
        if (body.kind === "press") answer(body);
      }
      for (const chat of new Set(taken.map(({ body }) => body.chat))) wake(chat);
    },
    start(to) {
      accept = to;
      for (const chat of store.chats()) wake(chat);
    },
    async close() {
      isClosed = true;
      for (const end of [...joined.values(), ...retrying]) end();
      await Promise.all([...working.values(), answers.close()]);
    },
  };
}
