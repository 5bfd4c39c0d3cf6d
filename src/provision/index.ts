/** Writes what agents need to run apart: whom each knows, and the containers that they run in. */
export { provisionFiles } from "./files.ts";
export { writeProvisioned } from "./write.ts";
