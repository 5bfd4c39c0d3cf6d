import { describe, expect, test } from "vitest";
import { z } from "zod";
import { EntityKind, param } from "../../src/sdk/param.ts";

const schemaOf = (shape: z.ZodRawShape) => z.toJSONSchema(z.object(shape), { io: "input" });

describe("what fills a parameter stands in its JSON Schema", () => {
  test("with the bounds of its value", () => {
    expect(
      schemaOf({
        host: param.host(),
        port: param.port(),
        every: param.durationMs(),
        when: param.when(),
        text: param.rest(),
      }),
    ).toMatchObject({
      type: "object",
      properties: {
        host: { type: "string", maxLength: 253, entity: "host" },
        port: { type: "integer", minimum: 1, maximum: 65535, entity: "port" },
        every: { type: "integer", minimum: 0, entity: "duration" },
        when: { type: "string", format: "date-time", entity: "when" },
        text: { type: "string", entity: "rest" },
      },
      required: ["host", "port", "every", "when", "text"],
    });
  });

  test("through describe, optional, default, further checks and transforms", () => {
    expect(
      schemaOf({
        described: param.host().describe("Which host"),
        optional: param.port().optional(),
        defaulted: param.durationMs().default(60_000),
        described_last: param.port().optional().describe("Which port"),
        checked: param.rest().min(3),
        refined: param.port().refine((port) => port !== 25),
        changed: param.rest().transform((text) => text.length),
        several: z.array(param.host()),
      }),
    ).toMatchObject({
      properties: {
        described: { entity: "host", description: "Which host" },
        optional: { entity: "port" },
        defaulted: { entity: "duration", default: 60_000 },
        described_last: { entity: "port", description: "Which port" },
        checked: { entity: "rest", minLength: 3 },
        refined: { entity: "port" },
        changed: { entity: "rest" },
        several: { items: { entity: "host" } },
      },
      required: ["described", "checked", "refined", "changed", "several"],
    });
  });

  test("and is one of the kinds that can be found in words", () => {
    expect(EntityKind.options).toEqual([
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
  });

  test("each call makes a parameter of its own", () => {
    expect(param.host().describe("a")).not.toBe(param.host());
    expect(param.host().description).toBeUndefined();
  });
});

describe("a host", () => {
  test.each([
    "example.com",
    "example.com.",
    "localhost",
    "db-1.internal",
    "my_service",
    "xn--mnchen-3ya.de",
    "münchen.de",
    "例え.jp",
    "हिन्दी.भारत",
    "3com.com",
    "127.0.0.1",
    "::1",
    "2001:db8::1",
    "[2001:db8::1]",
    "::ffff:10.0.0.1",
    `${"a".repeat(63)}.com`,
  ])("may be %s", (host) => {
    expect(param.host().parse(host)).toBe(host);
  });

  test.each([
    "",
    ".",
    "a..b",
    ".example.com",
    "-a.example.com",
    "a-.example.com",
    "example.com:443",
    "face:80",
    "[::1",
    "::1]",
    "[127.0.0.1]",
    "1::2::3",
    "https://example.com",
    "example.com/path",
    "user@example.com",
    "a b",
    " example.com",
    "example.com\n",
    "300.1.1.1",
    "1.2.3",
    "80",
    "127.0.0.1.",
    `${"a".repeat(64)}.com`,
    `${"a.".repeat(126)}com`,
  ])("may not be %j", (host) => {
    expect(param.host().safeParse(host).success).toBe(false);
  });

  test("of a million characters is refused quickly", () => {
    const began = process.cpuUsage().user;
    for (const text of [
      "a".repeat(1e6),
      "a.".repeat(5e5),
      "1.".repeat(5e5),
      ":".repeat(1e6),
      "a-".repeat(5e5),
    ]) {
      expect(param.host().safeParse(text).success).toBe(false);
    }
    expect((process.cpuUsage().user - began) / 1e6).toBeLessThan(1);
  });
});

describe("other parameters", () => {
  test.each([1, 443, 65535])("a port may be %j", (port) => {
    expect(param.port().parse(port)).toBe(port);
  });

  test.each([0, 65536, 1.5, -1, "443", Number.NaN])("a port may not be %j", (port) => {
    expect(param.port().safeParse(port).success).toBe(false);
  });

  test.each([-1, 0.5, "5 min", Infinity])("a duration may not be %j", (duration) => {
    expect(param.durationMs().safeParse(duration).success).toBe(false);
  });

  test.each(["2026-03-01T09:00:00+01:00", "2026-03-01T08:00:00Z", "2026-03-01T08:00:00.5-03:30"])(
    "a moment may be %s",
    (at) => {
      expect(param.when().parse(at)).toBe(at);
    },
  );

  test.each(["2026-03-01T09:00:00", "2026-03-01", "2026-02-29T09:00:00Z", "tomorrow at 9"])(
    "a moment may not be %s",
    (at) => {
      expect(param.when().safeParse(at).success).toBe(false);
    },
  );
});
