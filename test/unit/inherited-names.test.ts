import { describe, expect, test } from "vitest";
import { createCommandMap, understand } from "../../src/dialogue/index.ts";
import { readParameters } from "../../src/intent/index.ts";
import { parameterKind } from "../../src/sdk/index.ts";

/** What every object has without anybody having put it there. */
const INHERITED = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"];
const CLOCK = { now: new Date("2026-03-03T10:00:00Z"), zone: "UTC" };

describe("names that every object inherits", () => {
  test.each(INHERITED)("%s is no kind of parameter", (name) => {
    expect(parameterKind({ entity: name, format: name, type: name, isCounted: false })).toBe("other");
    const input = { properties: { a: { type: "string", format: name, entity: name } } };
    expect(readParameters(input)).toMatchObject([{ name: "a", kind: "text" }]);
  });

  test.each(INHERITED.filter((name) => name !== "__proto__"))(
    "%s as a parameter is asked for until it is given",
    (name) => {
      const map = createCommandMap([
        {
          name: "open",
          description: "Open a port",
          prompts: [],
          input: { properties: { [name]: { type: "integer", entity: "port" } }, required: [name] },
          effect: "change",
          timeoutMs: 1000,
        },
      ]);
      const world = { ...CLOCK, language: "en", map };
      const asked = understand("/open", {}, world);
      expect(asked.outcome.kind).toBe("ask");
      const again = understand("hm what was it", asked.state, world);
      expect(again.outcome.kind).toBe("ask");
      expect(understand("port 443", again.state, world).outcome).toMatchObject({
        kind: "run",
        params: { [name]: 443 },
      });
    },
  );
});
