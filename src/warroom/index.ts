export { createLogRoom } from "./log-room.ts";
export type {
  AlertReader,
  Room,
  RoomButton,
  RoomEdit,
  RoomFailure,
  RoomOutcome,
  RoomPost,
  StreamedAlert,
} from "./ports.ts";
export type { Acted, Actor } from "./acts.ts";
export type { IncidentView } from "./overview.ts";
export { openWarRoom, type WarRoom, type WarRoomParts } from "./war-room.ts";
