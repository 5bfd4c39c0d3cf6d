import { createGateway, type Delivery } from "../capabilities/comm-gateway/index.ts";
import { createIds, isFailure } from "../envelope/index.ts";
import type { FailureCode, FailureValue } from "../envelope/index.ts";
import { FAILURES } from "../envelope/index.ts";
import { createLog } from "../log.ts";
import { openAsk } from "./channels.ts";
import { EXIT_CODES, exitCodeOf } from "./exit-codes.ts";
import { codeOfLoss } from "./leave.ts";
import { shellConfig, type Shell } from "./shell.ts";
import { JSON_OPTION, type Verb, type VerbOptions } from "./verb.ts";

const GRACE_MS = 2000;

const EXIT_OF_VERDICT = { ok: "ok", fail: "failed", inconclusive: "tryAgain" } as const;

/** `voxtree ask "<text>"`: one message, one reply, and an exit code that says how it went. */
export const ask: Verb = ({ program, shell, action }) => {
  program
    .command("ask")
    .description("ask one thing and print the reply; the exit code is 1 when a check failed")
    .argument("<text...>", "what to ask, in plain words")
    .option(...JSON_OPTION)
    .action(action((options, ...words) => askOnce(shell, options, words.join(" "))));
};

async function askOnce(shell: Shell, options: VerbOptions, text: string): Promise<number | FailureValue> {
  const config = shellConfig(shell);
  if (isFailure(config)) return config;
  const ids = createIds(Date.now);
  const log = createLog({ level: config.logLevel });
  const channel = openAsk(shell, { config, ids, text, json: options.json });
  const gateway = createGateway({ channels: [channel], log });
  const { openTree } = await import("./compose.ts"); // loaded late: the other verbs need no agents, and are quick
  const tree = await openTree({ config, gateway, log, ids, rolesDir: options.roles });
  if (isFailure(tree)) return tree;
  const code = await Promise.race([gateway.finished.then(() => EXIT_CODES.ok.code), codeOfLoss(tree, log)]);
  await tree.close(GRACE_MS);
  const answer = channel.answer();
  if (code !== EXIT_CODES.ok.code || !answer) return code;
  return exitCodeOfAnswer(answer);
}

function exitCodeOfAnswer({ reply, failure, ending }: Delivery): number {
  const code = ending?.kind === "failed" ? ending.failure : failure;
  if (code !== undefined) {
    return Object.hasOwn(FAILURES, code) ? exitCodeOf(code as FailureCode) : EXIT_CODES.failed.code;
  }
  // The root asked back, or refused: whoever runs this from a script must hear of it.
  if (ending) return EXIT_CODES.usage.code;
  return EXIT_CODES[reply.verdict === undefined ? "ok" : EXIT_OF_VERDICT[reply.verdict]].code;
}
