import type { Clock } from "../../../src/envelope/index.ts";
import type { Happenings } from "./happenings.ts";
import type { Button, Entity, User } from "./shapes.ts";
import type { Updates } from "./updates.ts";

/** A person who writes to the bot or beside it. */
export type Person = User & { readonly is_bot: false };

/** How a message looked at one time. */
export interface Look {
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly keyboard: readonly (readonly Button[])[];
}

export interface Stored extends Look {
  readonly id: number;
  readonly from: User;
  readonly date: number;
  readonly isSilent: boolean;
  readonly isProtected: boolean;
  readonly replyTo: number | undefined;
  readonly threadId: number | undefined;
  readonly isPhoto: boolean;
  readonly mediaGroupId: string | undefined;
  readonly editedAt: number | undefined;
  /** Earlier looks, the oldest first. */
  readonly history: readonly Look[];
  readonly isDeleted: boolean;
  readonly isPinned: boolean;
  readonly reactions: readonly string[];
}

/** Where the bot stands with a chat. */
export type Standing = "welcome" | "blocked" | "deactivated" | "not started" | "kicked";

/** What the server knows of a chat. Messages are replaced, never changed, so that a look at one stays as it was. */
export interface ChatRecord {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup";
  readonly title: string | undefined;
  readonly person: Person | undefined;
  readonly members: Map<number, Person>;
  readonly isForum: boolean;
  readonly topics: Map<number, string>;
  standing: Standing;
  migratedTo: number | undefined;
  messages: Stored[];
  /** What the bot did here, in order: each a look at a message just sent, edited or deleted. */
  readonly changes: Stored[];
  nextId: number;
}

/** A button press that the bot may answer. */
export interface Press {
  readonly id: string;
  readonly label: string;
  state: "open" | "answered" | "expired";
  toast: Toast | undefined;
}

/** What a person saw after pressing a button. No text: the button only stopped glowing. */
export interface Toast {
  readonly text: string;
  readonly isAlert: boolean;
}

export interface MenuCommand {
  readonly command: string;
  readonly description: string;
}

/** All that the server remembers. */
export interface World {
  readonly bot: User & { readonly username: string };
  readonly canReadAll: boolean;
  readonly clock: Clock;
  readonly happenings: Happenings;
  readonly updates: Updates;
  readonly chats: Map<number, ChatRecord>;
  readonly people: Map<number, Person>;
  readonly presses: Map<string, Press>;
  /** By scope and language, as `setMyCommands` named them. */
  readonly menus: Map<string, readonly MenuCommand[]>;
}

export function findMessage(chat: ChatRecord, id: number | undefined): Stored | undefined {
  return chat.messages.find((message) => message.id === id && !message.isDeleted);
}

/** Adds a message; what is left out of it is absent or false. */
export function addMessage(
  world: World,
  chat: ChatRecord,
  message: Pick<Stored, "from" | "text" | "entities"> & Partial<Omit<Stored, "id" | "date">>,
): Stored {
  const stored: Stored = {
    keyboard: [],
    isSilent: false,
    isProtected: false,
    replyTo: undefined,
    threadId: undefined,
    isPhoto: false,
    mediaGroupId: undefined,
    editedAt: undefined,
    history: [],
    isDeleted: false,
    isPinned: false,
    reactions: [],
    ...message,
    id: chat.nextId,
    date: Math.floor(world.clock.now() / 1000),
  };
  chat.nextId += 1;
  chat.messages.push(stored);
  if (stored.from.id === world.bot.id) chat.changes.push(stored);
  world.happenings.tell();
  return stored;
}

/** Puts something else in place of what a message was; `byBot`: the bot did it, and whoever waits for that hears of it. */
export function changeMessage(
  world: World,
  chat: ChatRecord,
  change: Partial<Stored> & { readonly id: number; readonly byBot?: boolean },
): Stored | undefined {
  const { byBot = false, ...fields } = change;
  const at = chat.messages.findIndex(({ id }) => id === change.id);
  const before = chat.messages[at];
  if (!before) return undefined;
  const after: Stored = { ...before, ...fields };
  chat.messages[at] = after;
  if (byBot) chat.changes.push(after);
  world.happenings.tell();
  return after;
}

/** A message's new look, with the old one in its history. */
export function relook(world: World, message: Stored, look: Look): Partial<Stored> & { readonly id: number } {
  const { text, entities, keyboard } = message;
  return {
    ...look,
    id: message.id,
    editedAt: Math.floor(world.clock.now() / 1000),
    history: [...message.history, { text, entities, keyboard }],
  };
}
