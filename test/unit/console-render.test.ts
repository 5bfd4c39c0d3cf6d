import { describe, expect, it } from "vitest";
import {
  columnsOf,
  fit,
  oneLine,
  renderTerminal,
} from "../../src/capabilities/comm-gateway/render-terminal.ts";
import { md } from "../../src/sdk/markup.ts";

const plain = { isColour: false, width: Infinity } as const;
const colourful = { isColour: true, width: Infinity } as const;

describe("a reply in the terminal", () => {
  it.each([
    ["ok", "✅ up"],
    ["fail", "❌ up"],
    ["inconclusive", "❔ up"],
  ] as const)("begins with the mark of its verdict %s", (verdict, shown) => {
    expect(renderTerminal({ text: "up", verdict }, plain)).toBe(shown);
  });

  it("shows markup as its words without colours", () => {
    const text = md`**bold** _italic_ \`code\` [docs](https://example.com/) plain`;
    expect(renderTerminal({ text }, plain)).toBe("bold italic code docs (https://example.com/) plain");
  });

  it("shows markup with colours", () => {
    expect(renderTerminal({ text: md`**bold** and \`code\`` }, colourful)).toBe(
      "\u001b[1mbold\u001b[22m and \u001b[36mcode\u001b[39m",
    );
  });

  it("puts preformatted text on lines of its own", () => {
    const text = {
      markup: [{ text: "Disks:" }, { pre: "/     90 %\n/home 12 %\n" }, { text: "That is all." }],
    };
    expect(renderTerminal({ text }, plain)).toBe("Disks:\n/     90 %\n/home 12 %\nThat is all.");
  });

  it("numbers its choices and tells what is attached", () => {
    const reply = {
      text: "Which one?",
      buttons: [
        { label: "Check a page", say: "/http" },
        { label: "Check a port", say: "/port" },
      ],
      attachments: [{ name: "page.png", contentType: "image/png", base64: "A".repeat(4000) }],
    };
    expect(renderTerminal(reply, plain)).toBe(
      "Which one?\n  1  Check a page\n  2  Check a port\n  + page.png (image/png, 3 kB)",
    );
  });

  it("says where the answer was seen from, and the code of a failure", () => {
    expect(renderTerminal({ text: "up", verdict: "ok" }, { ...plain, vantage: "berlin-1" })).toBe(
      "✅ up\nfrom berlin-1",
    );
    expect(renderTerminal({ text: "No answer came." }, { ...plain, failure: "E_TIMEOUT" })).toBe(
      "⚠️ No answer came.\nE_TIMEOUT",
    );
  });

  it("has no empty lines at its end", () => {
    expect(renderTerminal({ text: md`a ${"\n\n"} ` }, plain)).toBe("a");
  });

  it("cannot steer the terminal", () => {
    const hostile = "a\u001b[2Jb\u001b]0;title\u0007c\u009b31md\re\u0000f\u202eg\tok\nnext";
    expect(renderTerminal({ text: hostile }, plain)).toBe("abcd\nefg\tok\nnext");
    expect(renderTerminal({ text: "x", buttons: [{ label: "a\nb\u001b[1m", say: "y" }] }, plain)).toBe(
      "x\n  1  a b",
    );
    const link = { markup: [{ link: "l\u001b[1m", url: "u\u0007" }] };
    expect(renderTerminal({ text: link }, plain)).toBe("l (u)");
  });
});

describe("line breaks", () => {
  it("fall between words", () => {
    expect(renderTerminal({ text: "one two three four" }, { isColour: false, width: 9 })).toBe(
      "one two\nthree\nfour",
    );
  });

  it("keep a long word whole, and the line ends that are there", () => {
    expect(renderTerminal({ text: "see\nhttps://example.com/a/b ok" }, { isColour: false, width: 10 })).toBe(
      "see\nhttps://example.com/a/b\nok",
    );
  });

  it("do not part a word from the full stop behind its emphasis", () => {
    expect(renderTerminal({ text: md`one **three**. Then` }, { isColour: false, width: 9 })).toBe(
      "one\nthree.\nThen",
    );
  });

  it("leave preformatted text alone", () => {
    const text = { markup: [{ pre: "a   b   c   d   e" }] };
    expect(renderTerminal({ text }, { isColour: false, width: 5 })).toBe("a   b   c   d   e");
  });

  it("count wide characters as two columns and combining ones as none", () => {
    expect(columnsOf("日本")).toBe(4);
    expect(columnsOf("✅")).toBe(2);
    expect(columnsOf("e\u0301a")).toBe(2);
    expect(renderTerminal({ text: "日本 日本 a" }, { isColour: false, width: 5 })).toBe("日本\n日本\na");
  });
});

describe("short lines", () => {
  it("fit into the columns that there are", () => {
    expect(fit("checking", 8)).toBe("checking");
    expect(fit("checking", 5)).toBe("chec…");
    expect(fit("日本語", 4)).toBe("日…");
  });

  it("are made of longer texts", () => {
    expect(oneLine(" a\n\tb\u001b[1mc ")).toBe("a bc");
  });
});
