/** Reads agents and their roles without running them; then loads the roles that are fit to run. */
export { readAgent, type AgentFolder } from "./agent-folder.ts";
export type { AnyRole } from "./any-role.ts";
export { loadRole, type LoadedRole } from "./load.ts";
export { AgentManifest, agentManifestSchema } from "./manifest.ts";
export {
  findPlace,
  isNeighbours,
  NEIGHBOURS_FILE,
  neighboursOf,
  type AgentPlace,
  type Neighbours,
} from "./neighbours.ts";
export type { DisabledRole } from "./role-file.ts";
export { readTree, type Tree } from "./tree.ts";
