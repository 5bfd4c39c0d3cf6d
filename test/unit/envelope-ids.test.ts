import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createIds, idFromBytes, idFromParts, idToBytes, timeOfId } from "../../src/envelope/index.ts";

const DNS = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

describe("ids", () => {
  test("ascend while the clock goes backwards, stands still and jumps", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 ** 47 }), { minLength: 2, maxLength: 50 }),
        (times) => {
          let at = 0;
          const ids = createIds(() => times[at++] ?? 0);
          const made = times.map(() => ids.next());
          expect(made.toSorted()).toEqual(made);
          expect(new Set(made).size).toBe(made.length);
        },
      ),
    );
  });

  test("ascend within one millisecond of a clock that has fractions", () => {
    let now = 1000;
    const ids = createIds(() => (now += 0.001));
    const made = Array.from({ length: 900 }, () => ids.next());
    expect(made.toSorted()).toEqual(made);
    expect(new Set(made.map(timeOfId))).toEqual(new Set([1000]));
  });

  test("carry the time at which they were made, the latest one while the clock is behind", () => {
    const clock = [1645557742000, 1645557741000, 1645557742001];
    const ids = createIds(() => clock.shift() ?? 0);
    expect([ids.next(), ids.next(), ids.next()].map(timeOfId)).toEqual([
      1645557742000, 1645557742000, 1645557742001,
    ]);
  });

  test("are repeatable when clock and randomness are injected", () => {
    const ids = createIds(
      () => 1645557742000,
      (into) => into.fill(0xab),
    );
    // The counter begins at 0xabab: its 32 bits stand after the version and the variant, the rest is the randomness.
    expect([ids.next(), ids.next()]).toEqual([
      "017f22e2-79b0-7000-82ae-afababababab",
      "017f22e2-79b0-7000-82ae-b3ababababab",
    ]);
  });

  test("of one source never repeat, over many draws of randomness", () => {
    const ids = createIds(() => 0);
    const others = createIds(() => 0);
    const made = Array.from({ length: 5000 }, () => [ids.next(), others.next()]).flat();
    expect(new Set(made).size).toBe(10_000);
  });

  test("the published UUIDv7 of RFC 9562 tells its time", () => {
    expect(timeOfId("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")).toBe(Date.UTC(2022, 1, 22, 19, 22, 22));
    expect(timeOfId("017F22E2-79B0-7CC3-98C4-DC0C0C07398F")).toBe(1645557742000);
  });

  test.each([
    ["a UUIDv4", "919108f7-52d1-4320-9bac-f847db4148a8"],
    ["a UUIDv5", "2ed6657d-e927-568b-95e1-2665a8aea6a2"],
    ["a ULID", "01JFB2R1JZKQ9V3K8W8Y9W1F2A"],
    ["a text with a 7 in the right place", "xxxxxxxx-xxxx-7xxx-xxxx-xxxxxxxxxxxx"],
    ["a UUID with something behind it", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f "],
    ["nothing", ""],
  ])("%s has no time", (_, id) => {
    expect(timeOfId(id)).toBeUndefined();
  });

  test("survive the way into bytes and back", () => {
    expect(Buffer.from(idToBytes("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")).toString("hex")).toBe(
      "017f22e279b07cc398c4dc0c0c07398f",
    );
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(idFromBytes(idToBytes(id))).toBe(id);
      }),
    );
  });

  test("have bytes in the order of their texts, so a row's key sorts by time", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        expect(Math.sign(Buffer.compare(idToBytes(a), idToBytes(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  test("what is no UUID has no bytes", () => {
    expect(() => idToBytes("01JFB2R1JZKQ9V3K8W8Y9W1F2A")).toThrow(TypeError);
    expect(() => idFromBytes(new Uint8Array(16).fill(255, 0, 7))).toThrow(TypeError);
  });

  test("from parts are the same for the same parts, and differ wherever the parts differ", () => {
    // SHA-1 over the namespace and the parts as JSON, computed with another UUID implementation.
    expect(idFromParts(DNS, "bot", "42")).toBe("69974fee-75c2-5779-99c0-8655d27e1e90");
    expect(idFromParts(DNS, "a", "b")).toBe("bd4c1fe6-dea7-51ca-b3f3-2a90b4817ead");
    expect(idFromParts(DNS, "a,b")).toBe("3fb62841-c682-5460-9191-036ebb1b4562");
    const parts = fc.array(fc.string({ unit: "binary" }), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const same = a.length === b.length && a.every((part, i) => part === b[i]);
        expect(idFromParts(DNS, ...a) === idFromParts(DNS, ...b)).toBe(same);
      }),
    );
  });
});
