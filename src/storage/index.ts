export * from "./database.ts";
export * from "./lock.ts";
