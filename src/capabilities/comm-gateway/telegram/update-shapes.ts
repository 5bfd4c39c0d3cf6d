import { z } from "zod";

/** As much of the Bot API's objects as is read here; everything else in them passes unread. */

const User = z.looseObject({
  id: z.int(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default(""),
  last_name: z.string().optional(),
  username: z.string().optional(),
});
export type User = z.output<typeof User>;

const Chat = z.looseObject({ id: z.int(), type: z.string() });

/** `offset` and `length` are in UTF-16 code units. */
const Entity = z.looseObject({
  type: z.string(),
  offset: z.int().min(0),
  length: z.int().min(0),
  user: User.optional(),
});
export type Entity = z.output<typeof Entity>;

/** Entities only say where a name or command stands; a message whose entities cannot be read is still its words. */
const Entities = z.array(Entity).default([]).catch([]);

export const Message = z.looseObject({
  message_id: z.int(),
  /** Unix seconds. */
  date: z.int().min(0),
  chat: Chat,
  from: User.optional(),
  sender_chat: Chat.optional(),
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
  media_group_id: z.string().optional(),
  text: z.string().optional(),
  entities: Entities,
  caption: z.string().optional(),
  caption_entities: Entities,
  reply_to_message: z
    .looseObject({ from: User.optional(), forum_topic_created: z.unknown().optional() })
    .optional()
    .catch(undefined),
  migrate_to_chat_id: z.int().optional(),
  migrate_from_chat_id: z.int().optional(),
});
export type Message = z.output<typeof Message>;

export const Press = z.looseObject({
  id: z.string(),
  from: User,
  data: z.string().optional(),
  /** Gone for buttons of inline messages; without most of its fields when it is old. */
  message: z
    .looseObject({
      message_id: z.int(),
      chat: Chat,
      message_thread_id: z.int().optional(),
      is_topic_message: z.boolean().optional(),
    })
    .optional(),
});

export const Membership = z.looseObject({
  chat: Chat,
  date: z.int().min(0),
  new_chat_member: z.looseObject({ status: z.string() }),
});

/** One entry of what getUpdates returns: the id, and under one other key what happened. */
export const Update = z.looseObject({ update_id: z.int().min(0) });
export type Update = z.output<typeof Update>;
