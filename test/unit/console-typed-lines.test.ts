import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { limitTypedLines } from "../../src/capabilities/comm-gateway/console/typed-lines.ts";

async function through(...chunks: readonly (string | Buffer)[]): Promise<{ text: string; tooLong: number }> {
  const input = new PassThrough();
  let tooLong = 0;
  const typed = limitTypedLines(input, () => (tooLong += 1));
  for (const chunk of chunks) input.write(chunk);
  input.end();
  let text = "";
  for await (const chunk of typed) text += String(chunk);
  return { text, tooLong };
}

test("lines of the usual length pass as they are, whatever their end", async () => {
  expect(await through("is it up?\r", "läuft ", "es?\n")).toEqual({
    text: "is it up?\rläuft es?\n",
    tooLong: 0,
  });
});

test("a line beyond 4 KiB is cut there, taken back at its end, and not sent", async () => {
  const { text, tooLong } = await through("x".repeat(40_960), "\r", "next\r");
  expect(tooLong).toBe(1);
  expect(text).toBe(`${"x".repeat(4096)}\u0005\u0015next\r`);
});

test("the length is counted a line, not a session", async () => {
  const line = `${"y".repeat(4000)}\n`;
  expect(await through(line, line)).toEqual({ text: line + line, tooLong: 0 });
});
