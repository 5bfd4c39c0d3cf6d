import { isRecord, isTrue, numberOf, structureOf, textOf } from "./arguments.ts";
import { setMyCommands, getMyCommands } from "./menus.ts";
import { editMessage, readChat, sendMessage, writableChat } from "./send.ts";
import { type Arguments, badRequest, done, isFailed, type Outcome } from "./shapes.ts";
import { chatJson } from "./wire.ts";
import { changeMessage, type ChatRecord, findMessage, type Stored, type World } from "./world.ts";

type Method = (world: World, given: Arguments) => Outcome;

/** Every method but getUpdates, which may take its time, by its name in lower case. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    "getme",
    ({ bot, canReadAll }) =>
      done({
        ...bot,
        can_join_groups: true,
        can_read_all_group_messages: canReadAll,
        supports_inline_queries: false,
      }),
  ],
  [
    "setwebhook",
    ({ updates }, given) => withDrop({ updates }, given, () => updates.setWebhook(textOf(given.url))),
  ],
  ["deletewebhook", ({ updates }, given) => withDrop({ updates }, given, () => updates.setWebhook(""))],
  ["sendmessage", sendMessage],
  ["editmessagetext", (world, given) => editMessage(world, given, "text")],
  ["editmessagereplymarkup", (world, given) => editMessage(world, given, "keyboard")],
  ["deletemessage", onMessage("delete", deleteMessage)],
  [
    "pinchatmessage",
    onMessage("pin", (world, { chat, message }) => changed(world, chat, { id: message.id, isPinned: true })),
  ],
  ["setmessagereaction", onMessage("react", setMessageReaction)],
  [
    "sendchataction",
    (world, given) => {
      const chat = writableChat(world, given);
      return isFailed(chat) ? chat : done(true);
    },
  ],
  ["answercallbackquery", answerCallbackQuery],
  ["setmycommands", setMyCommands],
  ["getmycommands", getMyCommands],
  ["getchat", getChat],
  ["getchatmember", getChatMember],
]);

function withDrop({ updates }: Pick<World, "updates">, given: Arguments, act: () => Outcome): Outcome {
  if (isTrue(given.drop_pending_updates)) updates.drop();
  return act();
}

interface Target {
  readonly chat: ChatRecord;
  readonly message: Stored;
  readonly given: Arguments;
}

/** A method that does something to one message; `verb` is what its error says when that is not there. */
function onMessage(verb: string, act: (world: World, target: Target) => Outcome): Method {
  return (world, given) => {
    const chat = writableChat(world, given);
    if (isFailed(chat)) return chat;
    const message = findMessage(chat, numberOf(given.message_id));
    return message ? act(world, { chat, message, given }) : badRequest(`message to ${verb} not found`);
  };
}

function changed(world: World, chat: ChatRecord, change: Partial<Stored> & { readonly id: number }): Outcome {
  changeMessage(world, chat, change);
  return done(true);
}

function deleteMessage(world: World, { chat, message }: Target): Outcome {
  const isAllowed = chat.type === "private" || message.from.id === world.bot.id;
  if (!isAllowed) return badRequest("message can't be deleted");
  changeMessage(world, chat, { id: message.id, isDeleted: true, byBot: true });
  return done(true);
}

function setMessageReaction(world: World, { chat, message, given }: Target): Outcome {
  const structure = structureOf(given.reaction);
  const listed =
    structure.kind === "given" && Array.isArray(structure.value) ? (structure.value as unknown[]) : [];
  const reactions = listed.map((reaction) => (isRecord(reaction) ? textOf(reaction.emoji) : ""));
  return changed(world, chat, { id: message.id, reactions });
}

function answerCallbackQuery(world: World, given: Arguments): Outcome {
  const press = world.presses.get(textOf(given.callback_query_id));
  if (!press || press.state === "expired") {
    return badRequest("query is too old and response timeout expired or query ID is invalid");
  }
  // The first answer is the one that the person sees.
  if (press.state === "open") {
    press.state = "answered";
    press.toast = { text: textOf(given.text), isAlert: isTrue(given.show_alert) };
    world.happenings.tell();
  }
  return done(true);
}

function getChat(world: World, given: Arguments): Outcome {
  const chat = readChat(world, given);
  return isFailed(chat) ? chat : done(chatJson(chat));
}

function getChatMember(world: World, given: Arguments): Outcome {
  const chat = readChat(world, given);
  if (isFailed(chat)) return chat;
  const id = numberOf(given.user_id);
  if (id === world.bot.id)
    return done({ user: world.bot, status: chat.standing === "kicked" ? "kicked" : "member" });
  const member = chat.members.get(id ?? 0);
  if (member) return done({ user: member, status: "member" });
  const person = world.people.get(id ?? 0);
  return person ? done({ user: person, status: "left" }) : badRequest("user not found");
}
