export * from "./aee.ts";
export * from "./canonical.ts";
export * from "./clock.ts";
export * from "./convert.ts";
export * from "./describe-error.ts";
export * from "./failures.ts";
export * from "./ids.ts";
export * from "./vox.ts";
export { readRegularFile, replaceFile } from "./regular-file.ts";
