import { readTree } from "../catalog/index.ts";
import { shownPath } from "../catalog/suggest.ts";
import type { FailureValue } from "../envelope/index.ts";
import { failure, isFailure } from "../envelope/index.ts";
import { provisionFiles, writeProvisioned } from "../provision/index.ts";
import { KNOWN_CAPABILITIES } from "./known.ts";
import { printJson, printText, type Shell } from "./shell.ts";
import { JSON_OPTION, type Verb, type VerbOptions } from "./verb.ts";

/** `voxtree provision`: writes what agents need to run apart, and says what it wrote. */
export const provision: Verb = ({ program, shell, action }) => {
  program
    .command("provision")
    .description("write whom each agent knows (neighbours.json) and docker-compose.yml")
    .option(...JSON_OPTION)
    .action(action((options) => provisionTree(shell, options)));
};

async function provisionTree(shell: Shell, { roles, json }: VerbOptions): Promise<FailureValue | void> {
  const { agents, problems } = await readTree(roles, KNOWN_CAPABILITIES);
  if (problems.length > 0) return failure("E_MANIFEST", problems.map(({ text }) => text).join("\n"));
  if (agents.length === 0) {
    return failure("E_MANIFEST", `There is no agent in ${roles}: make one by \`voxtree new agent <name>\`.`);
  }
  const files = provisionFiles({ agents, rolesDir: roles, projectDir: shell.projectDir });
  if (isFailure(files)) return files;
  const outcomes = await writeProvisioned(files);
  if (isFailure(outcomes)) return outcomes;
  const shown = outcomes.map(({ path, state }) => ({ path: shownPath(path), state }));
  if (json) printJson(shell, shown);
  else printText(shell, shown.map(({ path, state }) => `${state.padEnd(9)} ${path}`).join("\n"));
}
