import type { AgentFolder } from "../catalog/index.ts";
import { loadRole, readTree } from "../catalog/index.ts";
import type { Outcome } from "../dialogue/index.ts";
import type { FailureValue } from "../envelope/index.ts";
import { failure, isFailure } from "../envelope/index.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";
import { KNOWN_CAPABILITIES } from "./known.ts";
import { printJson, printText, shellConfig, type Shell } from "./shell.ts";
import { JSON_OPTION, type Verb, type VerbOptions } from "./verb.ts";

/** `voxtree explain "<text>"`: what the words would set off, and what decided. Nothing is run. */
export const explain: Verb = ({ program, shell, action }) => {
  program
    .command("explain")
    .description("say what words would set off, and what decided; nothing is run")
    .argument("<text...>", "what a person might write")
    .option(...JSON_OPTION)
    .action(action((options, ...words) => explainText(shell, options, words.join(" "))));
};

async function explainText(
  shell: Shell,
  { json, roles }: VerbOptions,
  text: string,
): Promise<FailureValue | void> {
  const config = shellConfig(shell);
  if (isFailure(config)) return config;
  const tree = await readTree(roles, KNOWN_CAPABILITIES);
  if (tree.problems.length > 0)
    return failure("E_MANIFEST", tree.problems.map((problem) => problem.text).join("\n"));
  const commands = await loadCommands(tree.agents);
  // Loaded late: the other verbs read no words, and are quick.
  const { createUnderstandingCapability } = await import("../capabilities/understanding/index.ts");
  const understanding = createUnderstandingCapability({ now: Date.now }).mount();
  const explained = understanding.explain(text, commands, config.zone);
  if (json) return printJson(shell, explained);
  const { zone, score, second, candidates, scored, features, entities, outcome } = explained;
  const lines = [
    `scored as   ${scored}`,
    `zone        ${zone} (best ${score.toFixed(3)}, second ${second.toFixed(3)})`,
    `candidates  ${candidates.map((one) => `${one.command} ${one.score.toFixed(3)}`).join(", ")}`,
    `found       ${entities.map(({ kind, text: words }) => `${kind} "${words}"`).join(", ") || "nothing"}`,
    `spoke up    ${features.map(({ feature, contribution }) => `${feature} ${contribution.toFixed(3)}`).join(", ")}`,
    `outcome     ${outcomeText(outcome)}`,
  ];
  printText(shell, lines.join("\n"));
}

function outcomeText(outcome: Outcome): string {
  if (outcome.kind === "run") return `runs ${outcome.understood}`;
  if (outcome.kind === "builtin") return `answers /${outcome.name} ${outcome.argument}`.trimEnd();
  const choices = outcome.kind === "ask" ? outcome.choices : [];
  const lines = [`says: ${outcome.text}`, ...choices.map(({ label }, i) => `  ${i + 1}  ${label}`)];
  return lines.join("\n").replaceAll("\n", `\n${" ".repeat(12)}`);
}

async function loadCommands(agents: readonly AgentFolder[]): Promise<readonly CommandAnnouncement[]> {
  const loaded = await Promise.all(agents.flatMap(({ roles }) => roles.map(loadRole)));
  const announced = loaded.flatMap((role) => ("announcements" in role ? role.announcements : []));
  // Members of a pool offer a command together: it is one to choose from.
  return [...Map.groupBy(announced, ({ name }) => name).values()].flatMap((same) => same.slice(0, 1));
}
