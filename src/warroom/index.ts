export { createLogRoom } from "./log-room.ts";
export type { AlertReader, Room, RoomFailure, RoomOutcome } from "./ports.ts";
export type { Acted } from "./acts.ts";
export type { IncidentView } from "./overview.ts";
export { openWarRoom, type WarRoom } from "./war-room.ts";
