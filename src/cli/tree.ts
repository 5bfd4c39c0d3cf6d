import type { AgentFolder, AgentPlace } from "../catalog/index.ts";
import { findPlace, readTree } from "../catalog/index.ts";
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
  const view = await readView(roles, config.dataDir);
  if (isFailure(view)) return view;
  if (json) printJson(shell, view);
  else shell.stdout.write(`${renderTree(view, lookOf(shell.stdout))}\n`);
}

/** The whole tree, or where one agent's folder stands alone, as in its container, that agent between its neighbours. */
async function readView(rolesDir: string, dataDir: string): Promise<ShownAgent | FailureValue> {
  const { agents, problems } = await readTree(rolesDir, KNOWN_CAPABILITIES);
  const [alone] = agents;
  if (alone && agents.length === 1) {
    const place = await findPlace(rolesDir, { name: alone.manifest.name, known: KNOWN_CAPABILITIES });
    return isFailure(place) ? place : viewOfPlace(place, dataDir);
  }
  if (problems.length > 0) return failure("E_MANIFEST", problems.map(({ text }) => text).join("\n"));
  const root = agents.find(({ manifest }) => manifest.master_id === "");
  if (root) return viewOf(root, agents, dataDir);
  return failure(
    "E_MANIFEST",
    `There is no root in ${rolesDir}: one agent.yml must have an empty master_id.`,
  );
}

function viewOfPlace({ folder, neighbours: { master, children } }: AgentPlace, dataDir: string): ShownAgent {
  const own = {
    ...viewOf(folder, [folder], dataDir),
    children: children.map((child) => elsewhere(child, [])),
  };
  return master === null ? own : elsewhere(master, [own]);
}

/** A neighbour whose folder and memory are not here. */
function elsewhere(
  { id, name }: { readonly id: string; readonly name: string },
  children: readonly ShownAgent[],
): ShownAgent & { readonly id: string } {
  return { id, name, state: "elsewhere", health: "ok", commands: [], disabled: [], children };
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
