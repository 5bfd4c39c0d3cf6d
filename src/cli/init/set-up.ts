import { randomFillSync } from "node:crypto";
import { join } from "node:path";
import { type Config, loadConfig, type TelegramSettings } from "../../config.ts";
import { type Clock, failure, type FailureValue, isFailure, systemClock } from "../../envelope/index.ts";
import { openPeople, type People, peoplePath } from "../../people/index.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { printText, type Shell, shellConfig } from "../shell.ts";
import { ownerChatOf } from "../telegram.ts";
import { type Bot, openBot } from "./bot.ts";
import { type Dialogue, openDialogue } from "./dialogue.ts";
import { settingIn, writeSetting } from "./env-file.ts";
import { type Listener, openListener } from "./listen.ts";

export interface Wishes {
  /** A chat's id, as it was given. */
  readonly warRoom: string | undefined;
  /** Wait for the owner, although nobody sits at a terminal. */
  readonly isWaiting: boolean;
}

/** What every step works with. */
interface Scope {
  readonly shell: Shell;
  readonly envFile: string;
  readonly clock: Clock;
  readonly wishes: Wishes;
  readonly dialogue: Dialogue;
  readonly tell: (line: string) => void;
}

/** A bot whose token Telegram takes. */
interface Found extends Disposable {
  readonly bot: Bot;
  readonly username: string;
  readonly config: Config;
  readonly telegram: TelegramSettings;
}

/** Somebody stopped it. */
const STOPPED = Symbol("stopped");
type Step<T> = T | FailureValue | typeof STOPPED;

const HOW_TO_GET_ONE =
  "Write /newbot to @BotFather on Telegram, answer its two questions, and paste the token that it gives you here (it is not shown):";

/** Sets up what is not set up yet, and says of each thing how it is. */
export async function setUp(shell: Shell, wishes: Wishes): Promise<number | FailureValue> {
  const isAsking = wishes.warRoom === undefined && !wishes.isWaiting;
  using dialogue = openDialogue(shell, { isAsking });
  const scope: Scope = {
    shell,
    envFile: join(shell.projectDir, ".env"),
    clock: systemClock(),
    wishes,
    dialogue,
    tell: (line) => printText(shell, line),
  };
  const end = await takeSteps(scope);
  if (end !== STOPPED) return end;
  scope.tell("\nStopped. What was said to be done stays done; `voxtree init` goes on from there.");
  return EXIT_CODES.interrupted.code;
}

async function takeSteps(scope: Scope): Promise<Step<number>> {
  const found = await findBot(scope);
  if (found === STOPPED || isFailure(found)) return found;
  using _found = found;
  const saved = await saveToken(scope, found);
  if (saved) return saved;
  const people = openPeople({
    path: peoplePath(found.config.dataDir),
    now: scope.clock.now,
    random: (into) => randomFillSync(into),
  });
  if (isFailure(people)) return people;
  using _people = people;
  await using ears = createEars(scope, found, people);
  const owner = await findOwner(scope, ears, people);
  if (owner === STOPPED || isFailure(owner)) return owner;
  const room = await findWarRoom(scope, found, { ears, ownerChat: owner });
  if (room === STOPPED || isFailure(room)) return room;
  scope.tell("Next: `npm start`.");
  return EXIT_CODES.ok.code;
}

/** The token of the settings, or one that is asked for until Telegram takes it. */
async function findBot(scope: Scope): Promise<Step<Found>> {
  const { shell, dialogue, tell } = scope;
  const standing = shellConfig(shell);
  if (isFailure(standing)) return standing;
  let config: Config = standing;
  for (;;) {
    const { telegram } = config;
    if (telegram) {
      const bot = openBot(telegram, scope.clock);
      const checked = await bot.check(dialogue.stopped);
      if (checked.kind === "bot") {
        const { username } = checked;
        return { bot, username, config, telegram, [Symbol.dispose]: () => bot[Symbol.dispose]() };
      }
      bot[Symbol.dispose]();
      if (dialogue.stopped.aborted) return STOPPED;
      if (checked.kind === "away") return checked.failure;
      const refusal = `Telegram refuses this token (${checked.text}).`;
      if (!dialogue.keyboard || shell.env["TELEGRAM_BOT_TOKEN"]) {
        return failure("E_CONFIG", `${refusal} Get a valid one from @BotFather and set TELEGRAM_BOT_TOKEN.`);
      }
      tell(refusal);
    } else if (!dialogue.keyboard) {
      return failure(
        "E_USAGE",
        "There is no token yet: run `voxtree init` at a terminal, which asks for it, or set TELEGRAM_BOT_TOKEN in the environment.",
      );
    }
    const next = await askToken(scope);
    if (next === STOPPED) return next;
    config = next;
  }
}

/** Asks until something has the shape of a token. */
async function askToken({ shell, envFile, dialogue, tell }: Scope): Promise<Config | typeof STOPPED> {
  for (;;) {
    tell(HOW_TO_GET_ONE);
    const typed = await dialogue.keyboard?.line(dialogue.stopped);
    if (typed === undefined) return STOPPED;
    const token = typed.trim();
    const config = loadConfig({ env: { ...shell.env, TELEGRAM_BOT_TOKEN: token }, envFile });
    if (!isFailure(config) && token !== "") return config;
    tell("That is no token: one has a number, a colon and 35 letters, such as 123456789:AAF…");
  }
}

async function saveToken(
  { envFile, tell }: Scope,
  { username, telegram: { token } }: Found,
): Promise<FailureValue | undefined> {
  const isThere = settingIn(envFile, "TELEGRAM_BOT_TOKEN") === token;
  const refused = await writeSetting(envFile, "TELEGRAM_BOT_TOKEN", token);
  if (refused) return refused;
  tell(`Bot: @${username}. Its token ${isThere ? "stands" : "was written"} in ${envFile}.`);
  return undefined;
}

/** Listens from the first time that somebody must be heard. */
interface Ears extends AsyncDisposable {
  open(): Listener | FailureValue;
}

function createEars({ clock, tell }: Scope, { config, telegram }: Found, people: People): Ears {
  let listener: Listener | FailureValue | undefined;
  return {
    open: () => (listener ??= openListener({ config, telegram, people, clock, tell })),
    async [Symbol.asyncDispose]() {
      if (listener && !isFailure(listener)) await listener[Symbol.asyncDispose]();
    },
  };
}

/** The owner's private chat; undefined while there is none and nobody waits for one. */
async function findOwner(
  { wishes, dialogue, tell }: Scope,
  ears: Ears,
  people: People,
): Promise<Step<string | undefined>> {
  const nameOf = (): string => people.list().find(({ role }) => role === "owner")?.name ?? "";
  const known = ownerChatOf(people);
  if (known !== undefined) {
    tell(`Owner: ${nameOf()}, as before.`);
    return known;
  }
  if (!dialogue.keyboard && !wishes.isWaiting) {
    tell("Owner: nobody yet. `npm start` shows the code that makes one, and so does `voxtree init --wait`.");
    return undefined;
  }
  const listener = ears.open();
  if (isFailure(listener)) return listener;
  tell("Waiting for the bot's owner… (Ctrl-C leaves; `voxtree init` goes on later)");
  const owner = await listener.until(() => ownerChatOf(people), dialogue.stopped);
  if (isFailure(owner)) return owner;
  if (owner === undefined) return STOPPED;
  tell(`Owner: ${nameOf()}.`);
  return owner;
}

interface RoomParts {
  readonly ears: Ears;
  readonly ownerChat: string | undefined;
}

/** Sees to it that alerts have a chat that takes them. */
async function findWarRoom(scope: Scope, found: Found, parts: RoomParts): Promise<Step<undefined>> {
  const { wishes, dialogue, tell } = scope;
  const standing = found.telegram.warRoomChat;
  const refused = wishes.warRoom === undefined ? undefined : whyNotTaken(scope, wishes.warRoom);
  if (refused) return refused;
  const wanted = wishes.warRoom ?? standing ?? (await askWarRoom(scope, found, parts));
  if (wanted === STOPPED || isFailure(wanted)) return wanted;
  if (wanted === undefined) {
    tell("War room: none is set, so alerts go to the owner's private chat. `--war-room <chat id>` sets one.");
    return undefined;
  }
  const isNew = wanted !== standing;
  const tried = await found.bot.tryChat(
    wanted,
    isNew ? "This is Voxtree's war room. Alerts come here." : undefined,
    dialogue.stopped,
  );
  if (dialogue.stopped.aborted) return STOPPED;
  if (tried.kind === "failed") return tried.failure;
  if (!isNew && !tried.moved) {
    tell(`War room: chat ${wanted}, as before. The bot may write there.`);
    return undefined;
  }
  if (scope.shell.env["WAR_ROOM_CHAT"]) {
    return failure(
      "E_CONFIG",
      `The group is now chat ${tried.chat}: set WAR_ROOM_CHAT to that in the environment, which wins over .env.`,
    );
  }
  const unwritten = await writeSetting(scope.envFile, "WAR_ROOM_CHAT", tried.chat);
  if (unwritten) return unwritten;
  tell(
    isNew
      ? `War room: chat ${tried.chat}. The test message has arrived there.`
      : `War room: the group has become chat ${tried.chat}, which was written down. The bot may write there.`,
  );
  return undefined;
}

/** Why a chat that was given on the command line cannot become the war room. */
function whyNotTaken({ shell, envFile }: Scope, chat: string): FailureValue | undefined {
  const { env } = shell;
  if (env["WAR_ROOM_CHAT"] && env["WAR_ROOM_CHAT"] !== chat) {
    return failure(
      "E_USAGE",
      `WAR_ROOM_CHAT=${env["WAR_ROOM_CHAT"]} in the environment wins over .env: take it out of there first.`,
    );
  }
  if (chat !== "" && !isFailure(loadConfig({ env: { ...env, WAR_ROOM_CHAT: chat }, envFile })))
    return undefined;
  return failure(
    "E_USAGE",
    "--war-room expects a chat's id such as -1001234567890, or -1001234567890/7 for a topic.",
  );
}

/** Asks where alerts go: where /here is written, or for Enter the owner's private chat. */
async function askWarRoom(
  { dialogue, tell }: Scope,
  { username }: Found,
  { ears, ownerChat }: RoomParts,
): Promise<Step<string | undefined>> {
  const { keyboard, stopped } = dialogue;
  if (!keyboard) return undefined;
  const listener = ears.open();
  if (isFailure(listener)) return listener;
  tell(
    `Add the bot to your ops group and write /here@${username} there, or press Enter for your private chat.`,
  );
  tell("Waiting… (Ctrl-C leaves; `voxtree init` goes on later)");
  const answered = new AbortController();
  let isEntered = false;
  const entered = keyboard.line(answered.signal).then((line) => (isEntered = line !== undefined));
  const chat = await listener.until(() => listener.here ?? (isEntered ? ownerChat : undefined), stopped);
  answered.abort();
  await entered;
  if (isFailure(chat)) return chat;
  return chat ?? STOPPED;
}
