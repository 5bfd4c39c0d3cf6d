/** Writes what agents need to run apart: whom each knows, and the containers that they run in. */
export { provisionFiles, type ProvisionedFile } from "./files.ts";
export { writeProvisioned, type Outcome } from "./write.ts";
