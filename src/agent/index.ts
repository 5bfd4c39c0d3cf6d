export { createAgent } from "./agent.ts";
export { createHouse, type House } from "./house.ts";
export type { Agent, AgentParts, PeopleParts } from "./parts.ts";
export type { PersonsReply } from "./people.ts";
export type { PresenceChange } from "./presence.ts";
export { createOwnStore } from "./staged-store.ts";
export type { AgentRole, DisabledRoleNote } from "./roles.ts";
