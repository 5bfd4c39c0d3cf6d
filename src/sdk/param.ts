import { z } from "zod";

/** What kind of thing in a person's words fills a parameter. It stands in the JSON Schema as `entity`. */
export const EntityKind = z.enum([
  "url",
  "host",
  "port",
  "number",
  "duration",
  "when",
  "quoted",
  "rest",
  "request",
  "asker",
]);
export type EntityKind = z.output<typeof EntityKind>;

// A label of a host name: letters and digits of any script, with - and _ within.
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_\-]{0,61}[\p{L}\p{N}\p{M}])?`;
const NAME = new RegExp(String.raw`^${LABEL}(?:\.${LABEL})*\.?$`, "v");
// A last label of digits alone makes it an address, as in URLs.
const ENDS_IN_NUMBER = /(?:^|\.)\d+\.?$/;

const entity = (kind: EntityKind) => ({ entity: kind });

/** Parameters that are found in plain words. Each is an ordinary zod type; add `.describe()`, `.optional()`, `.default()` as usual. */
export const param = {
  /** A host name or an IP address, IPv6 with or without brackets. */
  host: () => z.string().max(253).refine(isHost, "is not a host name or an IP address").meta(entity("host")),
  /** A TCP port, 1 to 65535. */
  port: () => z.int().min(1).max(65_535).meta(entity("port")),
  /** A length of time in ms, from words such as "5 min"; a bare number is not a duration. */
  durationMs: () => z.int().nonnegative().meta(entity("duration")),
  /** A moment as ISO 8601 with offset, from words such as "tomorrow at 9", in the zone of who asked. */
  when: () => z.iso.datetime({ offset: true }).meta(entity("when")),
  /** What is left of the text when every other parameter has been taken out. */
  rest: () => z.string().meta(entity("rest")),
  /**
   * What a role is to ask for later, by `delegate`: a command that only looks, as the rest of the text asks for it. `words`
   * spells it as a slash command. Parse it again before it is used: a command may have changed since.
   */
  request: () =>
    z
      .strictObject({
        command: z.string().max(64),
        params: z.record(z.string(), z.unknown()),
        words: z.string().max(1000),
      })
      .meta(entity("request")),
  /** What whoever asks is called, for people to read. The root fills it in; no words can. */
  asker: () => z.string().max(200).meta(entity("asker")),
} as const;

function isHost(text: string): boolean {
  if (text.includes(":")) return isIpv6(/^\[(.*)\]$/.exec(text)?.[1] ?? text);
  return ENDS_IN_NUMBER.test(text) ? z.regexes.ipv4.test(text) : NAME.test(text);
}

function isIpv6(text: string): boolean {
  return /^[\da-f:.]{2,45}$/i.test(text) && URL.canParse(`http://[${text}]`);
}
