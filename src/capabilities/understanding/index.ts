export {
  createUnderstandingCapability,
  type MountedUnderstanding,
  type Understanding,
  type UnderstandingDefinition,
  type Words,
} from "./understanding.ts";
