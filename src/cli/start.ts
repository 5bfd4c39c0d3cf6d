import v8 from "node:v8";
import { createGateway } from "../capabilities/comm-gateway/index.ts";
import { CHAT_NAMES } from "../catalog/shape.ts";
import { createIds, isFailure } from "../envelope/index.ts";
import { openConsole } from "./channels.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { OpenAgents } from "./open-agents.ts";
import { renderTree } from "./render-tree.ts";
import { isInteractive, lookOf, shellConfig, type Shell } from "./shell.ts";
import { onStopSignals } from "./stop-signals.ts";
import type { Verb, VerbOptions } from "./verb.ts";
import type { FailureValue } from "../envelope/index.ts";

/** How long what is in work may take when somebody leaves, and when a pipe has come to its end. */
const GRACE_MS = { leaving: 2000, endOfInput: 95_000 } as const;

/** `voxtree start`: the whole tree in this process, with a chat in the terminal or on a pipe. */
export const start: Verb = ({ program, shell, action }) => {
  program
    .command("start")
    .description("run the whole tree here, with a chat in the terminal; on a pipe, one line is one message")
    .action(action((options) => runTree(shell, options)));
};

async function runTree(shell: Shell, options: VerbOptions): Promise<number | FailureValue> {
  const config = shellConfig(shell);
  if (isFailure(config)) return config;
  const ids = createIds(Date.now);
  let tree: OpenAgents | undefined;
  const { channel, log } = openConsole(shell, {
    config,
    ids,
    completions: () =>
      [...CHAT_NAMES, ...(tree?.orchestrator.top.commands() ?? []).map(({ name }) => name)]
        .toSorted()
        .map((name) => `/${name}`),
  });
  const gateway = createGateway({ channels: [channel], log });
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
      if (!isInteractive(shell)) return;
      shell.stdout.write(`\n${renderTree(orchestrator.hierarchySnapshot(), lookOf(shell.stdout))}\n\n`);
    },
  });
  if (isFailure(opened)) return opened;
  tree = opened;
  // All is loaded: from here on memory may follow the traffic (the launcher holds it down until then).
  v8.setFlagsFromString("--semi-space-growth-factor=2");
  const left = gateway.finished.then(() => EXIT_CODES.ok.code);
  const code = await Promise.race([left, told.promise, opened.fatal.catch(fail)]);
  const hasLeft = isInteractive(shell) || (await isSettled(told.promise));
  await opened.close(hasLeft ? GRACE_MS.leaving : GRACE_MS.endOfInput);
  return code;

  function fail(error: unknown): number {
    log.error(String(error));
    return EXIT_CODES.data.code;
  }
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  return (await Promise.race([promise, Promise.resolve(open)])) !== open;
}
