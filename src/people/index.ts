export type { Knocked } from "./door.ts";
export { openPeople, type People, peoplePath } from "./people.ts";
export { ACCESSES, type KnownPerson } from "./person.ts";
