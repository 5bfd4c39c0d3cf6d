import type { Clock } from "../../../envelope/clock.ts";
import { type FailureValue, isFailure } from "../../../envelope/failures.ts";
import type { Ids } from "../../../envelope/ids.ts";
import type { Log } from "../../../sdk/context.ts";
import type { Channel } from "../ports.ts";
import type { Self } from "./address.ts";
import { createTelegramClient } from "./client.ts";
import { createIntake } from "./intake.ts";
import type { Door } from "./intake-ports.ts";
import { createMenu, type MenuCommand } from "./menu.ts";
import { createOutput, type OutputHealth } from "./output.ts";
import { createPoller, type PollHealth } from "./poller.ts";
import { openTelegramDatabase } from "./store.ts";

export { parseChatName } from "./chat-name.ts";
export { createTelegramClient, type TelegramClient } from "./client.ts";
export { createTelegramRoom } from "./room.ts";

/** How the channel is. */
export interface TelegramHealth {
  readonly poll: PollHealth;
  readonly output: OutputHealth;
}

/** People on Telegram, through one bot. */
export interface TelegramChannel extends Channel {
  health(): TelegramHealth;
  /** What the menu of commands is to show; set once Telegram is reached. */
  showCommands(commands: readonly MenuCommand[]): void;
}

export interface TelegramChannelParts {
  /** Its own SQLite file. */
  readonly path: string;
  readonly durability: "normal" | "full";
  readonly token: string;
  /** `https://api.telegram.org`, or a Bot API server of one's own; without a slash at its end. */
  readonly apiRoot: string;
  readonly door: Door;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  readonly log: Log;
  /** Called once, when Telegram has said which bot this is. */
  readonly onSelf?: (self: Self) => void;
}

/** How long a call that is out may take when the channel closes. Whether an ended one arrived, nobody can tell. */
const CLOSING_MS = 1500;

/**
 * The channel of one bot, or E_LEDGER when its file cannot be opened. It starts although Telegram cannot be reached, and
 * goes on trying; what is wrong stands in its health and in the log.
 */
export function createTelegramChannel(parts: TelegramChannelParts): TelegramChannel | FailureValue {
  const { clock, ids, log, door } = parts;
  const db = openTelegramDatabase({ path: parts.path, durability: parts.durability });
  if (isFailure(db)) return db;
  const client = createTelegramClient({ token: parts.token, apiRoot: parts.apiRoot, clock });
  const output = createOutput({ db, client, clock, ids, log });
  const intake = createIntake({ db, client, clock, door, out: output, log });
  const menu = createMenu({ client, db, clock, log });
  const finished = Promise.withResolvers<void>();
  let self: Self | undefined;
  let commands: readonly MenuCommand[] | undefined;
  let closing: Promise<void> | undefined;

  const poller = createPoller({
    client,
    clock,
    random: parts.random,
    log,
    take: intake.take,
    onSelf(found) {
      self = found;
      if (commands) menu.follow(commands, found);
      parts.onSelf?.(found);
    },
    onChange({ state }) {
      if (state === "ok") output.resume();
    },
  });

  const close = async (): Promise<void> => {
    await Promise.all([poller.close(), intake.close(), menu.close(), output.close(CLOSING_MS)]);
    client.close();
    db.close();
    finished.resolve();
  };

  return {
    name: "telegram",
    finished: finished.promise,
    async start(accept) {
      output.start();
      intake.start(accept);
      poller.start();
    },
    deliver: output.deliver,
    progress: output.progress,
    // Nobody is looking at a chat because something starts.
    greet() {},
    health: () => ({ poll: poller.health(), output: output.health() }),
    showCommands(shown) {
      commands = shown;
      if (self) menu.follow(shown, self);
    },
    close: () => (closing ??= close()),
  };
}
