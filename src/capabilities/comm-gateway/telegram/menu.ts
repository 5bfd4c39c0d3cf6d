import type { Clock } from "../../../envelope/clock.ts";
import type { Log } from "../../../sdk/context.ts";
import type { Self } from "./address.ts";
import type { TelegramClient, Why } from "./client.ts";
import type { TelegramDatabase } from "./store.ts";

/** A command as the menu shows it. */
export interface MenuCommand {
  /** Without the slash. What has no name that Telegram allows is left out. */
  readonly name: string;
  readonly description: string;
}

/** The menu of commands beside Telegram's input field. */
export interface Menu {
  /** Makes the menu be these, in this order, if it is not so already. Tried until it works or something newer is wanted. */
  follow(commands: readonly MenuCommand[], self: Self): void;
  close(): Promise<void>;
}

export interface MenuParts {
  readonly client: Pick<TelegramClient, "call">;
  readonly db: TelegramDatabase;
  readonly clock: Clock;
  readonly log: Log;
}

interface Wanted {
  readonly commands: readonly { readonly command: string; readonly description: string }[];
  /** Under which it is remembered what was last set. */
  readonly key: string;
}

const NAME = /^[a-z0-9_]{1,32}$/;
const MOST_COMMANDS = 100;
const DESCRIPTION_LENGTH = 256;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;

/** Makes the menu, which remembers across restarts what was last set, for each bot. */
export function createMenu({ client, db, clock, log }: MenuParts): Menu {
  const read = db.prepare("SELECT value FROM remembered WHERE key = ?");
  const write = db.prepare(
    "INSERT INTO remembered (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const closed = new AbortController();
  let wanted: Wanted | undefined;
  let running: Promise<void> | undefined;
  let wake: (() => void) | undefined;

  /** Sets as many as the server takes; why not, if it takes none. */
  async function set({ commands }: Wanted): Promise<Why | undefined> {
    let count = commands.length;
    for (;;) {
      const outcome = await client.call(
        "setMyCommands",
        { commands: commands.slice(0, count) },
        closed.signal,
      );
      if (outcome.kind === "done") {
        if (count < commands.length) {
          log.warn("the menu has more commands than Telegram takes; the last ones are left out", {
            shown: count,
            of: commands.length,
          });
        }
        return undefined;
      }
      const isTooMuch = outcome.why.kind === "refused" && outcome.why.text.includes("BOT_COMMANDS_TOO_MUCH");
      if (!isTooMuch || count <= 1) return outcome.why;
      count = Math.floor((count * 3) / 4);
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (wanted && !closed.signal.aborted) {
      const now = wanted;
      const text = JSON.stringify(now.commands);
      const why = read.get(now.key)?.["value"] === text ? undefined : await set(now);
      if (closed.signal.aborted) return;
      if (!why) {
        write.run(now.key, text);
        failures = 0;
      } else if (why.kind === "refused") {
        log.warn("the menu of commands is refused, and stays as it is", { why: why.text });
      } else {
        log.debug("the menu of commands could not be set yet", { why: why.text });
        const ms = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10));
        failures += 1;
        await sleep(why.kind === "flood" ? why.retryAfterMs : ms);
        continue;
      }
      if (wanted === now) wanted = undefined;
    }
  }

  async function sleep(ms: number): Promise<void> {
    const over = Promise.withResolvers<void>();
    const stop = clock.after(ms, over.resolve);
    wake = over.resolve;
    if (closed.signal.aborted) over.resolve();
    await over.promise;
    stop();
    wake = undefined;
  }

  return {
    follow(commands, self) {
      wanted = { commands: menuOf(commands), key: `menu of ${self.id}` };
      running ??= run().finally(() => (running = undefined));
    },
    async close() {
      closed.abort();
      wake?.();
      await running;
    },
  };
}

function menuOf(commands: readonly MenuCommand[]): Wanted["commands"] {
  const seen = new Set<string>();
  return commands
    .filter(({ name }) => NAME.test(name) && !seen.has(name) && seen.add(name))
    .slice(0, MOST_COMMANDS)
    .map(({ name, description }) => ({ command: name, description: describe(description) || name }));
}

/** One line within the limit, which counts code points. */
function describe(description: string): string {
  const points = Array.from(description.replaceAll(/\s+/g, " ").trim());
  if (points.length <= DESCRIPTION_LENGTH) return points.join("");
  const kept = points.slice(0, DESCRIPTION_LENGTH - 1).join("");
  return `${kept.trimEnd()}…`;
}
