import type { Entity } from "./shapes.ts";
import { describeMessage, markSpeech, reachesBot } from "./speech.ts";
import { messageJson } from "./wire.ts";
import {
  addMessage,
  changeMessage,
  type ChatRecord,
  type Person,
  type Press,
  relook,
  type Stored,
  type Toast,
  type World,
} from "./world.ts";

/** A message as people see it, at the moment at which it was looked at. */
export interface Message extends Stored {
  readonly isFromBot: boolean;
  /** The labels of its buttons, row by row. */
  readonly buttons: readonly (readonly string[])[];
}

/** What tells a message from others: part of its text, a pattern, or anything about it. */
export type Match = string | RegExp | ((message: Message) => boolean);

export interface Speech {
  readonly replyTo?: { readonly id: number };
  /** Instead of the commands and mentions that a client marks by itself. */
  readonly entities?: readonly Entity[];
  readonly threadId?: number;
  /** A photo; the text is its caption. */
  readonly isPhoto?: boolean;
  /** A photo of an album. */
  readonly mediaGroupId?: string;
}

/** A chat, from the side of the people in it. */
export interface Chat {
  readonly id: number;
  readonly type: ChatRecord["type"];
  /** Everything written here as it looks now, in order; what was deleted says so. */
  readonly messages: readonly Message[];
  /** Somebody writes. In a private chat that also starts it, or takes the bot back that was blocked. */
  says(person: Person, text: string, speech?: Speech): Message;
  /** Somebody changes what they wrote. */
  edits(person: Person, message: { readonly id: number }, text: string): Message;
  /** Somebody presses a button, by its label or its place counted from 0. Undefined: it was never answered, and expired. */
  presses(
    person: Person,
    message: { readonly id: number },
    button: string | number,
  ): Promise<Toast | undefined>;
  /**
   * The next message that the bot sends, edits or deletes here and that suits, counted from the one that the last call
   * of `next` gave; what came since then is looked at first. The message is as it was at that moment.
   */
  next(match?: Match, options?: { readonly timeoutMs?: number }): Promise<Message>;
  /** Somebody deletes a message, without a word to the bot. */
  deletes(message: { readonly id: number }): void;
  /** What the bot may do here from now on; "welcome" takes it back. */
  stands(standing: ChatRecord["standing"]): void;
  /** Opens a topic of a forum: its thread id. */
  opensTopic(name: string): number;
  deletesTopic(threadId: number): void;
  /** The group becomes a supergroup with an id of its own; the bot is told, unless it is not. */
  migrates(options?: { readonly isTold?: boolean }): Chat;
}

/** @param upgrade Makes the supergroup that a group becomes. */
export function createChat(world: World, record: ChatRecord, upgrade: () => ChatRecord): Chat {
  let seen = 0;

  const show = (stored: Stored): Message => ({
    ...stored,
    isFromBot: stored.from.id === world.bot.id,
    buttons: stored.keyboard.map((row) => row.map(({ text }) => text)),
  });
  const tell = (kind: string, stored: Stored): void => {
    if (reachesBot(world, record, stored)) world.updates.push(kind, messageJson(record, stored));
  };
  const mustBeIn = (person: Person): void => {
    if (!record.members.has(person.id))
      throw new Error(`${person.first_name} is no member of chat ${record.id}`);
  };
  const must = (id: number): Stored => {
    const stored = record.messages.find((message) => message.id === id && !message.isDeleted);
    if (!stored) throw new Error(`No message #${id} in chat ${record.id}`);
    return stored;
  };

  return {
    id: record.id,
    type: record.type,
    get messages() {
      return record.messages.map(show);
    },
    says(
      person,
      text,
      { replyTo, entities = markSpeech(text), threadId, isPhoto = false, mediaGroupId } = {},
    ) {
      mustBeIn(person);
      if (record.type === "private") record.standing = "welcome";
      const stored = addMessage(world, record, {
        from: person,
        text,
        entities,
        replyTo: replyTo?.id,
        threadId,
        isPhoto: isPhoto || mediaGroupId !== undefined,
        mediaGroupId,
      });
      tell("message", stored);
      return show(stored);
    },
    edits(person, message, text) {
      const before = must(message.id);
      if (before.from.id !== person.id)
        throw new Error(`${person.first_name} did not write message #${message.id}`);
      const look = { text, entities: markSpeech(text), keyboard: before.keyboard };
      const after = changeMessage(world, record, relook(world, before, look)) ?? before;
      tell("edited_message", after);
      return show(after);
    },
    async presses(person, message, button) {
      mustBeIn(person);
      const stored = must(message.id);
      const buttons = stored.keyboard.flat();
      const pressed =
        typeof button === "number" ? buttons[button] : buttons.find(({ text }) => text === button);
      if (pressed?.callback_data === undefined) {
        throw new Error(`No button ${button} to press on ${describeMessage(stored, world.bot)}`);
      }
      const press: Press = {
        id: String(4_000_000_000_000_000n + BigInt(world.presses.size)),
        label: pressed.text,
        state: "open",
        toast: undefined,
      };
      world.presses.set(press.id, press);
      const updateId = world.updates.push("callback_query", {
        id: press.id,
        from: person,
        message: messageJson(record, stored),
        chat_instance: String(record.id),
        data: pressed.callback_data,
      });
      if (updateId === undefined) throw new Error("The bot asked for no callback_query in allowed_updates");
      await world.happenings.until(() => (press.state === "open" ? undefined : press.state), {
        what: `an answer to the press of ${press.label}`,
        there: () =>
          [...world.presses.values()].map(({ id, label, state }) => `press ${id} of ${label}: ${state}`),
      });
      return press.toast;
    },
    async next(match = () => true, options = {}) {
      const suits = matcher(match);
      const index = await world.happenings.until(
        () => {
          const at = record.changes.findIndex((change, index) => index >= seen && suits(show(change)));
          return at < 0 ? undefined : at;
        },
        {
          ...options,
          what: `a message in chat ${record.id} that is ${typeof match === "function" ? "wanted" : String(match)}`,
          there: () => record.messages.map((stored) => describeMessage(stored, world.bot)),
        },
      );
      seen = index + 1;
      const change = record.changes[index];
      if (!change) throw new Error("A change that was there is gone");
      return show(change);
    },
    deletes(message) {
      changeMessage(world, record, { id: must(message.id).id, isDeleted: true });
    },
    stands(standing) {
      record.standing = standing;
    },
    opensTopic(name) {
      if (!record.isForum) throw new Error(`Chat ${record.id} is no forum`);
      const threadId = record.nextId;
      record.nextId += 1;
      record.topics.set(threadId, name);
      return threadId;
    },
    deletesTopic(threadId) {
      record.topics.delete(threadId);
      for (const { id } of record.messages.filter((message) => message.threadId === threadId)) {
        changeMessage(world, record, { id, isDeleted: true });
      }
    },
    migrates({ isTold = true } = {}) {
      const raised = upgrade();
      if (isTold) {
        const service = (chat: ChatRecord, field: Record<string, number>): void => {
          const [from] = chat.members.values();
          const {
            date,
            message_id,
            chat: about,
          } = messageJson(chat, addMessage(world, chat, { from: from ?? world.bot, text: "", entities: [] }));
          world.updates.push("message", { message_id, date, chat: about, from, ...field });
        };
        service(record, { migrate_to_chat_id: raised.id });
        service(raised, { migrate_from_chat_id: record.id });
      }
      record.migratedTo = raised.id;
      return createChat(world, raised, upgrade);
    },
  };
}

function matcher(match: Match): (message: Message) => boolean {
  if (typeof match === "function") return match;
  if (typeof match === "string") return ({ text }) => text.includes(match);
  return ({ text }) => match.test(text);
}
