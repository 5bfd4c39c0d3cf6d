import {
  createTelegramRoom,
  parseChatName,
  type TelegramClient,
} from "../capabilities/comm-gateway/telegram/index.ts";
import type { Log } from "../sdk/context.ts";
import { createLogRoom, type Room } from "../warroom/index.ts";

/** Where the war room speaks, where there is a bot. */
export interface RoomParts {
  readonly client: TelegramClient;
  /** The chat that the settings name, as `<id>` or `<id>/<topic>`. */
  readonly chat: string | undefined;
  /** The owner's private chat, once there is an owner. */
  readonly ownerChat: () => string | undefined;
}

/**
 * The rooms in the order in which they are tried: the chat of the settings, its general topic, the owner's private chat, and
 * the log, which takes everything.
 */
export function openRooms(parts: RoomParts, log: Log): readonly Room[] {
  const { client, chat } = parts;
  const named = chat === undefined ? undefined : parseChatName(chat);
  const inChat = named ? [createTelegramRoom({ client, name: `chat ${chat}`, address: named, log })] : [];
  const general =
    named?.topic === undefined
      ? []
      : [createTelegramRoom({ client, name: `general ${named.chat}`, address: { chat: named.chat }, log })];
  return [...inChat, ...general, createOwnerRoom(parts, log), createLogRoom(log)];
}

/** The private chat of whoever is the owner at the moment; nobody may be that yet. */
function createOwnerRoom({ client, ownerChat }: RoomParts, log: Log): Room {
  let room: { readonly chat: string; readonly at: Room } | undefined;
  const now = (): Room | undefined => {
    const chat = ownerChat();
    const address = chat === undefined ? undefined : parseChatName(chat);
    if (chat === undefined || !address) return undefined;
    if (room?.chat !== chat) room = { chat, at: createTelegramRoom({ client, name: "owner", address, log }) };
    return room.at;
  };
  const nobody = {
    kind: "failed",
    why: { kind: "chat_gone", text: "there is no owner yet whose chat it could be" },
  } as const;
  return {
    name: "owner",
    post: (post) => now()?.post(post) ?? Promise.resolve(nobody),
    edit: (ref, edit) => now()?.edit(ref, edit) ?? Promise.resolve(nobody),
  };
}
