import { type Clock, systemClock } from "../../../src/envelope/index.ts";
import { type Call, type CallBook, createCalls } from "./calls.ts";
import { type Chat, createChat } from "./chat.ts";
import { createFaults, type Faults } from "./faults.ts";
import { createHappenings } from "./happenings.ts";
import { menuIn } from "./menus.ts";
import { openServer, type Server } from "./server.ts";
import type { User } from "./shapes.ts";
import { createUpdates } from "./updates.ts";
import type { ChatRecord, MenuCommand, Person, World } from "./world.ts";

export type { Call } from "./calls.ts";
export type { Chat, Message } from "./chat.ts";
export type { Faults } from "./faults.ts";
export type { User } from "./shapes.ts";
export type { MenuCommand, Person } from "./world.ts";

/** A Bot API server with one bot, and the people who write to it. */
export interface BotApi extends AsyncDisposable {
  /** Where the bot finds it: what stands in front of `/bot<token>/method`. */
  readonly url: string;
  readonly token: string;
  readonly bot: User & { readonly username: string };
  person(person: {
    readonly id: number;
    readonly firstName: string;
    readonly username?: string;
    readonly languageCode?: string;
  }): Person;
  /** Somebody's chat with the bot. The bot may write there once they have, or when it `isStarted` already. */
  privateChat(person: Person, options?: { readonly isStarted?: boolean }): Chat;
  /** A group with the bot in it; a forum is a supergroup. */
  group(group: {
    readonly title: string;
    readonly members: readonly Person[];
    readonly isSupergroup?: boolean;
    readonly isForum?: boolean;
    readonly id?: number;
  }): Chat;
  /** Sends any other update, as `{ channel_post: … }`. Its id; undefined: the bot asked for no such kind. */
  push(update: Readonly<Record<string, unknown>>): number | undefined;
  /** How many updates wait for the bot, or were given to it and not confirmed. */
  readonly pending: number;
  /** The next update is numbered so, lower than the last one or not. */
  restartUpdateIdsAt(id: number): void;
  /** Presses that nobody has answered are too old to be answered now. */
  expirePresses(): void;
  /** Every call so far, in the order in which they came. */
  readonly calls: readonly Call[];
  readonly called: CallBook["called"];
  readonly faults: Faults;
  /** The commands that a menu holds; without arguments, the default one. */
  menu(scope?: Readonly<Record<string, unknown>>, languageCode?: string): readonly MenuCommand[];
  close(): Promise<void>;
}

const FIRST_GROUP = -4_000_000;
const FIRST_SUPERGROUP = -1_002_000_000_000;

/**
 * Serves the Bot API on the loopback.
 *
 * @param options.token As BotFather gives them, `<bot id>:<secret>`.
 * @param options.username The bot's, without "@".
 * @param options.canReadAll The bot sees everything that is written in its groups.
 * @param options.clock For dates, the timeouts of long polls and the life of updates.
 * @param options.random Where update ids begin: from 0 up to 1.
 */
export async function createBotApi({
  token,
  username,
  firstName = username,
  canReadAll = false,
  clock = systemClock(),
  random = Math.random,
}: {
  readonly token: string;
  readonly username: string;
  readonly firstName?: string;
  readonly canReadAll?: boolean;
  readonly clock?: Clock;
  readonly random?: () => number;
}): Promise<BotApi> {
  const happenings = createHappenings();
  const calls = createCalls(happenings, () => clock.now());
  let server: Server | undefined = undefined;
  const faults = createFaults(happenings, () => server?.meetHeld());
  const updates = createUpdates(clock, 1 + Math.floor(random() * 900_000_000));
  const bot = { id: Number(token.split(":")[0]), is_bot: true, first_name: firstName, username };
  const world: World = {
    bot,
    canReadAll,
    clock,
    happenings,
    updates,
    chats: new Map(),
    people: new Map(),
    presses: new Map(),
    menus: new Map(),
  };
  const opened = await openServer({ token, world, calls, faults });
  server = opened;

  function add(chat: Pick<ChatRecord, "id" | "type" | "members"> & Partial<ChatRecord>): ChatRecord {
    if (world.chats.has(chat.id)) throw new Error(`Chat ${chat.id} is there already`);
    const record: ChatRecord = {
      title: undefined,
      person: undefined,
      isForum: false,
      topics: new Map(),
      standing: "welcome",
      migratedTo: undefined,
      messages: [],
      changes: [],
      // The first message of a forum is its making, and names its general topic.
      nextId: chat.isForum ? 2 : 1,
      ...chat,
    };
    world.chats.set(record.id, record);
    return record;
  }

  function upgraded({ title, members }: ChatRecord): ChatRecord {
    return add({
      id: FIRST_SUPERGROUP - world.chats.size,
      type: "supergroup",
      title,
      members: new Map(members),
    });
  }

  async function close(): Promise<void> {
    happenings.end();
    faults.endAll();
    await opened.close();
  }

  return {
    url: opened.url,
    token,
    bot,
    person({ id, firstName, username, languageCode }) {
      const person: Person = {
        id,
        is_bot: false,
        first_name: firstName,
        ...(username !== undefined && { username }),
        ...(languageCode !== undefined && { language_code: languageCode }),
      };
      world.people.set(id, person);
      return person;
    },
    privateChat(person, { isStarted = false } = {}) {
      const standing = isStarted ? "welcome" : "not started";
      const members = new Map([[person.id, person]]);
      const record = add({ id: person.id, type: "private", person, members, standing });
      return createChat(world, record, () => upgraded(record));
    },
    group({ title, members, isForum = false, isSupergroup = isForum, id }) {
      const type = isSupergroup ? "supergroup" : "group";
      const first = isSupergroup ? FIRST_SUPERGROUP : FIRST_GROUP;
      const record = add({
        id: id ?? first - world.chats.size,
        type,
        title,
        isForum,
        members: new Map(members.map((member) => [member.id, member])),
      });
      return createChat(world, record, () => upgraded(record));
    },
    push(update) {
      const [kind, content] = Object.entries(update)[0] ?? [];
      return kind === undefined ? undefined : updates.push(kind, content);
    },
    get pending() {
      return updates.pending.length;
    },
    restartUpdateIdsAt: (id) => updates.restartAt(id),
    expirePresses() {
      for (const press of world.presses.values()) if (press.state === "open") press.state = "expired";
      happenings.tell();
    },
    calls: calls.all,
    called: calls.called,
    faults,
    menu: (scope, languageCode) =>
      menuIn(world, {
        ...(scope && { scope }),
        ...(languageCode !== undefined && { language_code: languageCode }),
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
