import { randomFillSync } from "node:crypto";
import { join } from "node:path";
import {
  createTelegramChannel,
  type TelegramChannel,
  type TelegramHealth,
} from "../capabilities/comm-gateway/telegram/index.ts";
import type { Config } from "../config.ts";
import type { Clock, FailureValue, Ids } from "../envelope/index.ts";
import { isFailure } from "../envelope/index.ts";
import type { ProcessLog } from "../log.ts";
import { openPeople, type People, peoplePath } from "../people/index.ts";
import { momentText } from "./moment.ts";

/** The bot of this process, and who may use it. */
export interface OpenTelegram {
  readonly channel: TelegramChannel;
  readonly people: People;
  health(): TelegramHealth;
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
  for (const { name } of people.seed(CHANNEL, telegram.allowedUsers)) {
    log.info("a user was let in by TELEGRAM_ALLOWED_USERS", { user: name });
  }
  return {
    channel,
    people,
    health: () => channel.health(),
    async close() {
      invitation.stop();
      await channel.close();
      people.close();
    },
  };
}

interface Invitation {
  /** The bot's name is known. */
  begin(username: string): void;
  /** Shows the code that is valid now, if there is no owner yet and it was not shown already. */
  show(): void;
  stop(): void;
}

/** Tells whoever started the process how to become the bot's owner, for as long as there is none. */
function createInvitation({
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
