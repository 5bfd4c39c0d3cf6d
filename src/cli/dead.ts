import { oneLine, safeJson } from "../capabilities/comm-gateway/render-terminal.ts";
import type { FailureValue } from "../envelope/index.ts";
import { failure, isFailure } from "../envelope/index.ts";
import type { DeadLetter, LedgerReading } from "../ledger/index.ts";
import { show as inWords } from "../sdk/show.ts";
import { openLedgers } from "./ledgers.ts";
import { momentText } from "./moment.ts";
import { isRunning } from "./running.ts";
import { printJson, printText, shellConfig, type Shell } from "./shell.ts";
import { JSON_OPTION, type Verb, type VerbOptions } from "./verb.ts";

interface FoundLetter extends DeadLetter {
  readonly agent: string;
  readonly ledger: LedgerReading;
}

interface Letters {
  readonly letters: readonly FoundLetter[];
  /** IANA time zone of the times that are shown. */
  readonly zone: string;
  readonly dataDir: string;
}

/** How long a dead letter that is given another run waits for its agent to be started; its own time counts from then. */
const RETRY_WITHIN_MS = 24 * 60 * 60 * 1000;

/** `voxtree dead list|show|retry|drop`: requests that were put aside because they crashed or threw. */
export const dead: Verb = ({ program, shell, action }) => {
  const verb = program
    .command("dead")
    .description("requests that were put aside: look at them, run them again, drop them");
  verb
    .command("list", { isDefault: true })
    .description("list them")
    .option(...JSON_OPTION)
    .action(action((options) => withLetters(shell, {}, (found) => list(shell, options, found))));
  verb
    .command("show")
    .description("show one, whole")
    .argument("<id>", "its id, or the end of it as `list` shows it")
    .option(...JSON_OPTION)
    .action(
      action((options, id = "") =>
        withLetter(shell, id, {}, (letter, { zone }) => show(shell, options, { letter, zone })),
      ),
    );
  verb
    .command("retry")
    .description("run one again: a running agent takes it up within seconds, another at its start")
    .argument("<id>", "its id, or the end of it")
    .action(
      action((_, id = "") =>
        withLetter(shell, id, { forRepair: true }, (letter, { dataDir }) => retry(shell, letter, dataDir)),
      ),
    );
  verb
    .command("drop")
    .description("give one up for good; its record stays")
    .argument("<id>", "its id, or the end of it")
    .action(
      action((_, id = "") =>
        withLetter(shell, id, { forRepair: true }, ({ agent, ledger, n, message }) => {
          ledger.drop(n);
          printText(shell, `${message.message_id} is no longer kept among the dead letters of ${agent}.`);
        }),
      ),
    );
};

function list(shell: Shell, { json }: VerbOptions, { letters, zone }: Letters): void {
  if (json) return printJson(shell, letters.map(facts));
  const all = letters.map(facts).map((one) => ({
    ...one,
    agent: oneLine(one.agent),
    command: oneLine(one.command),
    code: oneLine(one.failure?.failure ?? ""),
  }));
  if (all.length === 0) return printText(shell, "There are no dead letters.");
  const widest = (column: "agent" | "command"): number => Math.max(...all.map((one) => one[column].length));
  const [agents, commands] = [widest("agent"), widest("command")];
  const rows = all.map(({ id, agent, at, command, code }) =>
    [momentText(at, zone), id, agent.padEnd(agents), command.padEnd(commands), code].join("  "),
  );
  const hint = `Times are in ${zone}. \`voxtree dead show <id>\` shows one whole.`;
  printText(shell, [...rows, "", hint].join("\n"));
}

function show(
  shell: Shell,
  { json }: VerbOptions,
  { letter, zone }: { letter: FoundLetter; zone: string },
): void {
  const { id, agent, at, command, failure: why, from, corr } = facts(letter);
  if (json) return printJson(shell, { ...facts(letter), envelope: letter.message });
  const lines = [
    `${oneLine(command)} asked of ${agent} by ${from} at ${momentText(at, zone)} ${zone}`,
    oneLine(`${why?.failure ?? "no code"}: ${why?.text ?? ""}`),
    "",
    safeJson(letter.message.details, 2),
    "",
    `What led to it:  voxtree trace ${corr}`,
    `Run it again:    voxtree dead retry ${id}`,
    `Give it up:      voxtree dead drop ${id}`,
  ];
  printText(shell, lines.join("\n"));
}

/** Gives a letter another run; when that comes depends on whether its agent is there. */
function retry(shell: Shell, { agent, ledger, n, message }: FoundLetter, dataDir: string): void {
  ledger.retry(n, Date.now() + RETRY_WITHIN_MS);
  const when = isRunning(dataDir, agent)
    ? "within seconds"
    : `as soon as it is started, if that is within ${inWords.duration(RETRY_WITHIN_MS)}`;
  printText(shell, `${agent} runs ${message.message_id} again ${when}.`);
}

function facts({ agent, peer, at, message, failure: why }: FoundLetter) {
  const { command, event } = message.details;
  return {
    id: message.message_id,
    corr: message.corr ?? message.message_id,
    agent,
    from: peer,
    at,
    command: typeof command === "string" ? command : typeof event === "string" ? event : message.intent,
    failure: why ?? null,
  };
}

function withLetters(
  shell: Shell,
  how: { readonly forRepair?: boolean },
  use: (found: Letters) => FailureValue | void,
): FailureValue | void {
  const config = shellConfig(shell);
  if (isFailure(config)) return config;
  const opened = openLedgers(config.dataDir, how);
  if (isFailure(opened)) return opened;
  using ledgers = opened;
  const letters = [...ledgers.byAgent].flatMap(([agent, ledger]) =>
    ledger.dead().map((letter) => ({ ...letter, agent, ledger })),
  );
  return use({ letters, zone: config.zone, dataDir: config.dataDir });
}

/** Finds the one letter that an id stands for; the id may be cut at its beginning. */
function withLetter(
  shell: Shell,
  id: string,
  ...[how, use]: [{ readonly forRepair?: boolean }, (letter: FoundLetter, all: Letters) => void]
): FailureValue | void {
  return withLetters(shell, how, (all) => {
    const { letters } = all;
    const found = letters.filter(({ message }) => message.message_id.endsWith(id.toLowerCase()));
    const [letter] = found;
    if (!letter)
      return failure(
        "E_NOT_FOUND",
        `There is no dead letter ${id}: \`voxtree dead list\` shows what there is.`,
      );
    if (found.length > 1)
      return failure("E_NOT_FOUND", `${id} stands for ${found.length} dead letters: give more of the id.`);
    return use(letter, all);
  });
}
