import { describe, expect, it } from "vitest";
import { z } from "zod";
import { extractEntities, fillParameters, parseSlash, readParameters } from "../../src/intent/index.ts";
import { param } from "../../src/sdk/param.ts";

const clock = { now: new Date("2026-03-10T12:00:00Z"), zone: "UTC" };

function fill(params: z.ZodObject, text: string, isPositional = false): ReturnType<typeof fillParameters> {
  const parameters = readParameters(z.toJSONSchema(params, { io: "input" }));
  return fillParameters({ parameters, text, entities: extractEntities(text, clock), isPositional });
}

const http = z.object({
  url: z.url(),
  expect: z.int().default(200),
  timeoutMs: param.durationMs().optional(),
});
const port = z.object({ host: param.host(), port: param.port() });

describe("parameters by their type", () => {
  it.each<[string, Record<string, unknown>]>([
    ["is http://127.0.0.1:8080 up?", { url: "http://127.0.0.1:8080" }],
    ["is example.com up?", { url: "https://example.com" }],
    ["is 127.0.0.1:8080 up?", { url: "http://127.0.0.1:8080" }],
    ["is example.com:8443 up?", { url: "https://example.com:8443" }],
    ["is ::1 up?", { url: "https://[::1]" }],
    // One address given twice is one address.
    ["is https://example.com up, https://example.com?", { url: "https://example.com" }],
    // A number that nobody called anything stays out.
    ["is example.com up 404", { url: "https://example.com" }],
  ])("http: %s", (text, values) => {
    expect(fill(http, text)).toMatchObject({ values, missing: [], ambiguous: [] });
  });

  it.each<[string, Record<string, unknown>]>([
    ["is port 8080 open on 127.0.0.1", { host: "127.0.0.1", port: 8080 }],
    ["can I reach example.com:443", { host: "example.com", port: 443 }],
    ["is 22 open on db.example.com", { host: "db.example.com", port: 22 }],
    ["does https://example.com:8443/x listen", { host: "example.com", port: 8443 }],
    ["is [::1]:53 open", { host: "::1", port: 53 }],
  ])("port: %s", (text, values) => {
    expect(fill(port, text)).toMatchObject({ values, missing: [], ambiguous: [] });
  });

  it("says what is missing, in the schema's order", () => {
    expect(fill(port, "is it open?")).toMatchObject({ values: {}, missing: ["host", "port"] });
    expect(fill(port, "is port 70000 open on example.com")).toMatchObject({
      values: { host: "example.com" },
      missing: ["port"],
    });
  });

  it("takes no side when there are two for one", () => {
    const { values, missing, ambiguous } = fill(http, "is example.com or example.org up?");
    expect(values).toEqual({});
    expect(missing).toEqual([]);
    expect(ambiguous).toMatchObject([
      { name: "url", candidates: [{ value: "https://example.com" }, { value: "https://example.org" }] },
    ]);
  });

  it("gives two of one kind in the order of the words, and by name against it", () => {
    const copy = z.object({ from: param.host(), to: param.host() });
    expect(fill(copy, "copy a.example b.example").values).toEqual({ from: "a.example", to: "b.example" });
    expect(fill(copy, "copy to b.example from a.example").values).toEqual({
      from: "a.example",
      to: "b.example",
    });
  });

  it("reads enumerations by name, lengths of time, moments, quoted text and the rest", () => {
    const level = z.object({ level: z.enum(["read_only", "full"]) });
    expect(fill(level, "set it to Read only please").values).toEqual({ level: "read_only" });
    expect(fill(level, "full or read-only").ambiguous).toHaveLength(1);
    const remind = z.object({ at: param.when(), text: param.rest() });
    expect(fill(remind, "call Bob tomorrow at 9").values).toEqual({
      at: "2026-03-11T09:00:00Z",
      text: "call Bob",
    });
    const mute = z.object({ forMs: param.durationMs() });
    expect(fill(mute, "mute for 2 h").values).toEqual({ forMs: 7_200_000 });
    expect(fill(mute, "mute for 2").missing).toEqual(["forMs"]);
    const note = z.object({ text: z.string() });
    expect(fill(note, 'note "buy milk" for me').values).toEqual({ text: "buy milk" });
    expect(fill(note, "note for me").missing).toEqual(["text"]);
  });

  it("reads constants, nullable values and lists", () => {
    const check = z.object({
      mode: z.union([z.literal("fast"), z.literal("slow")]),
      url: z.nullable(z.url()),
      hosts: z.array(param.host()),
    });
    expect(fill(check, "slow check of https://example.com with a.example and b.example").values).toEqual({
      mode: "slow",
      url: "https://example.com",
      hosts: ["a.example", "b.example"],
    });
  });

  it("keeps within a number's bounds", () => {
    const wait = z.object({ count: z.int().min(1).max(10) });
    expect(fill(wait, "do it 3 times").values).toEqual({ count: 3 });
    expect(fill(wait, "do it 30 times").missing).toEqual(["count"]);
    expect(fill(wait, "do it 2.5 times").missing).toEqual(["count"]);
  });
});

describe("parameters by their name", () => {
  it.each<[string, Record<string, unknown>]>([
    ["check example.com, timeout 5s", { url: "https://example.com", timeoutMs: 5000 }],
    [
      "check example.com timeout of 5 s, expecting a 404",
      { url: "https://example.com", timeoutMs: 5000, expect: 404 },
    ],
    [
      "check example.com expect=404 timeoutMs=250ms",
      { url: "https://example.com", timeoutMs: 250, expect: 404 },
    ],
    ["expect: 301 url: http://a.example", { url: "http://a.example", expect: 301 }],
    ["check url=a.example not b.example", { url: "https://a.example" }],
  ])("%s", (text, values) => {
    expect(fill(http, text).values).toEqual(values);
  });

  it("takes a bare word only behind = or :", () => {
    const restart = z.object({
      service: z.string(),
      force: z.boolean().optional(),
      on: param.host().optional(),
    });
    expect(fill(restart, "restart service=nginx force=yes on=db1").values).toEqual({
      service: "nginx",
      force: true,
      on: "db1",
    });
    expect(fill(restart, "is the service running").missing).toEqual(["service"]);
  });

  it("fills an optional port where one is called so", () => {
    const tls = z.object({ host: param.host(), port: param.port().default(443) });
    expect(fill(tls, "is the certificate of example.com:8443 fine").values).toEqual({
      host: "example.com",
      port: 8443,
    });
  });
});

describe("parameters that take a list", () => {
  const ports = z.object({
    host: param.host(),
    ports: z.array(param.port()).min(1),
    also: z.array(param.host()).optional(),
  });

  it.each<[string, Record<string, unknown>]>([
    ["are ports 80 and 443 of example.com open?", { host: "example.com", ports: [80, 443] }],
    ["ports 80, 443, and 8080 on example.com", { host: "example.com", ports: [80, 443, 8080] }],
    ["is 22 or 23 open on example.com", { host: "example.com", ports: [22, 23] }],
    ["is port 22 open on example.com", { host: "example.com", ports: [22] }],
    ["port 80 and 5 min on example.com", { host: "example.com", ports: [80] }],
    [
      "host=a.example ports=80,443 also=b.example, c.example",
      { host: "a.example", ports: [80, 443], also: ["b.example", "c.example"] },
    ],
  ])("%s", (text, values) => {
    expect(fill(ports, text).values).toEqual(values);
  });
});

describe("arguments of a slash command", () => {
  it("fill in order, the last free text takes all that is left", () => {
    const add = z.object({ list: z.string(), text: z.string() });
    expect(fill(add, "shopping buy some milk", true).values).toEqual({
      list: "shopping",
      text: "buy some milk",
    });
    expect(fill(z.object({ host: param.host() }), "db1", true).values).toEqual({ host: "db1" });
    expect(fill(http, "https://example.com 404", true).values).toEqual({
      url: "https://example.com",
      expect: 404,
    });
    expect(fill(port, "127.0.0.1 8080", true).values).toEqual({ host: "127.0.0.1", port: 8080 });
  });

  it("keep the line breaks of free text", () => {
    expect(fill(z.object({ text: param.rest() }), "one\ntwo  three", true).values).toEqual({
      text: "one\ntwo  three",
    });
  });
});

describe("slash commands", () => {
  const names = ["http", "note", "note_add", "note_add_all", "list_all", "help"];
  it.each([
    ["/http http://a.example", { kind: "command", name: "http", args: "http://a.example" }],
    ["/HTTP@voxtree_bot x", { kind: "command", name: "http", args: "x" }],
    ["/note add x y", { kind: "command", name: "note_add", args: "x y" }],
    ["/note_add x", { kind: "command", name: "note_add", args: "x" }],
    ["/note-add", { kind: "command", name: "note_add", args: "" }],
    ["/note add all of it", { kind: "command", name: "note_add_all", args: "of it" }],
    ["/note addendum", { kind: "command", name: "note", args: "addendum" }],
    ["/list", { kind: "group", prefix: "list", names: ["list_all"] }],
    ["/htpt", { kind: "unknown", word: "htpt", suggestion: "http" }],
    ["/zebra", { kind: "unknown", word: "zebra", suggestion: undefined }],
    ["/etc/hosts is full", undefined],
    ["is /http a command", undefined],
  ])("%s", (text, expected) => {
    expect(parseSlash(text, names)).toEqual(expected);
  });
});
