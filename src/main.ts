import { oneLine, safeText } from "./capabilities/comm-gateway/render-terminal.ts";
import { EXIT_CODES, exitCodeOf } from "./cli/exit-codes.ts";
import { dieWithLauncher } from "./cli/launcher.ts";
import { runProgram } from "./cli/program.ts";
import { printFailure, processShell } from "./cli/shell.ts";
import { describeError, failure } from "./envelope/index.ts";
import { createLog } from "./log.ts";

/** A defect: one line for people, the stack for whoever asks for more. */
function dieOf(error: unknown): never {
  const stack = describeError(error);
  const message = error instanceof Error ? error.message : stack;
  const place = stack.split("\n").find((line) => /^\s+at /.test(line)) ?? "";
  const isCurious = /^(?:debug|trace)$/.test(process.env["VOXTREE_LOG_LEVEL"] ?? "");
  const more = isCurious ? `\n${safeText(stack)}` : " VOXTREE_LOG_LEVEL=debug shows more; please report it.";
  process.stderr.write(`E_INTERNAL: ${oneLine(`${message} ${place}`)}.${more}\n`);
  process.exit(EXIT_CODES.internal.code);
}

/** A promise that a role let go of, as a rule: what it belonged to is lost, and everybody else is still being answered. */
function noteRejection(error: unknown): void {
  createLog({ level: "error" }).error(
    "a promise was rejected that nobody waits for: a role must await what it begins",
    { error: describeError(error) },
  );
}

process.on("uncaughtException", dieOf);
process.on("unhandledRejection", noteRejection);
const shell = processShell();
// Whoever reads may go before everything is written, as in `voxtree tree | head`: that is no defect of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  const lost = failure("E_OUTPUT", `What is shown here cannot be written: ${error.message}.`);
  const code = printFailure(shell, lost, false);
  // What runs here ends in order, and may call that a success.
  process.on("exit", () => (process.exitCode = code));
});
process.stderr.on("error", (error: NodeJS.ErrnoException) => {
  // Where nothing can be told any more, the code has to say it.
  if (error.code !== "EPIPE") process.exit(exitCodeOf("E_OUTPUT"));
});
dieWithLauncher();
process.exitCode = await runProgram(process.argv.slice(2), shell).catch(dieOf);
