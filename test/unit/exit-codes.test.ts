import { execFile } from "node:child_process";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { EXIT_CODES, exitCodeOf } from "../../src/cli/exit-codes.ts";
import { runProgram } from "../../src/cli/program.ts";
import { printFailure, type Shell } from "../../src/cli/shell.ts";
import { FAILURES, failure, type FailureCode } from "../../src/envelope/failures.ts";

const projectDir = fileURLToPath(new URL("../../", import.meta.url));

function createShell() {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const shell: Shell = { stdin, stdout, stderr, env: {}, projectDir };
  const read = (stream: PassThrough): string => stream.read()?.toString() ?? "";
  return { shell, out: () => read(stdout), err: () => read(stderr) };
}

describe("exit codes", () => {
  it.each([
    ["E_USAGE", 2],
    ["E_BAD_PARAMS", 2],
    ["E_NOT_FOUND", 3],
    ["E_UNKNOWN_COMMAND", 3],
    ["E_ALREADY_RUNNING", 4],
    ["E_CONFIG", 5],
    ["E_MANIFEST", 5],
    ["E_ROLE_SYNTAX", 5],
    ["E_LEDGER", 6],
    ["E_TIMEOUT", 7],
    ["E_OFFLINE", 7],
    ["E_BUSY", 7],
    ["E_CANCELLED", 1],
    ["E_DEAD_LETTER", 1],
    ["E_INTERNAL", 70],
  ] as const)("of %s is %i", (code, exitCode) => {
    expect(exitCodeOf(code)).toBe(exitCode);
  });

  it("exist for every failure, and differ from one another", () => {
    const codes = Object.values(EXIT_CODES).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of Object.keys(FAILURES) as FailureCode[]) {
      expect(exitCodeOf(code)).not.toBe(0);
      expect(codes).toContain(exitCodeOf(code));
    }
  });

  it("are listed by `voxtree help exit-codes`", async () => {
    const { shell, out } = createShell();
    expect(await runProgram(["help", "exit-codes"], shell)).toBe(0);
    const text = out();
    for (const { code, meaning } of Object.values(EXIT_CODES))
      expect(text).toMatch(new RegExp(`^ +${code}  ${meaning.slice(0, 20)}`, "m"));
  });
});

describe("a failure on the command line", () => {
  it("is text and what to do on stderr", () => {
    const { shell, out, err } = createShell();
    expect(printFailure(shell, failure("E_NOT_FOUND", "no conversation abc"), false)).toBe(3);
    expect(err()).toBe("E_NOT_FOUND: no conversation abc\nList what there is, and check the id.\n");
    expect(out()).toBe("");
  });

  it("is JSON on stdout for programs", () => {
    const { shell, out, err } = createShell();
    expect(printFailure(shell, failure("E_LEDGER", "the disk is full"), true)).toBe(6);
    expect(JSON.parse(out())).toEqual({
      failure: "E_LEDGER",
      text: "the disk is full",
      remedy: "Check the data folder's disk space, rights and version.",
      retryable: true,
    });
    expect(err()).toBe("");
  });
});

describe("the command line", () => {
  it("shows what it can do when nothing is asked of it", async () => {
    const { shell, out } = createShell();
    expect(await runProgram([], shell)).toBe(0);
    expect(out()).toMatch(/Usage: voxtree[^]*doctor/);
  });

  it("says its version", async () => {
    const { shell, out } = createShell();
    expect(await runProgram(["--version"], shell)).toBe(0);
    expect(out()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [["doctr"], "unknown command 'doctr'\n(Did you mean doctor?)"],
    [["doctor", "--jsn"], "unknown option '--jsn'\n(Did you mean --json?)"],
    [["doctor", "now"], "too many arguments"],
    [["--roles"], "argument missing"],
    [["help", "doctr"], 'there is no help on "doctr"; did you mean doctor?'],
  ])("refuses %j with exit code 2 and a hint", async (argv, hint) => {
    const { shell, out, err } = createShell();
    expect(await runProgram(argv, shell)).toBe(2);
    expect(err()).toContain(hint);
    expect(out()).toBe("");
  });

  it("gives its exit code to whoever runs it", async () => {
    const code = await new Promise((resolve) =>
      execFile(process.execPath, [`${projectDir}bin/voxtree.js`, "nonsense"], (error) =>
        resolve(error?.code),
      ),
    );
    expect(code).toBe(2);
  });
});
