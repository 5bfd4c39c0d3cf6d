import { z } from "zod";

/** What kind of thing in a person's words fills a parameter. It stands in the JSON Schema as `entity`. */
export const EntityKind = z.enum(["url", "host", "port", "number", "duration", "when", "quoted", "rest"]);
export type EntityKind = z.output<typeof EntityKind>;

const HOST =
  /^(?:\[[0-9a-fA-F:.]+\]|[0-9a-fA-F:]+:[0-9a-fA-F:.]*|[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?\.?)$/u;

/** Parameters that are found in plain words. Each is an ordinary zod type; add `.describe()`, `.optional()`, `.default()` as usual. */
export const param = {
  /** A host name or an IP address. */
  host: () => z.string().max(253).regex(HOST, "is not a host name or an IP address").meta({ entity: "host" }),
  /** A TCP port, 1 to 65535. */
  port: () => z.int().min(1).max(65_535).meta({ entity: "port" }),
  /** A length of time in ms, from words such as "5 min"; a bare number is not a duration. */
  durationMs: () => z.int().nonnegative().meta({ entity: "duration" }),
  /** A moment as ISO 8601 with offset, from words such as "tomorrow at 9", in the zone of who asked. */
  when: () => z.iso.datetime({ offset: true }).meta({ entity: "when" }),
  /** What is left of the text when every other parameter has been taken out. */
  rest: () => z.string().meta({ entity: "rest" }),
} as const;
