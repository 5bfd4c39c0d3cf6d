import { join } from "node:path";
import {
  type AskChannel,
  type ConsoleChannel,
  createAskChannel,
  createConsoleChannel,
} from "../capabilities/comm-gateway/index.ts";
import type { Config } from "../config.ts";
import type { Ids } from "../envelope/ids.ts";
import { createLog, type ProcessLog } from "../log.ts";
import { isColourful, isInteractive, personAtShell, type Shell } from "./shell.ts";

interface ChannelParts {
  readonly config: Config;
  readonly ids: Ids;
}

/** The console of this process, and a log whose lines go above its prompt. */
export function openConsole(
  shell: Shell,
  { config, ids, completions }: ChannelParts & { readonly completions: () => readonly string[] },
): { readonly channel: ConsoleChannel; readonly log: ProcessLog } {
  const { stdin, stdout, stderr } = shell;
  const channel = createConsoleChannel({
    input: stdin,
    output: stdout,
    errorOutput: stderr,
    isInteractive: isInteractive(shell),
    isColour: isColourful(stdout),
    ids,
    person: personAtShell(shell),
    zone: config.zone,
    completions,
    historyFile: join(config.dataDir, "console-history"),
    monotonicMs: () => performance.now(),
  });
  const stream = { isTTY: stderr.isTTY === true, write: (line: string) => channel.aside(line) };
  return { channel, log: createLog({ level: config.logLevel, stream }) };
}

/** The channel of one question that was put on the command line. */
export function openAsk(
  shell: Shell,
  { config, ids, text, json }: ChannelParts & { readonly text: string; readonly json: boolean },
): AskChannel {
  return createAskChannel({
    text,
    json,
    output: shell.stdout,
    errorOutput: shell.stderr,
    isColour: isColourful(shell.stdout),
    ids,
    person: personAtShell(shell),
    zone: config.zone,
  });
}
