import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { DOCUMENTS } from "../../docs/generate.ts";
import { withoutChance } from "../../docs/generate/recording.ts";
import { sectionOf, withSection } from "../../docs/generate/section.ts";
import { SETTINGS } from "../../src/settings.ts";
import { FAILURES, failure, isFailure } from "../../src/envelope/index.ts";
import { MIGRATIONS } from "../../src/ledger/schema.ts";

const root = new URL("../../", import.meta.url);

describe("generated documents", () => {
  // Some are recorded: whole trees are run for them.
  test.each(DOCUMENTS)("$path is what `npm run docs` would write", { timeout: 240_000 }, async (document) => {
    expect(await readFile(new URL(document.path, root), "utf8")).toBe(await document.render());
  });

  test("a section is replaced between its markers, and nothing else changes", () => {
    const text = "# A\n<!-- generated: x -->\nold\n<!-- end: x -->\n<!-- generated: y -->\n<!-- end: y -->\n";
    const once = withSection(text, "x", "new $& line\n");
    expect(once).toBe(
      "# A\n<!-- generated: x -->\nnew $& line\n<!-- end: x -->\n<!-- generated: y -->\n<!-- end: y -->\n",
    );
    expect(withSection(once, "x", "new $& line")).toBe(once);
    expect(sectionOf(once, "x")).toBe("new $& line");
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

describe("recordings", () => {
  const recorded = [
    "> is http://127.0.0.1:8080 up?",
    "✅ http://127.0.0.1:8080 answers 200 in 29 ms",
    "tcp 3.2 ms, first byte 21 ms",
    "❌ Needs a look: web",
    "✅ The machine is fine: load 0.33 for each core, 95.1 % of memory available",
    "Sun 1 Mar 2026, 10:00:00 UTC, took 31 ms",
    "began 2026-03-01 10:00:00.620 UTC, lasted 37 ms",
    " +2 ms    ops → web      web.pages     f6983e63 ← 66417097  {}",
    "+21 ms    ops ⇠ web      fail in 19 ms  ad08e738 ← f6983e63  1 of 2 pages fine",
    "+33 ms    ops ⇠ machine  ok in 29 ms    2f374fef ← d68adfeb  The machine is fine: load 0.33",
  ].join("\n");

  test("differ by chance in times, ids, the machine, and the order of what ran side by side", () => {
    const again = [
      "> is http://127.0.0.1:8080 up?",
      "✅ http://127.0.0.1:8080 answers 200 in 1.2 s",
      "first byte 1.1 s",
      "❌ Needs a look: machine and web",
      "❌ The machine needs a look: / is 97 % full, 2 GiB left",
      "Tue 30 Nov 2027, 23:59:58 UTC, took 1.2 s",
      "began 2027-11-30 23:59:59.001 UTC, lasted 1204 ms",
      "   +3 ms    ops → web      web.pages     00000001 ← 00000002  {}",
      "  +10 ms    ops ⇠ machine  fail in 7 ms   00000003 ← 00000004  ❌ The machine needs a look: / is",
      "+1200 ms    ops ⇠ web      fail in 1.2 s  00000005 ← 00000006  1 of 2 pages fine",
    ].join("\n");
    expect(withoutChance(again)).toBe(withoutChance(recorded));
  });

  test.each([
    ["is http", "Is http"],
    ["answers 200", "answers 503"],
    ["✅", "❌"],
    ["web.pages", "web.page"],
    ["1 of 2", "2 of 2"],
    ["ops ⇠ web", "web ⇠ ops"],
  ])("differ in what was said when %o becomes %o", (said, other) => {
    expect(withoutChance(recorded.replace(said, other))).not.toBe(withoutChance(recorded));
  });
});

describe("what the documents name", () => {
  const pages = ["README.md", "CHANGELOG.md", ...globSync("docs/*.md", { cwd: fileURLToPath(root) })];
  const texts = pages.map((page) => ({ page, text: readFileSync(new URL(page, root), "utf8") }));
  const found = (pattern: RegExp): string[] => [
    ...new Set(texts.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name = ""]) => name))),
  ];

  test("is there: pages and their headings", () => {
    const anchorOf = (heading: string): string =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-");
    const dead = texts.flatMap(({ page, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
        ([link, path = "", anchor]) => {
          const file = fileURLToPath(new URL(path === "" ? page : join(dirname(page), path), root));
          if (!existsSync(file)) return [`${page}: ${link}`];
          const headings =
            anchor === undefined ? [] : [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)];
          const isThere =
            anchor === undefined || headings.some(([, heading = ""]) => anchorOf(heading) === anchor);
          return isThere ? [] : [`${page}: ${link}`];
        },
      ),
    );
    expect(dead).toEqual([]);
  });

  test("is there: files and folders, but for those that a reader is to write", () => {
    const paths = found(/`((?:src|docs|roles|test|bench|scripts|schemas|bin)\/[\w./-]+)`/g);
    const missing = paths.filter((path) => !existsSync(new URL(path, root)));
    expect(missing.filter((path) => !/^roles\/(?:weather\/|ops\/storm)/.test(path))).toEqual([]);
  });

  test("is there: verbs of the command line", async () => {
    const program = fileURLToPath(new URL("bin/voxtree.js", root));
    const { stdout } = await promisify(execFile)(process.execPath, [program, "help"]);
    const verbs = [...stdout.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, verb]) => verb);
    expect(verbs).toContain("trace");
    const named = found(/(?:`voxtree|bin\/voxtree\.js|npm run voxtree --(?: --silent)?) ([a-z]+)/g);
    expect(named).toContain("trace");
    expect(named.filter((verb) => !verbs.includes(verb))).toEqual([]);
  });

  test("is there: settings", () => {
    const names = new Set<string>(SETTINGS.map(({ name }) => name));
    expect(found(/\b((?:VOXTREE|NET)_[A-Z_]+)\b/g).filter((name) => !names.has(name))).toEqual([]);
  });

  test("is all there is: the tables of a ledger", () => {
    const page = readFileSync(new URL("docs/how-it-works.md", root), "utf8");
    const [, section = ""] = page.split("## A ledger's tables");
    const [table = ""] = section.split("\n## ");
    const rows = [...table.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, name]) => name);
    const made = MIGRATIONS.flatMap((sql) =>
      [...sql.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name),
    );
    expect(new Set(rows)).toEqual(new Set(made));
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
