import { resolve } from "node:path";
import type { Command } from "commander";
import type { FailureValue } from "../envelope/failures.ts";
import type { Shell } from "./shell.ts";

/** How a verb ended: an exit code, a failure to be printed, or nothing for success. */
type Outcome = number | FailureValue | void;

/** What a verb is given to declare itself with. */
export interface VerbScope {
  readonly program: Command;
  readonly shell: Shell;
  /**
   * Wraps a verb's work for commander's `.action()`: it is given the options (the global ones too), then the arguments.
   * What it resolves to becomes the exit code; a failure is printed, as JSON when `--json` was given.
   */
  readonly action: (
    work: (options: VerbOptions, ...words: string[]) => Promise<Outcome> | Outcome,
  ) => (...given: unknown[]) => Promise<void>;
}

/** Options as they were given; those of every verb are known by name. */
export interface VerbOptions {
  /** Absolute path of the agents' folder. */
  readonly roles: string;
  /** Output for programs. */
  readonly json: boolean;
  /** The verb's own options, under commander's names for them. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** A verb of the command line: adds its command to the program. */
export type Verb = (scope: VerbScope) => void;

/** The option by which every list and check speaks to programs. */
export const JSON_OPTION = ["--json", "print JSON"] as const;

/** Reads what commander collected. */
export function readOptions(command: Command, shell: Shell): VerbOptions {
  const given: Record<string, unknown> = command.optsWithGlobals();
  const { roles, json, ...own } = given;
  return {
    roles: typeof roles === "string" ? resolve(roles) : resolve(shell.projectDir, "roles"),
    json: json === true,
    own,
  };
}
