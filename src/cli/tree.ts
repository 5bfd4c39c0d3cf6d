import type { AgentFolder } from "../catalog/index.ts";
import { readTree } from "../catalog/index.ts";
import type { FailureValue } from "../envelope/index.ts";
import { failure, isFailure } from "../envelope/index.ts";
import { KNOWN_CAPABILITIES } from "./known.ts";
import { isRunning } from "./running.ts";
import { renderTree, type ShownAgent } from "./render-tree.ts";
import { lookOf, printJson, shellConfig, type Shell } from "./shell.ts";
import { JSON_OPTION, type Verb, type VerbOptions } from "./verb.ts";

/** `voxtree tree`: the agents of the roles' folder, whether they run, what they offer, and what is disabled. */
export const tree: Verb = ({ program, shell, action }) => {
  program
    .command("tree")
    .description("show the agents, what each offers, and what is disabled")
    .option(...JSON_OPTION)
    .action(action((options) => showTree(shell, options)));
};

async function showTree(shell: Shell, { json, roles }: VerbOptions): Promise<FailureValue | void> {
  const config = shellConfig(shell);
  if (isFailure(config)) return config;
  const { agents, problems } = await readTree(roles, KNOWN_CAPABILITIES);
  if (problems.length > 0) return failure("E_MANIFEST", problems.map(({ text }) => text).join("\n"));
  const root = agents.find(({ manifest }) => manifest.master_id === "");
  if (!root)
    return failure("E_MANIFEST", `There is no root in ${roles}: one agent.yml must have an empty master_id.`);
  const view = viewOf(root, agents, config.dataDir);
  if (json) printJson(shell, view);
  else shell.stdout.write(`${renderTree(view, lookOf(shell.stdout))}\n`);
}

function viewOf(
  folder: AgentFolder,
  agents: readonly AgentFolder[],
  dataDir: string,
): ShownAgent & { readonly id: string } {
  const { id, name } = folder.manifest;
  return {
    id,
    name,
    state: isRunning(dataDir, name) ? "ACTIVE" : "STOPPED",
    health: folder.disabled.length > 0 ? "degraded" : "ok",
    commands: folder.roles.flatMap((role) => role.commands.map((command) => ({ name: command.name }))),
    disabled: folder.disabled,
    children: agents
      .filter(({ manifest }) => manifest.master_id === id)
      .map((child) => viewOf(child, agents, dataDir)),
  };
}
