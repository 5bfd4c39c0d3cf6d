export { startAgents, type Orchestrator, type OrchestratorParts } from "./orchestrator.ts";
