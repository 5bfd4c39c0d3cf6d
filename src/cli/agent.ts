import v8 from "node:v8";
import type { Config } from "../config.ts";
import type { FailureValue } from "../envelope/index.ts";
import { isFailure, systemClock } from "../envelope/index.ts";
import { createLog } from "../log.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { codeOfLoss, leave } from "./leave.ts";
import { shellConfig, type Shell } from "./shell.ts";
import { onStopSignals } from "./stop-signals.ts";
import type { OpenRooms } from "./telegram.ts";
import type { Verb, VerbOptions } from "./verb.ts";

/** How long what is in work may take when the agent is told to stop: supervisors wait for ten seconds, as a rule. */
const GRACE_MS = 7000;

/** `voxtree agent <name>`: one agent in a process of its own, which reaches the others through Redis. */
export const agent: Verb = ({ program, shell, action }) => {
  program
    .command("agent")
    .description("run one agent by itself; it reaches the others through REDIS_URL")
    .argument("<name>", "the agent, as its agent.yml names it")
    .action(action((options, name = "") => runAgent(shell, { options, name })));
};

async function runAgent(
  shell: Shell,
  { options, name }: { readonly options: VerbOptions; readonly name: string },
): Promise<number | FailureValue> {
  const config = shellConfig(shell);
  if (isFailure(config)) return config;
  const log = createLog({ level: config.logLevel });
  const told = Promise.withResolvers<number>();
  // Whoever stops an agent by Ctrl-C stops it as planned: that is no failure.
  using _signals = onStopSignals({
    stop: () => told.resolve(EXIT_CODES.ok.code),
    force: () => process.exit(EXIT_CODES.interrupted.code),
  });
  const { openAgent } = await import("./compose-agent.ts"); // loaded late: the other verbs need no agents, and are quick
  const war = await openWarRooms(config);
  const opened = await openAgent({
    config,
    rolesDir: options.roles,
    name,
    log,
    ...(war && { rooms: war.rooms }),
  });
  if (isFailure(opened)) return opened;
  // All is loaded: from here on memory may follow the traffic (the launcher holds it down until then).
  v8.setFlagsFromString("--semi-space-growth-factor=2");
  const master = opened.neighbours.master?.name ?? "nobody";
  const line = `${name} runs (process ${process.pid}), its master is ${master}`;
  // A supervisor keeps its own record of what has started; who sits at the terminal wants to see it.
  if (shell.stderr.isTTY) shell.stderr.write(`${line}; Ctrl-C stops it.\n`);
  else log.info(line);
  const code = await Promise.race([told.promise, codeOfLoss(opened, log)]);
  return leave(code, {
    graceMs: GRACE_MS,
    async close(graceMs) {
      await opened.close(graceMs);
      war?.close();
    },
  });
}

/** Where the war room speaks on Telegram, should this be its agent: only it is given a token. */
async function openWarRooms({ telegram, dataDir }: Config): Promise<OpenRooms | undefined> {
  if (!telegram) return undefined;
  // Loaded late: its library is large, and no other agent needs it.
  const { openTelegramRooms, ownerChatIn } = await import("./telegram.ts");
  return openTelegramRooms(telegram, { clock: systemClock(), ownerChat: () => ownerChatIn(dataDir) });
}
