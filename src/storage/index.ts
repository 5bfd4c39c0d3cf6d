export * from "./database.ts";
export { makeFolder, refuseIrregular } from "./folder.ts";
export * from "./lock.ts";
