import { describe, expect, test } from "vitest";
import { md } from "../../src/sdk/markup.ts";
import { FailureShape, ReplyShape } from "../../src/sdk/reply.ts";

describe("a reply", () => {
  test.each([
    ["text alone", { text: "done" }],
    ["markup", { text: md`**done**` }],
    [
      "all that there is",
      {
        text: "example.com answered 503 in 3 ms",
        verdict: "fail",
        buttons: [{ label: "Again", say: "is example.com up?" }],
        attachments: [{ name: "body.txt", contentType: "text/plain", base64: "aGVsbG8=" }],
        data: { status: 503, totalMs: 3 },
      },
    ],
  ])("may be %s", (_, reply) => {
    expect(ReplyShape.parse(reply)).toEqual(reply);
  });

  test.each([
    ["a misspelt field", { text: "done", verdct: "ok" }, ""],
    ["no text", { data: {} }, "text"],
    ["text that is none", { text: 5 }, "text"],
    ["markup of an unknown kind", { text: { markup: [{ html: "<b>x</b>" }] } }, "text"],
    ["an unknown verdict", { text: "x", verdict: "failed" }, "verdict"],
    ["data that is no object", { text: "x", data: [1] }, "data"],
    ["a button without words", { text: "x", buttons: [{ label: "Again", say: "" }] }, "buttons.0.say"],
    [
      "a button with a long label",
      { text: "x", buttons: [{ label: "x".repeat(65), say: "x" }] },
      "buttons.0.label",
    ],
    [
      "too many buttons",
      { text: "x", buttons: Array.from({ length: 21 }, () => ({ label: "a", say: "b" })) },
      "buttons",
    ],
    [
      "a file that is not in base64",
      { text: "x", attachments: [{ name: "a", contentType: "text/plain", base64: "é" }] },
      "attachments.0.base64",
    ],
    ["nothing", undefined, ""],
    ["a string", "done", ""],
  ])("may not have %s", (_, reply, path) => {
    const parsed = ReplyShape.safeParse(reply);
    expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  test("names the misspelt field", () => {
    expect(ReplyShape.safeParse({ text: "x", verdct: "ok" }).error?.issues[0]?.message).toContain('"verdct"');
  });

  test("does not take a failure for a reply", () => {
    expect(ReplyShape.safeParse({ failure: "E_DOWN", text: "down" }).success).toBe(false);
  });
});

describe("a failure", () => {
  test.each([
    [{ failure: "E_DOWN", text: "the printer is off" }],
    [{ failure: "E_NO_2ND_TRY", text: "", retryable: false }],
  ])("may be %j", (failure) => {
    expect(FailureShape.parse(failure)).toEqual(failure);
  });

  test.each([
    [{ failure: "DOWN", text: "x" }],
    [{ failure: "e_down", text: "x" }],
    [{ failure: "E_", text: "x" }],
    [{ failure: "E_DOWN\n", text: "x" }],
    [{ failure: "E_DOWN" }],
    [{ failure: "E_DOWN", text: "x", retry: true }],
  ])("may not be %j", (failure) => {
    expect(FailureShape.safeParse(failure).success).toBe(false);
  });
});
