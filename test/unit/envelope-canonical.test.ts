import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CANONICAL_MAX_DEPTH,
  canonicalJson,
  parseCanonical,
  whyNotCanonical,
} from "../../src/envelope/index.ts";

const key = fc.string({ unit: "binary", maxLength: 8 }).filter((name) => name !== "__proto__");
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;

/** What canonical JSON may change: strings become NFC, -0 becomes 0. */
function normal(value: unknown): unknown {
  if (typeof value === "string") return value.normalize("NFC");
  if (typeof value === "number") return value === 0 ? 0 : value;
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.normalize("NFC"), normal(member)]),
  );
}

function hasColliding(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const names = Object.keys(value).map((name) => name.normalize("NFC"));
  return new Set(names).size < names.length || Object.values(value).some(hasColliding);
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

const writable = json.filter((value) => !hasColliding(value));

describe("canonical JSON holds for every value", () => {
  test("it can be read back as the same value, up to NFC and the sign of zero", () => {
    fc.assert(
      fc.property(writable, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(normal(value));
      }),
    );
  });

  test("writing what was read gives the same text, so its own parser accepts it", () => {
    fc.assert(
      fc.property(writable, (value) => {
        const text = canonicalJson(value);
        expect(parseCanonical(text)).toEqual({ value: JSON.parse(text) });
      }),
    );
  });

  test("the order in which keys were set does not matter", () => {
    fc.assert(
      fc.property(writable, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  test("keys stand in the order of their UTF-8 bytes", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: "grapheme", maxLength: 6 }).map((name) => name.normalize("NFC"))),
        (names) => {
          const kept = names.filter((name) => name !== "__proto__");
          const pairs = Object.fromEntries(kept.map((name) => [name, 0]));
          const expected = kept.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          expect(canonicalJson(pairs)).toBe(
            `{${expected.map((name) => `${JSON.stringify(name)}:0`).join(",")}}`,
          );
        },
      ),
    );
  });

  test("numbers never have an exponent and read back exactly", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = canonicalJson(value);
        expect(text).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});

describe("canonical JSON writes", () => {
  test.each([
    ["an empty object", {}, "{}"],
    ["an empty array", [], "[]"],
    [
      "no white space and sorted keys at every level",
      { b: [1, { d: 1, c: 2 }], a: null },
      '{"a":null,"b":[1,{"c":2,"d":1}]}',
    ],
    ["integer-like keys as text", { 10: "x", 9: "y", a: 1 }, '{"10":"x","9":"y","a":1}'],
    ["upper case before lower case", { a: 1, B: 2, _: 3 }, '{"B":2,"_":3,"a":1}'],
    ["an integral number without a point", 1.0, "1"],
    ["minus zero as zero", -0, "0"],
    ["a large number in full", 1e21, "1000000000000000000000"],
    ["a large number with several digits in full", -1.25e22, "-12500000000000000000000"],
    ["a small number in full", 1e-7, "0.0000001"],
    ["a small negative number in full", -1.5e-9, "-0.0000000015"],
    ["2 to the power of 53", 2 ** 53, "9007199254740992"],
    ["a fraction at its shortest", 0.1, "0.1"],
    ["a decomposed letter as one", "e\u0301", '"\u00e9"'],
    ["the Angstrom sign as the letter", "\u212b", '"\u00c5"'],
    ["astral characters as they are", "😀", '"😀"'],
    ["short escapes", '\b\t\n\f\r"\\', '"\\b\\t\\n\\f\\r\\"\\\\"'],
    ["other control characters in lower-case hex", "\u0000\u001f", '"\\u0000\\u001f"'],
    ["delete and line separators as they are", "\u007f\u2028/", '"\u007f\u2028/"'],
    ["a lone surrogate as its escape", "a\ud83d", '"a\\ud83d"'],
    ["missing items as null", [undefined, 1], "[null,1]"],
    ["nothing for a missing property", { a: undefined, b: 1 }, '{"b":1}'],
  ])("%s", (_, value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  test("the smallest double in full: 323 zeros after the point, then 5", () => {
    expect(canonicalJson(5e-324)).toBe(`0.${"0".repeat(323)}5`);
  });

  test("an astral key after one in U+FFxx, as in UTF-8, though UTF-16 has it the other way", () => {
    expect(canonicalJson({ "\u{10000}": 1, "\uff5e": 2, z: 3 })).toBe('{"z":3,"\uff5e":2,"\u{10000}":1}');
  });

  test("keys by their NFC, not by how they were spelt", () => {
    expect(canonicalJson({ "e\u0301": 1, f: 2, e: 3 })).toBe('{"e":3,"f":2,"\u00e9":1}');
  });

  test("keys with lone surrogates in one order, whichever was set first", () => {
    const expected = '{"\\ud800":1,"\\udfff":2}';
    expect(canonicalJson({ "\ud800": 1, "\udfff": 2 })).toBe(expected);
    expect(canonicalJson({ "\udfff": 2, "\ud800": 1 })).toBe(expected);
  });

  test("a string of 8 MB", () => {
    const text = "ü".repeat(4 * 1024 * 1024);
    expect(canonicalJson(text) === `"${text}"`).toBe(true);
  });

  test("values without a prototype", () => {
    expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
  });
});

describe("canonical JSON refuses to write", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  test.each([
    ["a function", () => 1, "a function has no place in JSON"],
    ["undefined alone", undefined, "a undefined has no place in JSON"],
    ["a bigint", { n: 1n }, "a bigint has no place in JSON"],
    ["a symbol", [Symbol("x")], "a symbol has no place in JSON"],
    ["NaN", Number.NaN, "NaN has no place in JSON"],
    ["Infinity", -Infinity, "-Infinity has no place in JSON"],
    ["a date", { at: new Date(0) }, "a Date has no place in JSON"],
    ["a map", new Map(), "a Map has no place in JSON"],
    [
      "keys that NFC makes equal",
      { "\u00e9": 1, "e\u0301": 2 },
      "two keys of one object are the same after NFC",
    ],
    [
      "a key __proto__",
      JSON.parse('{"a":{"__proto__":{"x":1}}}'),
      "a key __proto__ has no place in an envelope",
    ],
    ["a cycle", cycle, "is nested deeper than 64 levels"],
  ])("%s", (_, value, message) => {
    expect(() => canonicalJson(value)).toThrow(new TypeError(message));
  });
});

describe("the canonical parser", () => {
  test.each([
    ["white space", '{"a": 1}'],
    ["a line end after the value", '{"a":1}\n'],
    ["a byte order mark", '\ufeff{"a":1}'],
    ["keys out of order", '{"b":1,"a":2}'],
    ["keys in UTF-16 order", '{"\u{10000}":1,"\uff5e":2}'],
    ["a duplicate key", '{"a":1,"a":1}'],
    ["a duplicate key of another value", '{"a":1,"a":2}'],
    ["a duplicate key by escape", '{"a":1,"\\u0061":1}'],
    ["a needless point", "[1.0]"],
    ["an exponent", "[1e3]"],
    ["an exponent where it is long in full", "[1e21]"],
    ["minus zero", "[-0]"],
    ["a number that no double holds", "[9007199254740993]"],
    ["more digits than a double has", "[0.1000000000000000055]"],
    ["a number beyond all doubles", "[1e400]"],
    ["a text that is not in NFC", '["e\u0301"]'],
    ["a key that is not in NFC", '{"e\u0301":1}'],
    ["a needless escape", '["\\u0041"]'],
    ["an escaped slash", '["\\/"]'],
    ["an escape in upper-case hex", '["\\u001F"]'],
    ["an escaped surrogate pair", '["\\ud83d\\ude00"]'],
    ["a key __proto__", '{"__proto__":{"admin":true}}'],
    ["a key __proto__ further in", '{"payload":{"a":[{"__proto__":1}]}}'],
    ["a comment", '{"a":1/**/}'],
    ["two values", "1 2"],
    ["half a value", '{"a":'],
    ["nothing", ""],
  ])("refuses %s", (_, text) => {
    expect(parseCanonical(text)).toBeUndefined();
  });

  test.each([
    ["null", "null", null],
    ["2 to the power of 53", "9007199254740992", 9007199254740992],
    [
      "a key `constructor`, which is an ordinary one",
      '{"constructor":{"prototype":1}}',
      { constructor: { prototype: 1 } },
    ],
    ["a lone surrogate by its escape", '"\\ud800"', "\ud800"],
  ])("accepts %s", (_, text, value) => {
    expect(parseCanonical(text)).toEqual({ value });
  });

  test("leaves Object.prototype alone", () => {
    parseCanonical('{"__proto__":{"polluted":1}}');
    parseCanonical('{"constructor":{"prototype":{"polluted":1}}}');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

  test("accepts 64 levels and refuses 65", () => {
    expect(CANONICAL_MAX_DEPTH).toBe(64);
    expect(parseCanonical(nested(64))).toBeDefined();
    expect(parseCanonical(nested(65))).toBeUndefined();
    expect(parseCanonical('{"a":'.repeat(64) + "1" + "}".repeat(64))).toBeDefined();
    expect(parseCanonical('{"a":'.repeat(65) + "1" + "}".repeat(65))).toBeUndefined();
  });

  test("survives half a million levels", () => {
    expect(parseCanonical(nested(500_000))).toBeUndefined();
    expect(parseCanonical('{"a":'.repeat(150_000) + "1" + "}".repeat(150_000))).toBeUndefined();
  });

  test("says why a text was refused, without repeating it", () => {
    expect(whyNotCanonical("{secret")).toBe("is not JSON");
    expect(whyNotCanonical('{"a": "secret"}')).toBe("differs from its canonical form at character 5");
    expect(whyNotCanonical(nested(65))).toBe("is nested deeper than 64 levels");
    expect(whyNotCanonical('{"__proto__":1}')).toBe("a key __proto__ has no place in an envelope");
    expect(whyNotCanonical('{"e\u0301":1,"\u00e9":2}')).toBe("two keys of one object are the same after NFC");
  });
});

describe("long runs of combining marks", () => {
  // NFC alone takes 17 s for the same text.
  test("half a million marks on one letter take less than 2 s of the processor", () => {
    const marks = `a${"\u0323\u0301".repeat(250_000)}`;
    const began = process.cpuUsage();
    expect(parseCanonical(`"${marks}"`)).toBeUndefined();
    const written = canonicalJson(marks);
    expect(parseCanonical(written)).toBeDefined();
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1e6).toBeLessThan(2);
  });

  test("thirty marks stay as they are, the thirty-first stands after U+034F", () => {
    const mark = "\u0353"; // composes with nothing
    expect(canonicalJson(`x${mark.repeat(30)}`)).toBe(`"x${mark.repeat(30)}"`);
    expect(canonicalJson(`x${mark.repeat(31)}`)).toBe(`"x${mark.repeat(30)}\u034f${mark}"`);
  });

  test("marks that NFC itself takes apart still give a text that is canonical", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("\u0344", "\u0301", "\u0323", "\u034f", "a", "\u0958"), { maxLength: 150 }),
        (parts) => {
          const text = canonicalJson(parts.join(""));
          expect(parseCanonical(text)).toBeDefined();
        },
      ),
    );
  });
});
