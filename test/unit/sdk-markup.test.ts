import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Markup, md, plainText } from "../../src/sdk/markup.ts";

describe("md reads emphasis in the literal parts", () => {
  test.each([
    ["plain text", md`all is well`, [{ text: "all is well" }]],
    ["nothing", md``, []],
    ["bold", md`a **b c** d`, [{ text: "a " }, { bold: "b c" }, { text: " d" }]],
    ["italic", md`_a_ b`, [{ italic: "a" }, { text: " b" }]],
    ["code", md`run \`npm start\`.`, [{ text: "run " }, { code: "npm start" }, { text: "." }]],
    [
      "a link",
      md`see [the page](https://example.com/a)`,
      [{ text: "see " }, { link: "the page", url: "https://example.com/a" }],
    ],
    ["several", md`**a** and **b**`, [{ bold: "a" }, { text: " and " }, { bold: "b" }]],
    ["emphasis in emphasis as its characters", md`**a _b_ c**`, [{ bold: "a _b_ c" }]],
    ["markup in code as its characters", md`\`**a**\``, [{ code: "**a**" }]],
    [
      "names with underscores as they are",
      md`set VOXTREE_DATA_DIR or a_b_c`,
      [{ text: "set VOXTREE_DATA_DIR or a_b_c" }],
    ],
    [
      "products and powers as they are",
      md`2 ** 3 ** 4 and a _ b _ c`,
      [{ text: "2 ** 3 ** 4 and a _ b _ c" }],
    ],
    ["what does not end", md`**a _b [c](d`, [{ text: "**a _b [c](d" }]],
    ["brackets that are no link", md`[a] (b) [c](d e)`, [{ text: "[a] (b) [c](d e)" }]],
  ])("%s", (_, markup, runs) => {
    expect(markup).toEqual({ markup: runs });
  });
});

describe("md puts values in as they are", () => {
  test.each([
    ["asterisks", "**x**"],
    ["backticks", "`x`"],
    ["underscores", "_x_"],
    ["a link", "[x](https://evil.example)"],
    ["private-use characters", "\ue0000\ue001"],
    ["half a bold", "**"],
    ["tags", "<b>&amp;</b>"],
    ["line breaks", "a\n**b**\r\nc"],
    ["a dollar that replacing would read", "$& $1 $$"],
    ["a lone surrogate", "\ud83d"],
  ])("%s", (_, value) => {
    expect(md`a ${value} b`).toEqual({ markup: [{ text: `a ${value} b` }] });
    expect(md`**${value}**`).toEqual({ markup: [{ bold: value }] });
    expect(md`\`${value}\``).toEqual({ markup: [{ code: value }] });
    expect(md`_${value}_`).toEqual({ markup: [{ italic: value }] });
    expect(md`[${value}](${value})`).toEqual({ markup: [{ link: value, url: value }] });
  });

  test("no text in a value becomes emphasis, and none of it is lost", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        const markup = md`x ${a} **y ${b}** z`;
        expect(markup).toEqual({ markup: [{ text: `x ${a} ` }, { bold: `y ${b}` }, { text: " z" }] });
        expect(plainText(markup)).toBe(`x ${a} y ${b} z`);
      }),
    );
  });

  test("two values beside one another do not meet", () => {
    expect(md`${"*"}${"*a**"}`).toEqual({ markup: [{ text: "**a**" }] });
    expect(md`${"a"}_${"b"}_${"c"}`).toEqual({ markup: [{ text: "a_b_c" }] });
  });

  test("a literal part cannot be made to look like a value", () => {
    expect(md`\ue0001\ue001 ${"a"} ${"secret"}`).toEqual({ markup: [{ text: "1 a secret" }] });
  });

  test("numbers, nothing and dates as their text", () => {
    expect(plainText(md`${0} ${null} ${undefined} ${true} ${12n} ${[1, 2]}`)).toBe(
      "0 null undefined true 12 1,2",
    );
  });

  test("what has no text of its own does not throw", () => {
    expect(plainText(md`${JSON.parse('{"toString":1,"valueOf":2}')} ${Object.create(null)}`)).toBe(
      "[object Object] [object Object]",
    );
  });

  test("emphasis on nothing leaves nothing behind", () => {
    expect(md`a**${""}**b\`${""}\`_${""}_[${""}](u)`).toEqual({ markup: [{ text: "ab" }] });
  });

  test("a link to nowhere is its words", () => {
    expect(md`see [the page](${""})`).toEqual({ markup: [{ text: "see the page" }] });
  });
});

describe("md keeps values that are markup", () => {
  const inner = md`**web** is _up_`;

  test("in plain text, with their emphasis", () => {
    expect(md`- ${inner}!`).toEqual({
      markup: [{ text: "- " }, { bold: "web" }, { text: " is " }, { italic: "up" }, { text: "!" }],
    });
    expect(inner).toEqual({ markup: [{ bold: "web" }, { text: " is " }, { italic: "up" }] });
  });

  test("within emphasis, as their words", () => {
    expect(md`**${inner}** [${inner}](https://e.example)`).toEqual({
      markup: [{ bold: "web is up" }, { text: " " }, { link: "web is up", url: "https://e.example" }],
    });
  });

  test("and takes nothing else for markup", () => {
    for (const other of [{ markup: "x" }, { markup: [{ html: "<b>" }] }, { markup: [], more: 1 }]) {
      expect(md`${other}`).toEqual({ markup: [{ text: "[object Object]" }] });
    }
  });
});

describe("markup", () => {
  test("from md is valid and survives JSON", () => {
    const markup = md`**a** _b_ \`c\` [d](https://e.example) f`;
    expect(Markup.parse(JSON.parse(JSON.stringify(markup)))).toEqual(markup);
  });

  test("has one emphasis a run and nothing unknown", () => {
    for (const run of [{}, { bold: "a", italic: "b" }, { text: 1 }, { link: "a" }, { html: "a" }]) {
      expect(Markup.safeParse({ markup: [run] }).success).toBe(false);
    }
  });

  test("gives its words, whatever the order of a link's parts", () => {
    expect(plainText("**as it is**")).toBe("**as it is**");
    expect(
      plainText({
        markup: [{ text: "a " }, { url: "https://e.example", link: "b" }, { pre: "\nc" }, { code: "d" }],
      }),
    ).toBe("a b\ncd");
  });
});

test.each(["**a ", "`a", "[a](", "[", "_a ", "**"])("a long template of %j is read in a moment", (mark) => {
  const text = mark.repeat(256_000 / mark.length);
  const before = process.threadCpuUsage();
  md(Object.assign([text], { raw: [text] }));
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(5000);
});
