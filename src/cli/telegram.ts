import { randomFillSync } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  createTelegramChannel,
  createTelegramClient,
  type TelegramChannel,
  type TelegramHealth,
} from "../capabilities/comm-gateway/telegram/index.ts";
import type { Config, TelegramSettings } from "../config.ts";
import type { Clock, FailureValue, Ids } from "../envelope/index.ts";
import { isFailure } from "../envelope/index.ts";
import type { ProcessLog } from "../log.ts";
import { openPeople, type People, peoplePath } from "../people/index.ts";
import type { Log } from "../sdk/context.ts";
import type { Room } from "../warroom/index.ts";
import { momentText } from "./moment.ts";
import { openRooms } from "./rooms.ts";

/** The bot of this process, and who may use it. */
export interface OpenTelegram {
  readonly channel: TelegramChannel;
  health(): TelegramHealth;
  /** Where the war room speaks. */
  readonly rooms: (log: Log) => readonly Room[];
  /** Closes what the channel stands on, once the channel is closed. */
  close(): Promise<void>;
}

export interface TelegramParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: ProcessLog;
  /** Says something to whoever started the process. */
  readonly tell: (line: string) => void;
}

const CHANNEL = "telegram";

/** Makes the Telegram channel; undefined without a token. It is not started, and nothing is asked of Telegram yet. */
export function openTelegram({
  config,
  clock,
  ids,
  log,
  tell,
}: TelegramParts): OpenTelegram | undefined | FailureValue {
  const { telegram } = config;
  if (!telegram) return undefined;
  const people = openPeople({
    path: peoplePath(config.dataDir),
    now: clock.now,
    random: randomFillSync,
    onVoid: () => {
      log.warn("too many wrong pairing codes were tried: those that were open are void");
      invitation.show();
    },
  });
  if (isFailure(people)) return people;
  const invitation = createInvitation({ people, clock, zone: config.zone, tell });
  const channel = createTelegramChannel({
    path: join(config.dataDir, "root", "telegram.db"),
    durability: config.durability,
    token: telegram.token,
    apiRoot: telegram.apiRoot,
    door: people,
    clock,
    ids,
    random: Math.random,
    log: log.child({ channel: CHANNEL }),
    onSelf({ username }) {
      invitation.begin(username);
    },
  });
  if (isFailure(channel)) {
    people.close();
    return channel;
  }
  const war = openTelegramRooms(telegram, { clock, ownerChat: () => ownerChatOf(people) });
  if (telegram.warRoomChat === undefined) {
    tell("WAR_ROOM_CHAT is not set: trouble is told in the owner's private chat with the bot.");
  }
  for (const { name } of people.seed(CHANNEL, telegram.allowedUsers)) {
    log.info("a user was let in by TELEGRAM_ALLOWED_USERS", { user: name });
  }
  return {
    channel,
    health: () => channel.health(),
    rooms: war.rooms,
    async close() {
      invitation.stop();
      await channel.close();
      war.close();
      people.close();
    },
  };
}

/** Where the war room speaks on Telegram. */
export interface OpenRooms {
  readonly rooms: (log: Log) => readonly Room[];
  /** Lets go of the connections. */
  close(): void;
}

/** Makes them. Nothing is asked of Telegram yet. */
export function openTelegramRooms(
  { token, apiRoot, warRoomChat }: TelegramSettings,
  { clock, ownerChat }: { readonly clock: Clock; readonly ownerChat: () => string | undefined },
): OpenRooms {
  const client = createTelegramClient({ token, apiRoot, clock });
  return {
    rooms: (log) => openRooms({ client, chat: warRoomChat, ownerChat }, log),
    close: () => client.close(),
  };
}

/** The same in a process that is not the root's: who is owner stands in the root's file, where that can be seen. */
export function ownerChatIn(dataDir: string): string | undefined {
  const path = peoplePath(dataDir);
  if (!existsSync(path)) return undefined;
  const people = openPeople({ path, now: Date.now, random: (into) => into, readOnly: true });
  if (isFailure(people)) return undefined;
  const chat = ownerChatOf(people);
  people.close();
  return chat;
}

/** The owner's private chat with the bot, which has the number of whoever it is with. */
export function ownerChatOf(people: Pick<People, "list">): string | undefined {
  const owners = people.list().filter(({ role }) => role === "owner");
  return owners.flatMap(({ identities }) => identities).find(({ channel }) => channel === CHANNEL)?.userId;
}

export interface Invitation {
  /** The bot's name is known. */
  begin(username: string): void;
  /** Shows the code that is valid now, if there is no owner yet and it was not shown already. */
  show(): void;
  stop(): void;
}

/** Tells whoever started the process how to become the bot's owner, for as long as there is none. */
export function createInvitation({
  people,
  clock,
  zone,
  tell,
}: Pick<TelegramParts, "clock" | "tell"> & { readonly people: People; readonly zone: string }): Invitation {
  let username: string | undefined;
  let shown: string | undefined;
  let stopTimer: (() => void) | undefined;

  function show(): void {
    stopTimer?.();
    const made = username === undefined ? undefined : people.ownerCode();
    if (!made) return;
    if (made.code !== shown) {
      const until = momentText(made.expires, zone).slice(11, 16);
      tell(`Send /pair ${made.code} to @${username} to become its owner (valid 1 hour, until ${until}).`);
    }
    shown = made.code;
    stopTimer = clock.after(made.expires - clock.now() + 1, show);
  }

  return {
    begin(name) {
      username = name;
      show();
    },
    show,
    stop: () => stopTimer?.(),
  };
}
