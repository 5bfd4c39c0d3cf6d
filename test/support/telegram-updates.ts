/** Updates as Telegram sends them, for this bot: @vox_bot, 123456789. */

export const SELF = { id: 123_456_789, username: "vox_bot" };
export const ANN = { id: 7001, is_bot: false, first_name: "Ann", last_name: "Lee", username: "ann" };
export const BOB = { id: 7002, is_bot: false, first_name: "Bob" };
/** Not let in. */
export const EVE = { id: 7666, is_bot: false, first_name: "Eve" };
export const GROUP = { id: -4001, type: "group", title: "Ops" };
export const FORUM = { id: -1_001_234_567_890, type: "supergroup", title: "Ops", is_forum: true };

/** 2026-03-01T12:00:00Z. */
export const NOON = 1_772_366_400;

let lastUpdate = 5_000;
let lastMessage = 100;

/** An update around a message; whatever stands in `fields` wins. */
export function message(fields: object = {}, from: typeof ANN | typeof BOB = ANN): object {
  lastMessage += 1;
  const chat = { id: from.id, type: "private", first_name: from.first_name };
  return update({ message: { message_id: lastMessage, date: NOON, chat, from, ...fields } });
}

export function update(what: object): object {
  lastUpdate += 1;
  return { update_id: lastUpdate, ...what };
}

/** A message in the group that names the bot: entities are made for `@vox_bot` and for commands. */
export function inGroup(text: string, fields: object = {}, from: typeof ANN | typeof BOB = ANN): object {
  return message({ chat: GROUP, text, entities: entitiesOf(text), ...fields }, from);
}

export function entitiesOf(text: string): object[] {
  return [...text.matchAll(/\/[a-z_]+(?:@\w+)?|@\w+/gi)].map(({ 0: found, index }) => ({
    type: found.startsWith("/") ? "bot_command" : "mention",
    offset: index,
    length: found.length,
  }));
}

export function press(data: string, fields: object = {}, from: typeof ANN | typeof BOB = ANN): object {
  const chat = { id: from.id, type: "private" };
  return update({
    callback_query: {
      id: `88${lastUpdate}`,
      from,
      chat_instance: "1",
      data,
      message: { message_id: 55, date: NOON, chat, text: "Which?" },
      ...fields,
    },
  });
}
