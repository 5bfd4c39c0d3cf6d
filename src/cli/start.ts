import v8 from "node:v8";
import { createGateway } from "../capabilities/comm-gateway/index.ts";
import { CHAT_NAMES } from "../catalog/shape.ts";
import { createIds, isFailure, systemClock } from "../envelope/index.ts";
import { createLog } from "../log.ts";
import { openConsole } from "./channels.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { OpenAgents } from "./open-agents.ts";
import { codeOfLoss, leave } from "./leave.ts";
import { renderTree, type ShownAgent } from "./render-tree.ts";
import { isInteractive, lookOf, shellConfig, type Shell } from "./shell.ts";
import { onStopSignals } from "./stop-signals.ts";
import type { OpenTelegram, TelegramParts } from "./telegram.ts";
import { keepMenu } from "./telegram-menu.ts";
import type { Verb, VerbOptions } from "./verb.ts";
import type { FailureValue } from "../envelope/index.ts";

/** How long what is in work may take when somebody leaves, and when a pipe has come to its end. */
const GRACE_MS = { leaving: 2000, endOfInput: 95_000 } as const;

const NO_CHANNEL =
  "Nobody can write to this process: it has neither a terminal nor a pipe, and there is no other channel. Set TELEGRAM_BOT_TOKEN to talk with it on Telegram, or run it at a terminal; under Docker Compose, `docker compose attach root` is that terminal.";

/**
 * `voxtree start`: the whole tree in this process, with a chat in the terminal or on a pipe, and on Telegram where there is
 * a token; with REDIS_URL the root alone. Where nobody sits at it, with a token or under a supervisor, it runs until it is
 * told to stop.
 */
export const start: Verb = ({ program, shell, action }) => {
  program
    .command("start")
    .description(
      "run the whole tree (with REDIS_URL the root), a chat in the terminal and, with TELEGRAM_BOT_TOKEN, on Telegram; on a pipe, one line is one message",
    )
    .action(action((options) => runTree(shell, options)));
};

async function runTree(shell: Shell, options: VerbOptions): Promise<number | FailureValue> {
  const config = shellConfig(shell);
  if (isFailure(config)) return config;
  const ids = createIds(Date.now);
  let tree: OpenAgents | undefined;
  const completions = (): readonly string[] =>
    [...CHAT_NAMES, ...(tree?.orchestrator.top.commands() ?? []).map(({ name }) => name)]
      .toSorted()
      .map((name) => `/${name}`);
  const clock = systemClock();
  // With a token, what is no terminal is no person either: a supervisor's pipe, most often.
  const isTalkedTo = !shell.isDetached && (config.telegram === undefined || shell.stdin.isTTY === true);
  const talk = isTalkedTo ? openConsole(shell, { config, ids, completions }) : undefined;
  const log = talk?.log ?? createLog({ level: config.logLevel });
  const tell = (line: string): void =>
    talk ? talk.channel.aside(`${line}\n`) : void shell.stderr.write(`${line}\n`);
  const telegram = config.telegram && (await openBot({ config, clock, ids, log, tell }));
  if (isFailure(telegram)) return telegram;
  const channels = [talk?.channel, telegram?.channel].filter((channel) => channel !== undefined);
  const gateway = createGateway({ channels, log });
  const told = Promise.withResolvers<number>();
  using _signals = onStopSignals({
    stop: (signal) => told.resolve(signal === "SIGINT" ? EXIT_CODES.interrupted.code : EXIT_CODES.ok.code),
    force: () => process.exit(EXIT_CODES.interrupted.code),
  });

  const { openTree } = await import("./compose.ts"); // loaded late: the other verbs need no agents, and are quick
  const opened = await openTree({
    config,
    gateway,
    log,
    ids,
    clock,
    rolesDir: options.roles,
    ...(telegram ? { telegramHealth: telegram.health, rooms: telegram.rooms } : {}),
    onStarted(orchestrator) {
      if (channels.length === 0) log.warn(NO_CHANNEL);
      if (!isInteractive(shell)) return;
      const view = orchestrator.hierarchySnapshot();
      const hints = hintsOf(view).map((hint) => `${hint}\n`);
      shell.stdout.write(`\n${renderTree(view, lookOf(shell.stdout))}\n${hints.join("")}\n`);
    },
  });
  if (isFailure(opened)) {
    await telegram?.close();
    return opened;
  }
  tree = opened;
  const menu =
    telegram && keepMenu(telegram.channel, { commands: () => opened.orchestrator.top.commands(), clock });
  // All is loaded: from here on memory may follow the traffic (the launcher holds it down until then).
  v8.setFlagsFromString("--semi-space-growth-factor=2");
  // Whoever sits at the terminal and leaves ends all of it. Where nobody sits there, no chat comes to its end.
  const left = talk ? [talk.channel.finished.then(() => EXIT_CODES.ok.code)] : [];
  const code = await Promise.race([...left, told.promise, codeOfLoss(opened, log)]);
  const hasLeft = isInteractive(shell) || (await isSettled(told.promise));
  return leave(code, {
    graceMs: hasLeft ? GRACE_MS.leaving : GRACE_MS.endOfInput,
    async close(graceMs) {
      menu?.stop();
      await opened.close(graceMs);
      await telegram?.close();
    },
  });
}

/** The bot of the token; its library is loaded late, since most verbs and many installations need none. */
async function openBot(parts: TelegramParts): Promise<OpenTelegram | undefined | FailureValue> {
  const { openTelegram } = await import("./telegram.ts");
  return openTelegram(parts);
}

/** What to do about children that are processes of their own and not there. */
function hintsOf({ children }: { readonly children: readonly ShownAgent[] }): readonly string[] {
  return children
    .filter(({ state }) => state === "offline")
    .map(
      ({ name }) =>
        `${name} does not run. Start it by \`npm run agent -- ${name}\` with this REDIS_URL; what it can do comes by itself.`,
    );
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  return (await Promise.race([promise, Promise.resolve(open)])) !== open;
}
