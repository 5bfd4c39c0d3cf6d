import type { ProcessLog } from "../log.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { OpenAgents } from "./open-agents.ts";

/** The exit code when an agent can no longer write its ledger, once that is so. */
export function codeOfLoss({ fatal }: Pick<OpenAgents, "fatal">, log: ProcessLog): Promise<number> {
  return fatal.catch((error: unknown) => {
    log.error(String(error));
    return EXIT_CODES.data.code;
  });
}

/** What closing takes besides what is in work: told to stop, a process is gone within ten seconds, as supervisors expect. */
const CLOSING_MS = 2500;
/** What is closed lets go of the process at once; a connection that a dying Redis has left open need not. */
const LINGER_MS = 500;

/**
 * Closes what runs here, and sees to it that the process ends with `code`, whatever still holds it. What was not closed
 * in time is as after a crash: the next start goes on with it.
 */
export async function leave(
  code: number,
  { graceMs, close }: { readonly graceMs: number; readonly close: (graceMs: number) => Promise<void> },
): Promise<number> {
  const limit = setTimeout(() => process.exit(code), graceMs + CLOSING_MS);
  limit.unref();
  await close(graceMs);
  clearTimeout(limit);
  setTimeout(() => process.exit(code), LINGER_MS).unref();
  return code;
}
