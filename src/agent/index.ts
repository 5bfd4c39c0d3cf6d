export { createAgent, type Agent, type AgentParts, type ChildView, type PeopleParts } from "./agent.ts";
export type { AgentState } from "./lifecycle.ts";
export type { PersonsReply, PersonsWords } from "./people.ts";
export type { AgentRole, DisabledRoleNote } from "./roles.ts";
