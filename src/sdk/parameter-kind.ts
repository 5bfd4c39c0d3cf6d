import { EntityKind } from "./param.ts";

/** What can fill a parameter; "text" is free text, "other" is what words cannot give (objects, mixed unions). */
export type ParameterKind = EntityKind | "email" | "choice" | "flag" | "text" | "other";

/** What stands in a parameter's JSON Schema of what it takes. */
export interface KindSchema {
  readonly entity?: unknown;
  readonly format?: unknown;
  readonly type?: unknown;
  /** Whether the values that it may have are listed. */
  readonly isCounted: boolean;
}

const BY_FORMAT: ReadonlyMap<unknown, ParameterKind> = new Map([
  ["uri", "url"],
  ["email", "email"],
  ["hostname", "host"],
  ["ipv4", "host"],
  ["ipv6", "host"],
  ["date-time", "when"],
]);
const BY_TYPE: ReadonlyMap<unknown, ParameterKind> = new Map([
  ["integer", "number"],
  ["number", "number"],
  ["boolean", "flag"],
  ["string", "text"],
]);

/** What can fill a parameter, by its JSON Schema. */
export function parameterKind({ entity, format, type, isCounted }: KindSchema): ParameterKind {
  const named = EntityKind.safeParse(entity);
  if (named.success) return named.data;
  if (isCounted) return "choice";
  return BY_FORMAT.get(format) ?? BY_TYPE.get(type) ?? "other";
}
