export { createAgent, type Agent, type AgentParts, type PeopleParts } from "./agent.ts";
export { createHouse, type House } from "./house.ts";
export type { PersonsReply } from "./people.ts";
export type { AgentRole, DisabledRoleNote } from "./roles.ts";
