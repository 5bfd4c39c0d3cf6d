export { createUnderstandingCapability } from "./understanding.ts";
