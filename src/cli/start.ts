import v8 from "node:v8";
import { createGateway } from "../capabilities/comm-gateway/index.ts";
import { CHAT_NAMES } from "../catalog/shape.ts";
import { createIds, isFailure } from "../envelope/index.ts";
import { createLog } from "../log.ts";
import { openConsole } from "./channels.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { OpenAgents } from "./open-agents.ts";
import { codeOfLoss, leave } from "./leave.ts";
import { renderTree, type ShownAgent } from "./render-tree.ts";
import { isInteractive, lookOf, shellConfig, type Shell } from "./shell.ts";
import { onStopSignals } from "./stop-signals.ts";
import type { Verb, VerbOptions } from "./verb.ts";
import type { FailureValue } from "../envelope/index.ts";

/** How long what is in work may take when somebody leaves, and when a pipe has come to its end. */
const GRACE_MS = { leaving: 2000, endOfInput: 95_000 } as const;

const NO_CHANNEL =
  "Nobody can write to this process: it has neither a terminal nor a pipe, and there is no other channel. Run it at a terminal to talk with it; under Docker Compose, `docker compose attach root` is that terminal.";

/**
 * `voxtree start`: the whole tree in this process, with a chat in the terminal or on a pipe; with REDIS_URL the root alone.
 * Where there is neither, as under a supervisor, it runs until it is told to stop.
 */
export const start: Verb = ({ program, shell, action }) => {
  program
    .command("start")
    .description(
      "run the whole tree (with REDIS_URL the root) and a chat in the terminal; on a pipe, one line is one message",
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
  const talk = shell.isDetached ? undefined : openConsole(shell, { config, ids, completions });
  const log = talk?.log ?? createLog({ level: config.logLevel });
  const gateway = createGateway({ channels: talk ? [talk.channel] : [], log });
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
    rolesDir: options.roles,
    onStarted(orchestrator) {
      if (shell.isDetached) log.warn(NO_CHANNEL);
      if (!isInteractive(shell)) return;
      const view = orchestrator.hierarchySnapshot();
      const hints = hintsOf(view).map((hint) => `${hint}\n`);
      shell.stdout.write(`\n${renderTree(view, lookOf(shell.stdout))}\n${hints.join("")}\n`);
    },
  });
  if (isFailure(opened)) return opened;
  tree = opened;
  // All is loaded: from here on memory may follow the traffic (the launcher holds it down until then).
  v8.setFlagsFromString("--semi-space-growth-factor=2");
  // Where there is no chat, none of them comes to its end.
  const left = talk ? [gateway.finished.then(() => EXIT_CODES.ok.code)] : [];
  const code = await Promise.race([...left, told.promise, codeOfLoss(opened, log)]);
  const hasLeft = isInteractive(shell) || (await isSettled(told.promise));
  return leave(code, {
    graceMs: hasLeft ? GRACE_MS.leaving : GRACE_MS.endOfInput,
    close: opened.close,
  });
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
