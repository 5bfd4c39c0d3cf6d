export {
  startAgents,
  type HierarchyNode,
  type Orchestrator,
  type OrchestratorParts,
} from "./orchestrator.ts";
