import type { FailureValue } from "../envelope/index.ts";
import { failure, isFailure } from "../envelope/index.ts";
import { openLedgers, type OpenLedgers } from "./ledgers.ts";
import { readTrace, wordsOf } from "./read-trace.ts";
import { renderConversations, renderTrace } from "./render-trace.ts";
import { lookOf, printJson, shellConfig, type Shell } from "./shell.ts";
import { JSON_OPTION, type Verb, type VerbOptions } from "./verb.ts";

const LISTED = 20;

/** `voxtree trace [id]`: who caused what in a conversation; without an id, the newest conversations. */
export const trace: Verb = ({ program, shell, action }) => {
  program
    .command("trace")
    .description("show what a conversation caused, with times and outcomes; without an id, the newest ones")
    .argument(
      "[id]",
      "the conversation's id, or that of any envelope in it; its beginning or its end is enough",
    )
    .option(...JSON_OPTION)
    .action(action((options, id?: string) => runTrace(shell, options, id)));
};

function runTrace(shell: Shell, { json }: VerbOptions, id: string | undefined): FailureValue | void {
  const config = shellConfig(shell);
  if (isFailure(config)) return config;
  const opened = openLedgers(config.dataDir);
  if (isFailure(opened)) return opened;
  using ledgers = opened;
  const look = { zone: config.zone, ...lookOf(shell.stdout) };
  if (id === undefined) {
    const newest = [...ledgers.byAgent.values()]
      .flatMap((ledger) => ledger.conversations(LISTED))
      .sort((a, b) => b.at - a.at)
      .slice(0, LISTED)
      .map(({ corr, at, first, state }) => ({ corr, at, state, words: wordsOf(first.details) }));
    if (json) printJson(shell, newest);
    else shell.stdout.write(`${renderConversations(newest, look)}\n`);
    return;
  }
  const corr = findOne(ledgers, id);
  if (isFailure(corr)) return corr;
  const steps = readTrace(ledgers, corr);
  if (json) printJson(shell, { corr, steps });
  else shell.stdout.write(`${renderTrace(corr, steps, look)}\n`);
}

function findOne(ledgers: OpenLedgers, id: string): string | FailureValue {
  const found = new Set([...ledgers.byAgent.values()].flatMap((ledger) => ledger.findConversation(id)));
  const [corr, ...others] = found;
  if (corr === undefined) {
    return failure("E_NOT_FOUND", `There is no conversation ${id}: \`voxtree trace\` lists the newest.`);
  }
  if (others.length === 0) return corr;
  const some = [corr, ...others].slice(0, 5).join(", ");
  return failure(
    "E_NOT_FOUND",
    `${id} stands for ${found.size} conversations: ${some}. Give more of the id.`,
  );
}
