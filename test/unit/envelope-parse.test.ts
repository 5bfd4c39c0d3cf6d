import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonicalJson,
  ErrorDetails,
  parseCanonical,
  parseEnvelope,
  RequestDetails,
  toAee,
  toVox,
} from "../../src/envelope/index.ts";
import { base, envelope, FIELDS, message } from "../support/envelopes.ts";

describe("parseEnvelope says what is wrong", () => {
  test.each([
    ["no object", "text", "envelope: Invalid input: expected object, received string"],
    ["an array", [], "envelope: Invalid input: expected object, received array"],
    ["a short id", { ...base, id: "1234567" }, "id: Too small: expected string to have >=8 characters"],
    [
      "an answer to nothing",
      { ...base, type: "result", message_type: "command_result" },
      "reply_to: a result or an error must name the envelope it answers (AEE v1, field 9)",
    ],
    ["no sender's name", { ...base, message_source: "" }, "message_source: must name the sender"],
    ["an unknown kind", { ...base, message_type: "gossip" }, "message_type: is not known here"],
    [
      "a kind by the name of an inherited property",
      { ...base, message_type: "toString" },
      "message_type: is not known here",
    ],
    [
      "a kind that belongs to another type",
      { ...base, message_type: "command_result" },
      "message_type: does not belong to the envelope's type",
    ],
    ["a short reply_to", { ...base, reply_to: "x" }, "reply_to: must be null or at least 8 characters long"],
  ])("%s", (_, value, expected) => {
    expect(parseEnvelope(value)).toBe(expected);
  });

  test("and gives the envelope and the message otherwise", () => {
    const parsed = parseEnvelope(base);
    expect(parsed).toMatchObject({
      envelope: base,
      message: { message_id: base.id, type: "command_request" },
    });
  });

  test("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withDate: true, withMap: true }), (value) => {
        expect(typeof parseEnvelope(value)).toBe("string");
      }),
    );
    fc.assert(
      fc.property(
        envelope,
        fc.constantFrom(...FIELDS),
        fc.anything({ withDate: true }),
        (made, field, value) => {
          expect(["string", "object"]).toContain(typeof parseEnvelope({ ...made, [field]: value }));
        },
      ),
    );
  });

  test("a payload nested 200,000 levels deep does not end the process", () => {
    const payload = JSON.parse('{"a":'.repeat(200_000) + "1" + "}".repeat(200_000)) as object;
    expect(parseEnvelope({ ...base, payload })).toBeTypeOf("object");
  });
});

describe("what is parsed is frozen", () => {
  const door = () => {
    const parsed = parseEnvelope(
      parseCanonical(canonicalJson({ ...base, x_vendor: { list: [{ a: 1 }] } }))?.value,
    );
    if (typeof parsed === "string") throw new Error(parsed);
    return parsed;
  };

  test("writing to the envelope, at any depth, throws", () => {
    const { envelope: parsed } = door();
    expect(() => Object.assign(parsed, { to: "agent.c" })).toThrow(TypeError);
    expect(() => Object.assign(parsed.payload, { command: "drop" })).toThrow(TypeError);
    expect(() => Object.assign(parsed.payload["params"] as object, { url: "x" })).toThrow(TypeError);
    expect(() => (parsed.payload["params"] as { tags: string[] }).tags.push("b")).toThrow(TypeError);
  });

  test("writing to the message, at any depth, throws", () => {
    const { message: parsed } = door();
    expect(() => Object.assign(parsed, { target: "agent.c" })).toThrow(TypeError);
    expect(() => Object.assign(parsed.details, { command: "drop" })).toThrow(TypeError);
    expect(() => Object.assign(parsed.extensions as object, { x: 1 })).toThrow(TypeError);
    const { x_vendor } = parsed.extensions as { x_vendor: { list: unknown[] } };
    expect(() => x_vendor.list.push(1)).toThrow(TypeError);
  });

  test("so is what the conversions give", () => {
    fc.assert(
      fc.property(message, (made) => {
        expect(Object.isFrozen(toAee(made))).toBe(true);
        expect(Object.isFrozen(toVox(toAee(made)))).toBe(true);
      }),
    );
  });
});

describe("prototype pollution", () => {
  const hostile = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`;

  test("a text with __proto__ at any level is not canonical", () => {
    const text = canonicalJson(base);
    expect(parseCanonical(text.replace("{", '{"__proto__":{"polluted":1},'))).toBeUndefined();
    expect(
      parseCanonical(text.replace('"params":{', '"params":{"__proto__":{"polluted":1},')),
    ).toBeUndefined();
  });

  test("an envelope with __proto__ that came by another way gains no property by it", () => {
    const value = { ...base, payload: JSON.parse(hostile) as object };
    Object.defineProperty(value, "__proto__", {
      value: { message_source: "root", polluted: 1 },
      enumerable: true,
    });
    const parsed = parseEnvelope(value);
    if (typeof parsed === "string") throw new Error(parsed);
    expect(Object.keys(parsed.envelope)).not.toContain("__proto__");
    expect(Object.getPrototypeOf(parsed.envelope.payload)).toBe(Object.prototype);
    expect("polluted" in parsed.envelope).toBe(false);
    expect("polluted" in parsed.message.details).toBe(false);
    expect(parsed.message.message_source).toBe("ops");
    expect("polluted" in {}).toBe(false);
  });
});

describe("payloads", () => {
  test("a request names its command and its parameters, and keeps the rest", () => {
    expect(RequestDetails.parse({ command: "http", params: {}, confirmed: true })).toEqual({
      command: "http",
      params: {},
      confirmed: true,
    });
    expect(RequestDetails.safeParse({ command: "", params: {} }).success).toBe(false);
    expect(RequestDetails.safeParse({ command: "http", params: [] }).success).toBe(false);
  });

  test("an error is not worth repeating unless it says so", () => {
    expect(ErrorDetails.parse({ code: "E_BUSY", message: "m" })).toEqual({
      code: "E_BUSY",
      message: "m",
      retryable: false,
    });
  });
});
