import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

const FIXTURES = join(import.meta.dirname, "fixtures");
const MARK = /\/\/! (TS\d+)$/;

let reported: string[];

beforeAll(async () => {
  // TypeScript 7 has no API in JavaScript: one run of the compiler over all fixtures.
  const tsc = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");
  const run = promisify(execFile)(process.execPath, [tsc, "-p", FIXTURES, "--pretty", "false"], {
    cwd: FIXTURES,
  });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  reported = [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error (TS\d+):/gm)]
    .map(([, file, line, code]) => `${file}:${line} ${code}`)
    .sort();
});

async function marked(): Promise<string[]> {
  const files = (await readdir(FIXTURES, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const marks = await Promise.all(
    files.map(async (file) => {
      const lines = (await readFile(join(FIXTURES, file), "utf8")).split("\n");
      return lines.flatMap((line, i) => {
        const code = MARK.exec(line)?.[1];
        return code === undefined ? [] : [`${relative(FIXTURES, join(FIXTURES, file))}:${i + 1} ${code}`];
      });
    }),
  );
  return marks.flat().sort();
}

test("each wrong use of the role API is refused on its line with the code that says why, and nothing else is", async () => {
  expect(reported).toEqual(await marked());
});

test("the right uses compile", () => {
  expect(reported.filter((line) => line.startsWith("right/"))).toEqual([]);
});

test("a misspelt capability is refused by the code that suggests the right one, a handle that is not declared by another", () => {
  const codes = reported
    .filter((line) => line.startsWith("wrong/handles.ts"))
    .map((line) => line.split(" ")[1]);
  expect(codes).toEqual(expect.arrayContaining(["TS2820", "TS2339"]));
});
