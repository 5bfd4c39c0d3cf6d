import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, openTerminal, screenOf, type Terminal } from "../support/terminal.ts";

const PROGRAM = fileURLToPath(new URL("../support/console-program.ts", import.meta.url));

let folder: string;
let historyFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "voxtree-console-"));
  historyFile = join(folder, "data", "history");
});
afterEach(() => rmSync(folder, { recursive: true }));

function openConsole(env: Record<string, string> = { NO_COLOR: "1" }): Terminal {
  return openTerminal(`'${process.execPath}' '${PROGRAM}' '${historyFile}'`, env);
}

const PROMPT = /> (?:\u001b\[\d*[A-Z])*$/;

describe("the console in a terminal", () => {
  it("greets, tells the answer from before a restart with what was asked, and prompts", async () => {
    await using terminal = openConsole();
    await terminal.until(/It is\./);
    await terminal.until(PROMPT);
    expect(screenOf(terminal.raw())).toEqual([
      "Welcome",
      "You asked at 30 Nov, 12:34: is it up?",
      "✅ It is.",
      ">",
    ]);
  });

  it("leaves cleanly by Ctrl-D", async () => {
    await using terminal = openConsole();
    await terminal.until(/It is\.[^>]*>/);
    terminal.press("hello", KEY.enter);
    await terminal.until(/heard: hello/);
    terminal.press(KEY.ctrlD);
    expect(await terminal.exited).toBe(0);
    expect(screenOf(terminal.raw()).slice(3)).toEqual(["> hello", "heard: hello", ">", ""]);
  });

  it("clears the line by Ctrl-C, then says how to leave, then leaves", async () => {
    await using terminal = openConsole();
    await terminal.until(/It is\.[^>]*>/);
    terminal.press("rm -rf", KEY.ctrlC, KEY.ctrlC);
    await terminal.until(/Press Ctrl-C again, or Ctrl-D, to leave\./);
    terminal.press("still here", KEY.enter);
    await terminal.until(/heard: still here/);
    terminal.press(KEY.ctrlC);
    await terminal.until(/Press Ctrl-C again, or Ctrl-D, to leave\./);
    terminal.press(KEY.ctrlC);
    expect(await terminal.exited).toBe(0);
    expect(terminal.raw()).not.toContain("heard: rm");
  });

  it("shows that it works, how long and how far, and takes that away when the answer comes", async () => {
    await using terminal = openConsole();
    await terminal.until(/It is\.[^>]*>/);
    terminal.press("wait", KEY.enter);
    await terminal.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] {1}\d s {2}asking the oracle 50 %/);
    await terminal.until(/1 s {2}asking the oracle/);
    terminal.press("go", " on", KEY.enter);
    await terminal.until(/went on/);
    terminal.press("last", KEY.enter);
    await terminal.until(/heard: last/);
    terminal.press(KEY.ctrlD);
    await terminal.exited;
    expect(screenOf(terminal.raw()).slice(3)).toEqual([
      "> wait",
      "> go on",
      "You asked: wait",
      "the oracle has spoken",
      "went on",
      "> last",
      "heard: last",
      ">",
      "",
    ]);
  });

  it("keeps what is being typed when something is said in between, on long lines too", async () => {
    await using terminal = openConsole();
    await terminal.until(/It is\.[^>]*>/);
    const long = "x".repeat(100);
    terminal.press("wait", KEY.enter);
    await terminal.until(/asking the oracle/);
    terminal.press(long);
    await terminal.until(/x{20}[^x]*2 s {2}asking/);
    terminal.press(KEY.left, "y", KEY.enter);
    await terminal.until(/heard:\s+x+yx/);
    terminal.press(KEY.ctrlD);
    await terminal.exited;
    expect(screenOf(terminal.raw()).slice(3)).toEqual([
      "> wait",
      `> ${"x".repeat(78)}`,
      `${"x".repeat(21)}yx`,
      "heard:",
      "x".repeat(80),
      `${"x".repeat(19)}yx`,
      ">",
      "",
    ]);
  });

  it("puts lines of the log above the prompt", async () => {
    await using terminal = openConsole();
    await terminal.until(/It is\.[^>]*>/);
    terminal.press("log", KEY.enter);
    await terminal.until(/logged/);
    terminal.press(KEY.ctrlD);
    await terminal.exited;
    expect(screenOf(terminal.raw()).slice(3)).toEqual([
      "> log",
      expect.stringMatching(/^\d\d:\d\d:\d\d warn something is odd$/),
      "logged",
      ">",
      "",
    ]);
  });

  it("completes slash commands by Tab", async () => {
    await using terminal = openConsole();
    await terminal.until(/It is\.[^>]*>/);
    terminal.press("/he", KEY.tab, KEY.enter);
    await terminal.until(/heard: \/help/);
    terminal.press("/h", KEY.tab, KEY.tab);
    await terminal.until(/\/help\s+\/http\s+\/host/);
  });

  it("remembers the lines of the last start, in a file that only its owner reads", async () => {
    {
      await using terminal = openConsole();
      await terminal.until(/It is\.[^>]*>/);
      terminal.press("first", KEY.enter, "second", KEY.enter, "second", KEY.enter);
      await terminal.until(/heard: second[^]*heard: second/);
      terminal.press(KEY.ctrlD);
      await terminal.exited;
    }
    expect(readFileSync(historyFile, "utf8")).toBe("first\nsecond\n");
    expect(statSync(historyFile).mode & 0o777).toBe(0o600);
    await using terminal = openConsole();
    await terminal.until(/It is\.[^>]*>/);
    terminal.press(KEY.up, KEY.up, KEY.enter);
    await terminal.until(/heard: first/);
  });

  it("talks on when the history cannot be kept, and says so", async () => {
    writeFileSync(join(folder, "data"), "a file where the folder should be");
    await using terminal = openConsole();
    await terminal.until(/The lines you type are not remembered: /);
    await terminal.until(/It is\.[^>]*>/);
    terminal.press("hello", KEY.enter);
    await terminal.until(/heard: hello/);
  });

  it("ignores an empty line", async () => {
    await using terminal = openConsole();
    await terminal.until(/It is\.[^>]*>/);
    terminal.press(KEY.enter, KEY.enter, "hello", KEY.enter);
    await terminal.until(/heard: hello/);
    expect(terminal.raw()).not.toMatch(/heard: \s*[\r\n]/);
  });

  it("has colours, but not when NO_COLOR asks for none", async () => {
    {
      await using terminal = openConsole({});
      await terminal.until(/\u001b\[1m\u001b\[36m> /);
    }
    await using terminal = openConsole({ NO_COLOR: "1" });
    await terminal.until(/It is\.[^>]*>/);
    expect(terminal.raw()).not.toMatch(/\u001b\[[\d;]*m/);
  });
});
