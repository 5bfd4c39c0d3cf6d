import { neighboursOf, type AgentFolder, type AgentPlace } from "../catalog/index.ts";
import { failure, type FailureValue } from "../envelope/index.ts";

/** The agents of a tree that runs in one process, children before their masters: all that start by themselves and whose masters do. */
export function placesOfTree(agents: readonly AgentFolder[]): readonly AgentPlace[] | FailureValue {
  const folders = startable(agents);
  const root = folders.find(({ manifest }) => manifest.master_id === "");
  if (!root)
    return failure(
      "E_MANIFEST",
      "No agent is the root that starts by itself: one agent.yml must have an empty master_id and no autostart: false.",
    );
  return fromLeaves(root, folders).map((folder) => ({ folder, neighbours: neighboursOf(folder, folders) }));
}

function startable(folders: readonly AgentFolder[]): readonly AgentFolder[] {
  const byId = new Map(folders.map((folder) => [folder.manifest.id, folder]));
  const starts = (folder: AgentFolder | undefined): boolean => {
    if (!folder?.manifest.autostart) return false;
    return folder.manifest.master_id === "" || starts(byId.get(folder.manifest.master_id));
  };
  return folders.filter(starts);
}

function fromLeaves(folder: AgentFolder, folders: readonly AgentFolder[]): AgentFolder[] {
  const children = folders.filter(({ manifest }) => manifest.master_id === folder.manifest.id);
  return [...children.flatMap((child) => fromLeaves(child, folders)), folder];
}
