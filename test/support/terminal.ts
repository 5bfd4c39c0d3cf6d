import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";

/** Keys as a terminal sends them. */
export const KEY = {
  enter: "\r",
  tab: "\t",
  up: "\u001b[A",
  left: "\u001b[D",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
} as const;

/** A program in a real pseudo-terminal of 80 × 24, and the hands at its keyboard. */
export interface Terminal extends AsyncDisposable {
  press(...keys: readonly string[]): void;
  /** Everything that came, with its control sequences. */
  readonly raw: () => string;
  /** Resolves with what came since the last call, up to and including the match. */
  until(pattern: RegExp): Promise<string>;
  /** The program's exit code. */
  readonly exited: Promise<number>;
}

const SCRIPT = "/usr/bin/script";

/** Runs a command line in a pseudo-terminal made by `script` of util-linux. */
export function openTerminal(
  command: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Terminal {
  if (!existsSync(SCRIPT))
    throw new Error(`these tests need ${SCRIPT}: install util-linux (bsdutils on Debian)`);
  const child = spawn(SCRIPT, ["-qfec", `stty cols 80 rows 24; exec ${command}`, "/dev/null"], {
    env: {
      ...process.env,
      TERM: "xterm",
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      CI: undefined,
      ...env,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let raw = "";
  let read = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (raw += text));
  const exited = once(child, "close").then(([code]) => Number(code));
  return {
    press: (...keys) => void child.stdin.write(keys.join("")),
    raw: () => raw,
    async until(pattern) {
      for (;;) {
        const match = pattern.exec(raw.slice(read));
        if (match) {
          const text = raw.slice(read, read + match.index + match[0].length);
          read += text.length;
          return text;
        }
        const ended = await Promise.race([
          once(child.stdout, "data").then(() => false),
          exited.then(() => true),
        ]);
        if (ended && !pattern.test(raw.slice(read))) {
          throw new Error(
            `the program ended without ${String(pattern)}; since then came:\n${raw.slice(read)}`,
          );
        }
      }
    },
    exited,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/**
 * What stands on the screen after the output: enough of a terminal for what a line editor writes
 * (line ends, cursor movements, erasing); colours are ignored.
 */
export function screenOf(raw: string, columns = 80): string[] {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const parts = raw.matchAll(/\u001b\[([\d;?]*)([A-Za-z])|\r|\n|\u0007|\u001b[=>]|[^\u001b\r\n\u0007]/gu);
  for (const [text, argument = "", letter] of parts) {
    const count = Number.parseInt(argument, 10) || 1;
    const line = (rows[row] ??= []);
    if (text === "\r") column = 0;
    else if (text === "\n") row += 1;
    else if (letter === "A") row = Math.max(0, row - count);
    else if (letter === "B") row += count;
    else if (letter === "C") column += count;
    else if (letter === "D") column = Math.max(0, column - count);
    else if (letter === "G") column = count - 1;
    else if (letter === "K") line.length = Math.min(line.length, column);
    else if (letter === "J") {
      line.length = Math.min(line.length, column);
      rows.length = row + 1;
    } else if (letter === undefined && text >= " ") {
      if (column >= columns) {
        row += 1;
        column = 0;
      }
      const current = (rows[row] ??= []);
      while (current.length < column) current.push(" ");
      current[column] = text;
      column += 1;
    }
  }
  rows[row] ??= [];
  return Array.from(rows, (cells) => (cells ?? []).join("").trimEnd());
}
