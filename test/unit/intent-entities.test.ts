import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractEntities } from "../../src/intent/index.ts";

const found = (text: string): [string, unknown][] =>
  extractEntities(text).map(({ kind, value }) => [kind, value]);

describe("addresses", () => {
  it.each<[string, [string, unknown][]]>([
    ["is http://127.0.0.1:8080 up?", [["url", "http://127.0.0.1:8080"]]],
    ["is https://example.com/a?b=c#d, up", [["url", "https://example.com/a?b=c#d"]]],
    ["(see https://example.com/a_(b)).", [["url", "https://example.com/a_(b)"]]],
    ["is <HTTPS://Example.com> up", [["url", "HTTPS://Example.com"]]],
    ['is "https://example.com" up', [["url", "https://example.com"]]],
    ["is http://[::1]:8080/x up", [["url", "http://[::1]:8080/x"]]],
    ["url=http://a.example/b", [["url", "http://a.example/b"]]],
    ["example.com/health", [["url", "https://example.com/health"]]],
    ["localhost:3000/x", [["url", "http://localhost:3000/x"]]],
    ["is example.com up?", [["host", "example.com"]]],
    ["Is Example.com up.", [["host", "Example.com"]]],
    ["münchen.de", [["host", "münchen.de"]]],
    ["xn--mnchen-3ya.de", [["host", "xn--mnchen-3ya.de"]]],
    ["ping 10.0.0.5!", [["host", "10.0.0.5"]]],
    ["ping ::1", [["host", "::1"]]],
    ["ping 2001:db8::7?", [["host", "2001:db8::7"]]],
    ["localhost", [["host", "localhost"]]],
    ["mail ann.b+c@example.com please", [["email", "ann.b+c@example.com"]]],
  ])("%s", (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    "it is down.Please look",
    "version 1.2.3.4.5",
    "the file notes.txt is full",
    "300.1.2.3",
    "e.g. this",
    "12:30:45",
    "at 9.am",
    "10.0.0.0/8",
    "a.b",
  ])("finds no address in %j", (text) => {
    expect(found(text).filter(([kind]) => kind === "url" || kind === "host")).toEqual([]);
  });
});

describe("ports", () => {
  it.each<[string, [string, unknown][]]>([
    [
      "is port 8080 open on 127.0.0.1",
      [
        ["port", 8080],
        ["host", "127.0.0.1"],
      ],
    ],
    [
      "example.com:443",
      [
        ["host", "example.com"],
        ["port", 443],
      ],
    ],
    [
      "[2001:db8::7]:22",
      [
        ["host", "2001:db8::7"],
        ["port", 22],
      ],
    ],
    ["listens on :53", [["port", 53]]],
    ["port=22", [["port", 22]]],
    ["443/tcp", [["port", 443]]],
    ["port 99999", [["number", 99_999]]],
    ["port 0", [["number", 0]]],
    ["transport 3", [["number", 3]]],
  ])("%s", (text, expected) => {
    expect(found(text)).toEqual(expected);
  });
});

describe("numbers and lengths of time", () => {
  it.each<[string, [string, unknown][]]>([
    ["wait 5 min", [["duration", 300_000]]],
    ["1h30m", [["duration", 5_400_000]]],
    ["2 hours and 5 minutes", [["duration", 7_500_000]]],
    ["1.5 s", [["duration", 1500]]],
    ["250ms", [["duration", 250]]],
    ["timeout:5s", [["duration", 5000]]],
    ["zwei oder 3 Tage", [["duration", 259_200_000]]],
    ["wait 5", [["number", 5]]],
    ["above 90 %", [["number", 90]]],
    ["1,000 requests", [["number", 1000]]],
    ["1,5", [["number", 1.5]]],
    ["it is -3 here", [["number", -3]]],
    ["expect=404.", [["number", 404]]],
    ["on 2026-04-01 at 12:30", []],
    ["the 3rd v2 x86", []],
  ])("%s", (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it("keeps a number's unit", () => {
    expect(extractEntities("more than 20GB")).toEqual([
      { kind: "number", value: 20, unit: "gb", start: 10, end: 14, text: "20GB" },
    ]);
  });

  it("reads every length of time that it is given, and no bare number as one", () => {
    const unit = fc.constantFrom<[string, number]>(
      ["ms", 1],
      ["s", 1000],
      ["min", 60_000],
      ["hours", 3_600_000],
      ["d", 86_400_000],
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9999 }),
        unit,
        fc.constantFrom("", " "),
        (amount, [name, ms], gap) => {
          expect(found(`wait ${amount}${gap}${name} now`)).toEqual([["duration", amount * ms]]);
          expect(found(`wait ${amount} now`)).toEqual([["number", amount]]);
        },
      ),
    );
  });
});

describe("quoted text", () => {
  it.each<[string, unknown]>([
    ['note "buy milk"', "buy milk"],
    ["note “buy milk”", "buy milk"],
    ["note „buy milk“", "buy milk"],
    ["note 'buy milk' please", "buy milk"],
    ["note `see http://example.com on port 80`", "see http://example.com on port 80"],
  ])("%s", (text, expected) => {
    expect(found(text)).toEqual([["quoted", expected]]);
  });

  it("takes no apostrophe for a quotation mark", () => {
    expect(found("it's Ann's server, isn't it")).toEqual([]);
  });
});

describe("moments", () => {
  // A Saturday evening in Berlin, hours before the clocks go forward from 2 to 3.
  const now = new Date("2026-03-28T19:00:00Z");
  const when = (text: string, zone = "Europe/Berlin"): unknown[] =>
    extractEntities(text, { now, zone })
      .filter(({ kind }) => kind === "when")
      .map(({ value }) => value);

  it.each<[string, string]>([
    ["remind me tomorrow at 9", "2026-03-29T09:00:00+02:00"],
    ["remind me at 23:30", "2026-03-28T23:30:00+01:00"],
    ["remind me at 9", "2026-03-29T09:00:00+02:00"],
    ["remind me in 5 minutes", "2026-03-28T20:05:00+01:00"],
    ["remind me in 12 hours", "2026-03-29T09:00:00+02:00"],
    ["on monday at 8am", "2026-03-30T08:00:00+02:00"],
    ["2026-04-01T10:00:00+05:00", "2026-04-01T07:00:00+02:00"],
    // This hour does not exist there.
    ["tomorrow at 2:30", "2026-03-29T03:30:00+02:00"],
  ])("%s", (text, expected) => {
    expect(when(text)).toEqual([expected]);
  });

  it("reads the same words by the clock of the zone that it is given", () => {
    expect(when("tomorrow at 9", "America/New_York")).toEqual(["2026-03-29T09:00:00-04:00"]);
    expect(when("tomorrow at 9", "Asia/Kolkata")).toEqual(["2026-03-30T09:00:00+05:30"]);
  });

  it("reads no moment in an address", () => {
    expect(when("is http://may.example/2026-04-01 up")).toEqual([]);
  });

  it("looks for none without a clock", () => {
    expect(found("tomorrow at nine")).toEqual([]);
  });
});

describe("whatever the text", () => {
  const clock = { now: new Date("2026-01-05T12:00:00Z"), zone: "Europe/Berlin" };
  const word = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.domain(),
    fc.ipV4(),
    fc.ipV6(),
    fc.emailAddress(),
    fc.nat().map(String),
    fc.constantFrom("port", "5 min", '"', "'", ":", "(", "://", "tomorrow", "1h", "%"),
  );
  const texts = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));

  it("each entity stands where it says, in order, and only moments overlap others", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const entities = extractEntities(text, clock);
        let end = 0;
        let start = 0;
        for (const entity of entities) {
          expect(text.slice(entity.start, entity.end)).toBe(entity.text);
          expect(entity.start).toBeGreaterThanOrEqual(start);
          start = entity.start;
          if (entity.kind === "when") continue;
          expect(entity.start).toBeGreaterThanOrEqual(end);
          end = entity.end;
        }
      }),
      { numRuns: 300 },
    );
  });

  it("finds any web address between words as it was written", () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ["http", "https"] }), (url) => {
        // A mark at an address's end reads as the sentence's.
        fc.pre(/[\p{L}\p{N}/]$/u.test(url) && !/[`'"()[\]]/u.test(url));
        expect(found(`is ${url} up`)).toEqual([["url", url]]);
      }),
    );
  });

  it("finds any IP address between words", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          fc.ipV6().filter((ip) => ip !== "::" && !ip.includes(".")),
        ),
        (ip) => {
          expect(found(`ping ${ip} now`)).toEqual([["host", ip]]);
        },
      ),
    );
  });

  it("takes milliseconds, even for texts made to be slow", () => {
    for (const piece of [
      "a",
      "a.",
      "'",
      "1,",
      "1 h ",
      "a@",
      "[::",
      "http://",
      "port ",
      '"',
      "“",
      "x=",
      "9:",
    ]) {
      const text = piece.repeat(Math.ceil(8000 / piece.length));
      const started = performance.now();
      extractEntities(text);
      expect(performance.now() - started, piece).toBeLessThan(250);
    }
  });
});
