import { FAILURES, type FailureCode } from "../envelope/failures.ts";

/** Every exit code of the command line; `voxtree help exit-codes` prints this table. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: "It worked, and what was checked is well." },
  failed: { code: 1, meaning: "It ran, and the answer is no: a check failed, or something is unhealthy." },
  usage: {
    code: 2,
    meaning: "The command line does not fit, or what was asked was not understood; see `voxtree help`.",
  },
  notFound: { code: 3, meaning: "There is nothing by that name or id." },
  alreadyRunning: { code: 4, meaning: "Another process runs on this data folder." },
  settings: { code: 5, meaning: "A setting, an agent.yml or a role file does not fit." },
  data: { code: 6, meaning: "The data folder or a ledger cannot be read or written." },
  tryAgain: {
    code: 7,
    meaning: "No answer could be had, or it was inconclusive; the same again may work later.",
  },
  internal: { code: 70, meaning: "A defect in Voxtree itself." },
  nodeTooOld: { code: 78, meaning: "Node is too old and the project's own is not installed." },
  interrupted: { code: 130, meaning: "Ended at once by Ctrl-C; other signals are 128 plus their number." },
} as const satisfies Record<string, { code: number; meaning: string }>;

type ExitName = keyof typeof EXIT_CODES;

/** Failures whose exit code says more than "failed" or "try again". */
const EXIT_OF: Partial<Record<FailureCode, ExitName>> = {
  E_INTERNAL: "internal",
  E_USAGE: "usage",
  E_BAD_PARAMS: "usage",
  E_NOT_FOUND: "notFound",
  E_UNKNOWN_COMMAND: "notFound",
  E_ALREADY_RUNNING: "alreadyRunning",
  E_CONFIG: "settings",
  E_MANIFEST: "settings",
  E_ROLE_SYNTAX: "settings",
  E_ROLE_SHAPE: "settings",
  E_ROLE_IMPORT: "settings",
  E_ROLE_CAPABILITY: "settings",
  E_ROLE_DUPLICATE: "settings",
  E_ROLE_SCHEMA: "settings",
  E_ROLE_LOAD: "settings",
  E_TRANSPORT: "settings",
  E_LEDGER: "data",
};

/** The exit code by which the command line tells of a failure. */
export function exitCodeOf(code: FailureCode): number {
  return EXIT_CODES[EXIT_OF[code] ?? (FAILURES[code].retryable ? "tryAgain" : "failed")].code;
}

/** The table as text. */
export function exitCodesText(): string {
  const rows = Object.values(EXIT_CODES).map(
    ({ code, meaning }) => `${String(code).padStart(4)}  ${meaning}`,
  );
  return `Exit codes of voxtree:\n\n${rows.join("\n")}\n`;
}
