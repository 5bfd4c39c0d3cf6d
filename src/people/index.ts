export type { PairingCode } from "./codes.ts";
export type { Door, Knocked, Stranger } from "./door.ts";
export { openPeople, type People, peoplePath } from "./people.ts";
export { ACCESSES, type KnownPerson, type Person } from "./person.ts";
export type { RecordEntry } from "./store.ts";
