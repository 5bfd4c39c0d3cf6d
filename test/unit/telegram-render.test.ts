import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { md } from "../../src/sdk/markup.ts";
import type { Markup } from "../../src/sdk/markup.ts";
import {
  chunksOf,
  type Rendered,
  renderDelivery,
  renderMarkup,
} from "../../src/capabilities/comm-gateway/telegram/render-telegram.ts";

const codePoints = (text: string): number => Array.from(text).length;
const visible = (text: string): string => text.replaceAll(/\s+/g, "");

describe("a reply as Telegram takes it", () => {
  it("is plain text with its looks beside it, in UTF-16 offsets, so that nothing needs escaping", () => {
    const text = md`😀 **bold** and \`a<b>&\` _slanted_ [page](https://shop.example/?a=1&b=2) ${"*as it is*"}`;
    expect(renderMarkup(text)).toEqual({
      text: "😀 bold and a<b>& slanted page *as it is*",
      entities: [
        { type: "bold", offset: 3, length: 4 },
        { type: "code", offset: 12, length: 5 },
        { type: "italic", offset: 18, length: 7 },
        { type: "text_link", offset: 26, length: 4, url: "https://shop.example/?a=1&b=2" },
      ],
    });
  });

  it("has its verdict's sign in front, and below it from where it was seen", () => {
    const reply = { text: md`**shop.example** is up`, verdict: "ok" as const };
    expect(renderDelivery({ reply, vantage: "berlin-1" })).toEqual({
      text: "✅ shop.example is up\nfrom berlin-1",
      entities: [
        { type: "bold", offset: 2, length: 12 },
        { type: "italic", offset: 21, length: 13 },
      ],
    });
  });

  it("names a failure's code", () => {
    expect(renderDelivery({ reply: { text: "Too late." }, failure: "E_TIMEOUT" }).text).toBe(
      "⚠️ Too late.\nE_TIMEOUT",
    );
  });

  it("puts preformatted text on lines of its own", () => {
    const text: Markup = { markup: [{ text: "Seen:" }, { pre: "  a\n  b\n" }, { text: "Done" }] };
    expect(renderMarkup(text)).toEqual({
      text: "Seen:\n  a\n  b\nDone",
      entities: [{ type: "pre", offset: 6, length: 7 }],
    });
  });

  it.each(["javascript:alert(1)", "not an address", "/relative", ""])(
    "shows an address that cannot be a link: %s",
    (url) => {
      expect(renderMarkup({ markup: [{ link: "here", url }] })).toEqual({
        text: `here (${url})`,
        entities: [],
      });
    },
  );

  it("holds neither control characters nor half a surrogate pair", () => {
    expect(renderMarkup("a\u0000b\u001b[31mc\u202ed\ud83dx\r\ny").text).toBe("abcd\ufffdx\ny");
  });
});

describe("T12: a long text", () => {
  it("of 4096 emoji is one message, and one more is two", () => {
    expect(chunksOf(renderMarkup("😀".repeat(4096)))).toHaveLength(1);
    const two = chunksOf(renderMarkup("😀".repeat(4097)));
    expect(two.map(({ text }) => codePoints(text))).toEqual([4096, 1]);
  });

  it("is cut between lines where there are some", () => {
    const line = `${"word ".repeat(19)}end`;
    const chunks = chunksOf(renderMarkup(Array.from({ length: 100 }, () => line).join("\n")));
    expect(chunks.every(({ text }) => text.startsWith("word") && text.endsWith("end"))).toBe(true);
  });

  it("is cut between words where there are no lines", () => {
    const chunks = chunksOf(renderMarkup("seven77 ".repeat(1500)));
    expect(chunks.every(({ text }) => text.startsWith("seven77") && text.endsWith("seven77"))).toBe(true);
  });

  it("has its bold part in each of the messages over which it runs", () => {
    const [first, second, ...more] = chunksOf(renderMarkup({ markup: [{ bold: "x".repeat(5000) }] }));
    expect(first?.entities).toEqual([{ type: "bold", offset: 0, length: 4096 }]);
    expect(second?.entities).toEqual([{ type: "bold", offset: 0, length: 904 }]);
    expect(more).toEqual([]);
  });

  it.each([
    ["a family", "👨‍👩‍👧‍👦"],
    ["a flag", "🇩🇪"],
    ["a letter with marks", "e\u0301\u0323"],
    ["a thumb with a skin", "👍🏽"],
    ["a keycap", "1\ufe0f\u20e3"],
    ["a syllable of Devanagari", "क्षि"],
  ])("is not cut within %s", (_, grapheme) => {
    for (let before = 4089; before <= 4096; before++) {
      const chunks = chunksOf(renderMarkup("x".repeat(before) + grapheme + "y".repeat(10)));
      expect(chunks.filter(({ text }) => text.includes(grapheme))).toHaveLength(1);
    }
  });

  it("keeps the indent of preformatted lines where it is cut", () => {
    const pre = Array.from({ length: 200 }, (_, n) => `    line ${String(n).padStart(30)}`).join("\n");
    for (const { text } of chunksOf(renderMarkup({ markup: [{ pre }] }))) expect(text).toMatch(/^ {4}line/);
  });

  it("that is one character with thousands of marks is cut all the same", () => {
    const chunks = chunksOf(renderMarkup(`a${"\u0301".repeat(9000)}`));
    expect(chunks.map(({ text }) => text).join("")).toBe(`a${"\u0301".repeat(9000)}`);
  });

  it("that shows nothing is no message", () => {
    for (const text of ["", " \n\t ", "\u200b\u200d", "\u2800"])
      expect(chunksOf(renderMarkup(text))).toEqual([]);
  });

  const words = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      " ",
      "\n",
      "\n\n",
      "  ",
      "😀",
      "👨‍👩‍👧‍👦",
      "🇩🇪",
      "e\u0301",
      " \u0301",
      "\ud83d",
      "x".repeat(30),
    ),
  );
  const text = fc.array(words, { maxLength: 40 }).map((each) => each.join(""));
  const run = fc.oneof(
    text.map((each) => ({ text: each })),
    text.map((each) => ({ bold: each })),
    text.map((each) => ({ italic: each })),
    text.map((each) => ({ code: each })),
    text.map((each) => ({ pre: each })),
    fc.record({ link: text, url: fc.constantFrom("https://shop.example/x", "nowhere") }),
  );
  const markup = fc.record({ markup: fc.array(run, { maxLength: 12 }) });
  // Small limits cut often; the real one is a matter of size alone.
  const limit = fc.integer({ min: 12, max: 120 });

  /** Every visible code unit with what it looks like. */
  const looks = ({ text: all, entities }: Rendered): string[] =>
    Array.from(all).reduce<{ at: number; seen: string[] }>(
      ({ at, seen }, character) => {
        const types = entities
          .filter(({ offset, length }) => offset <= at && at < offset + length)
          .map(({ type }) => type);
        const look = visible(character) === "" ? [] : [`${character} ${types.join(" ")}`];
        return { at: at + character.length, seen: [...seen, ...look] };
      },
      { at: 0, seen: [] },
    ).seen;

  it("fits, shows something, and keeps every entity within its message, whatever it is", () => {
    fc.assert(
      fc.property(markup, limit, (given, most) => {
        for (const { text: chunk, entities } of chunksOf(renderMarkup(given), most)) {
          expect(codePoints(chunk)).toBeLessThanOrEqual(most);
          expect(chunk.trim()).not.toBe("");
          expect(chunk.isWellFormed()).toBe(true);
          for (const { offset, length } of entities) {
            expect(length).toBeGreaterThan(0);
            expect(offset).toBeGreaterThanOrEqual(0);
            expect(offset + length).toBeLessThanOrEqual(chunk.length);
            expect(chunk.slice(offset, offset + length).isWellFormed()).toBe(true);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it("loses neither words nor their looks, whatever it is", () => {
    fc.assert(
      fc.property(markup, limit, (given, most) => {
        const whole = renderMarkup(given);
        // What shows nothing at all may go.
        const seen = (each: readonly string[]): string[] =>
          each.filter((look) => !/^[\p{C}\u115f\u1160\u2800\u3164\uffa0]/u.test(look));
        expect(seen(chunksOf(whole, most).flatMap(looks))).toEqual(seen(looks(whole)));
      }),
      { numRuns: 400 },
    );
  });

  it("is cut only between what is seen as characters, whatever it is", () => {
    const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
    fc.assert(
      fc.property(text, limit, (given, most) => {
        const whole = renderMarkup(given).text;
        const clusters = [...segmenter.segment(whole)];
        fc.pre(clusters.every(({ segment }) => codePoints(segment) <= most));
        const edges = new Set([...clusters.map(({ index }) => index), whole.length]);
        let from = 0;
        for (const chunk of chunksOf({ text: whole, entities: [] }, most)) {
          const at = whole.indexOf(chunk.text, from);
          expect(edges.has(at)).toBe(true);
          from = at + chunk.text.length;
          // An end may be followed by white space that carries marks; that white space is not lost with the cut.
          expect(edges.has(from) || /\s/.test(whole[from] ?? "")).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });
});
