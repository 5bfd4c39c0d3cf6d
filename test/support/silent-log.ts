import type { Log } from "../../src/sdk/context.ts";

/** A log that says nothing. */
export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
