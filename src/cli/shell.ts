import { fstatSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";
import { safeJson, safeText } from "../capabilities/comm-gateway/render-terminal.ts";
import { parseAllowList } from "../capabilities/net/allow-list.ts";
import { type Config, loadConfig } from "../config.ts";
import { FAILURES, isFailure, type FailureValue } from "../envelope/failures.ts";
import { exitCodeOf } from "./exit-codes.ts";

/** The process as verbs see it. */
export interface Shell {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; hasColors?(): boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean; hasColors?(): boolean };
  /** Nobody can write to it: its standard input is /dev/null or the like, as under systemd or `docker run -d`. */
  readonly isDetached?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where package.json, roles/ and .env stand. */
  readonly projectDir: string;
}

/** This process. */
export function processShell(): Shell {
  const { stdin, stdout, stderr, env } = process;
  const isDetached = !isatty(0) && fstatSync(0).isCharacterDevice();
  const projectDir = fileURLToPath(new URL("../../", import.meta.url));
  return { stdin, stdout, stderr, isDetached, env, projectDir };
}

/** The settings of this process; E_CONFIG tells every fault. */
export function shellConfig({ env, projectDir }: Shell): Config | FailureValue {
  const config = loadConfig({ env, envFile: join(projectDir, ".env") });
  if (isFailure(config)) return config;
  const [refused] = parseAllowList(config.netAllow).failures;
  return refused ?? config;
}

/** Whether somebody sits at a terminal that can do more than print lines. */
export function isInteractive({ stdin, stdout, env }: Shell): boolean {
  return Boolean(stdin.isTTY && stdout.isTTY) && env["TERM"] !== "dumb";
}

/** Whether a stream shows colours: a terminal, and nobody asked for none. */
export function isColourful(stream: { readonly isTTY?: boolean; hasColors?(): boolean }): boolean {
  return Boolean(stream.isTTY && stream.hasColors?.());
}

/** What an output can show: colours, and columns at which lines break; `Infinity` where nobody sits at it. */
export function lookOf(stdout: Shell["stdout"]): { readonly isColour: boolean; readonly width: number } {
  return { isColour: isColourful(stdout), width: stdout.columns ?? Infinity };
}

/** The name of whoever runs this process, as the system knows it. */
export function personAtShell({ env }: Shell): string {
  try {
    return userInfo().username;
  } catch {
    return env["USER"] || "you"; // a container's user need not have a name
  }
}

/** Prints words for people, none of which can steer their terminal. */
export function printText({ stdout }: Shell, text: string): void {
  stdout.write(`${safeText(text)}\n`);
}

/** Prints a value for programs. */
export function printJson({ stdout }: Shell, value: unknown): void {
  stdout.write(`${safeJson(value, 2)}\n`);
}

/** Prints a failure, for people on stderr or for programs as one line on stdout, and gives the exit code that goes with it. */
export function printFailure(
  shell: Shell,
  { failure, text, retryable }: FailureValue,
  json: boolean,
): number {
  const { remedy } = FAILURES[failure];
  if (json) shell.stdout.write(`${safeJson({ failure, text, remedy, retryable })}\n`);
  else shell.stderr.write(safeText(`${failure}: ${text}\n${remedy}\n`));
  return exitCodeOf(failure);
}
