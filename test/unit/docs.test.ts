import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { DOCUMENTS } from "../../docs/generate.ts";
import { withSection } from "../../docs/generate/section.ts";
import { FAILURES, failure, isFailure } from "../../src/envelope/index.ts";

const root = new URL("../../", import.meta.url);

describe("generated documents", () => {
  test.each(DOCUMENTS)("$path is what `npm run docs` would write", async (document) => {
    expect(await readFile(new URL(document.path, root), "utf8")).toBe(await document.render());
  });

  test("a section is replaced between its markers, and nothing else changes", () => {
    const text = "# A\n<!-- generated: x -->\nold\n<!-- end: x -->\n<!-- generated: y -->\n<!-- end: y -->\n";
    const once = withSection(text, "x", "new $& line\n");
    expect(once).toBe(
      "# A\n<!-- generated: x -->\nnew $& line\n<!-- end: x -->\n<!-- generated: y -->\n<!-- end: y -->\n",
    );
    expect(withSection(once, "x", "new $& line")).toBe(once);
  });

  test.each([
    ["without markers", "# A\n"],
    ["without an end", "<!-- generated: x -->\n"],
    ["with the end first", "<!-- end: x -->\n<!-- generated: x -->\n"],
    ["with the beginning twice", "<!-- generated: x --><!-- end: x --><!-- generated: x --><!-- end: x -->"],
    ["with the end twice", "<!-- generated: x --><!-- end: x --><!-- end: x -->"],
  ])("a text %s takes no section", (_, text) => {
    expect(() => withSection(text, "x", "new")).toThrow("Write <!-- generated: x -->");
  });
});

describe("the failure registry", () => {
  const entries = Object.entries(FAILURES);

  test("holds every code that the source names", () => {
    const unknown = globSync("{src,bin}/**/*.{ts,js}", { cwd: root })
      .flatMap((file) => {
        const source = readFileSync(new URL(file, root), "utf8");
        return [...source.matchAll(/["'`](E_[A-Z0-9_]+)["'`]/g)].map(([, code = ""]) => ({ file, code }));
      })
      .filter(({ code }) => !Object.hasOwn(FAILURES, code));
    expect(unknown).toEqual([]);
  });

  test.each(entries)("%s is explained in whole sentences", (code, { meaning, remedy }) => {
    expect(code).toMatch(/^E_[A-Z]+(?:_[A-Z]+)*$/);
    for (const text of [meaning, remedy]) expect(text).toMatch(/^[A-Z`].{15,}\.$/s);
    expect(meaning).not.toBe(remedy);
  });

  test.each(entries)("the remedy of %s tells what to do, and not what ought to be", (_, { remedy }) => {
    expect(remedy).not.toMatch(
      /^(?:A|An|The|It|This|That|There|You|Only|Nothing|Nobody|No)\b|\bmust be\b|\bshould\b/,
    );
  });

  test("builds failures as values, and says of each whether a repeat may help", () => {
    expect(failure("E_BUSY", "web has 64 requests open; wait a little.")).toEqual({
      failure: "E_BUSY",
      text: "web has 64 requests open; wait a little.",
      retryable: true,
    });
    expect(failure("E_CONFIG", "x").retryable).toBe(false);
    expect(isFailure(failure("E_CONFIG", "x"))).toBe(true);
    for (const other of [
      null,
      undefined,
      "E_CONFIG",
      { text: "x" },
      { failure: 1 },
      ["failure"],
      { failure: "E_X" },
    ]) {
      expect(isFailure(other)).toBe(false);
    }
  });
});
