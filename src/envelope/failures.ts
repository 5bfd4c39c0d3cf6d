/**
 * Every code by which Voxtree says that something did not work, what it means and what to do about it.
 * docs/failures.md is generated from this table.
 */
export const FAILURES = {
  E_INTERNAL: {
    meaning: "A defect in a role or in Voxtree itself.",
    remedy: "Look at the agent's log with the request's id and report it.",
    retryable: false,
  },
  E_TIMEOUT: {
    meaning: "No answer came before the deadline.",
    remedy:
      "Ask again for what only looks; what changes something may have been done, so look first. If it repeats, see `voxtree doctor` and the agent's log.",
    retryable: true,
  },
  E_CANCELLED: {
    meaning: "The request was cancelled by who asked.",
    remedy: "Ask again if you still want it.",
    retryable: false,
  },
  E_BUSY: {
    meaning: "The agent has more unfinished work than it may hold.",
    remedy: "Wait a little and try again.",
    retryable: true,
  },
  E_OFFLINE: {
    meaning: "The agent that can do this is not running.",
    remedy: "Start it; its commands come back by themselves.",
    retryable: true,
  },
  E_NOT_SHOWN: {
    meaning: "A part of a reply could not be shown in its chat.",
    remedy: "Ask again; if it repeats, report what the log says about it.",
    retryable: true,
  },
  E_UNKNOWN_COMMAND: {
    meaning: "No agent here offers this command.",
    remedy: "See /help for what can be asked.",
    retryable: false,
  },
  E_BAD_PARAMS: {
    meaning: "The parameters do not fit what the command takes.",
    remedy: "Correct what the text names and ask again.",
    retryable: false,
  },
  E_BAD_REPLY: {
    meaning: "A role returned something that is not a reply.",
    remedy: "Mend the role file that the text names.",
    retryable: false,
  },
  E_DEAD_LETTER: {
    meaning: "The request crashed the agent twice while it ran alone, and was put aside.",
    remedy: "See `voxtree dead show`; `voxtree dead retry` runs it again.",
    retryable: false,
  },
  E_JOURNAL_MISMATCH: {
    meaning: "The role's code changed while a request was half done, and the finished steps no longer fit.",
    remedy: "Ask again: the request is not continued by guesswork.",
    retryable: false,
  },
  E_AGENT_GONE: {
    meaning: "A handle was used after its agent had stopped.",
    remedy: "Do not keep handles beyond the call that they were given to.",
    retryable: false,
  },
  E_ALREADY_RUNNING: {
    meaning: "Another process already runs this agent on this data folder.",
    remedy: "Stop the other process, or set VOXTREE_DATA_DIR to another folder.",
    retryable: false,
  },
  E_ENVELOPE_INVALID: {
    meaning: "An envelope does not have the shape of AEE v1.",
    remedy: "Update the agent that sent it; the text names the field at fault.",
    retryable: false,
  },
  E_NOT_CANONICAL: {
    meaning: "An envelope is not written in canonical JSON.",
    remedy: "Update the agent that sent it; in other software, write VOLT's canonical JSON.",
    retryable: false,
  },
  E_TOO_LARGE: {
    meaning: "An envelope is larger than 1 MiB.",
    remedy: "Send less, or a reference to where the rest is.",
    retryable: false,
  },
  E_WRONG_SENDER: {
    meaning: "An envelope names a sender other than the owner of its lane.",
    remedy: "Treat the sender as compromised.",
    retryable: false,
  },
  E_WRONG_RECIPIENT: {
    meaning: "An envelope is addressed to somebody else.",
    remedy: "Check the ids in the agents' manifests.",
    retryable: false,
  },
  E_WRONG_DIRECTION: {
    meaning: "An envelope of this kind may not travel in this direction.",
    remedy: "Check `master_id` in both manifests: a master gives commands, its children answer them.",
    retryable: false,
  },
  E_NOT_ASKED: {
    meaning: "An answer names no question that was asked of its sender.",
    remedy: "Treat the sender as compromised.",
    retryable: false,
  },
  E_STALE: {
    meaning: "An envelope is older than 7 days or from the future.",
    remedy: "Check the clocks of both machines.",
    retryable: false,
  },
  E_LANE: {
    meaning: "A neighbour damaged or flooded the lane on which it sends to this agent.",
    remedy: "Treat that neighbour as compromised; the others' lanes are not touched by it.",
    retryable: false,
  },
  E_CONFIG: {
    meaning: "A setting is unknown or has a value that does not fit.",
    remedy: "Correct it in the environment or in .env.",
    retryable: false,
  },
  E_MANIFEST: {
    meaning: "An agent.yml is missing, unreadable or contradicts another.",
    remedy: "Correct the file and line that the text names.",
    retryable: false,
  },
  E_ROLE_MISSING: {
    meaning: "An agent.yml lists a role that has no file.",
    remedy: "Write the file, or take the name out of `roles`.",
    retryable: false,
  },
  E_ROLE_SYNTAX: {
    meaning: "A role file is not valid TypeScript, or uses syntax that cannot be erased.",
    remedy: "Mend the file and line that the text names.",
    retryable: false,
  },
  E_ROLE_SHAPE: {
    meaning: "A role file does not export a role, or not in literals.",
    remedy: "Write `export default defineRole({ … })` with plain literals.",
    retryable: false,
  },
  E_ROLE_IMPORT: {
    meaning: "A role file reaches for something that roles may not use.",
    remedy: "Declare a capability in `requires` instead.",
    retryable: false,
  },
  E_ROLE_CAPABILITY: {
    meaning: "A role requires a capability that does not exist, or that its agent may not have.",
    remedy: "Correct `requires`, or the capability's settings in agent.yml.",
    retryable: false,
  },
  E_ROLE_DUPLICATE: {
    meaning: "Two roles offer a command of the same name under one master.",
    remedy: "Rename one of the two.",
    retryable: false,
  },
  E_ROLE_SCHEMA: {
    meaning: "A command's parameters cannot be written as JSON Schema.",
    remedy: "Use types that JSON has: no z.date() or z.bigint().",
    retryable: false,
  },
  E_ROLE_LOAD: {
    meaning: "A role file failed while it was loaded.",
    remedy: "Mend what the text says; the rest of the agent runs on.",
    retryable: false,
  },
  E_ADDRESS_REFUSED: {
    meaning: "A check was asked to reach an address that is not public.",
    remedy: "Allow it by name in NET_ALLOW if that is what you want.",
    retryable: false,
  },
  E_LEDGER: {
    meaning: "The agent's ledger cannot be opened or written.",
    remedy: "Check the data folder's disk space, rights and version.",
    retryable: true,
  },
  E_TRANSPORT: {
    meaning: "What REDIS_URL names refuses to be used, and waiting would not help.",
    remedy:
      "Correct REDIS_URL, the user and the rights that it stands for, or what the text says is wrong with Redis.",
    retryable: false,
  },
  E_TELEGRAM: {
    meaning: "Telegram is not reached, or refuses what was asked of it.",
    remedy:
      "Do what the text says; where nothing is reached, check the network, a proxy or firewall on the way, and TELEGRAM_API_ROOT.",
    retryable: true,
  },
  E_NOT_FOUND: {
    meaning: "There is nothing by that id.",
    remedy: "List what there is, and check the id.",
    retryable: false,
  },
  E_LAST_OWNER: {
    meaning: "It would leave nobody who owns this bot.",
    remedy: "Make somebody else owner first.",
    retryable: false,
  },
  E_OUTPUT: {
    meaning: "What is printed cannot be written where it goes.",
    remedy: "Make room there, or let the output go somewhere else.",
    retryable: true,
  },
  E_USAGE: { meaning: "The command line does not fit.", remedy: "See `voxtree help`.", retryable: false },
} as const satisfies Record<string, { meaning: string; remedy: string; retryable: boolean }>;

export type FailureCode = keyof typeof FAILURES;

/** An expected failure: a value, never thrown. `text` says what happened here, in words for the person who reads it. */
export interface FailureValue {
  readonly failure: FailureCode;
  readonly text: string;
  readonly retryable: boolean;
}

/** Builds a failure value; the registry says whether a repeat may help. */
export function failure(code: FailureCode, text: string): FailureValue {
  return { failure: code, text, retryable: FAILURES[code].retryable };
}

/** Whether a value is a failure rather than an answer: it has a code and words for the person. */
export function isFailure(value: unknown): value is FailureValue {
  return (
    typeof value === "object" &&
    value !== null &&
    "failure" in value &&
    typeof value.failure === "string" &&
    "text" in value &&
    typeof value.text === "string"
  );
}
