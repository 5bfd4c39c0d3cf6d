import { expect, test } from "vitest";
import { wordsOf } from "../../src/cli/read-trace.ts";
import { md } from "../../src/sdk/index.ts";

test.each<[string, Record<string, unknown>, string]>([
  [
    "what a person wrote",
    { command: "inbound_message", params: { chat: "a", text: "is it\nup?" } },
    "is it up?",
  ],
  [
    "what a child is asked",
    { command: "http", params: { url: "https://a.example" } },
    '{"url":"https://a.example"}',
  ],
  ["a plain answer", { summary: "https://a.example answers 200\ntcp 3 ms" }, "https://a.example answers 200"],
  ["an answer with emphasis", { summary: md`**lisbon**, 31 km/h` }, "lisbon, 31 km/h"],
  ["an error", { code: "E_TIMEOUT", message: "No answer in time." }, "No answer in time."],
  ["nothing", {}, ""],
])("a trace shows of %s its words, on one line", (_, details, words) => {
  expect(wordsOf(details)).toBe(words);
});
