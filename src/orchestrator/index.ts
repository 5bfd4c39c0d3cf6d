export { startAgents, type Orchestrator, type OrchestratorParts } from "./orchestrator.ts";
export { placesOfTree } from "./whole-tree.ts";
