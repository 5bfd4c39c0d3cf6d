import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { onStopSignals } from "./stop-signals.ts";
import type { Shell } from "./shell.ts";
import type { Verb } from "./verb.ts";

/** Editors write a file in several steps; this long after the last one it is finished. */
const SETTLE_MS = 150;
/** How long a process that was told to end may take. */
const GRACE_MS = 5_000;
const WATCHED = /\.(?:ts|ya?ml|json)$/;

/** `voxtree dev`: runs `start` and starts it anew whenever src/ or the roles change. */
export const dev: Verb = ({ program, shell, action }) => {
  program
    .command("dev")
    .description("start, and start anew on every change of src/ and roles/")
    .action(action((options) => superviseStart(shell, options.roles)));
};

/**
 * Node's own --watch keeps running when the program is left, and says so on stdout. This one ends with the program when
 * that ends well, waits for a change when it fails, and leaves the terminal's keyboard to it.
 */
async function superviseStart(shell: Shell, roles: string): Promise<number> {
  const entry = join(shell.projectDir, "bin", "voxtree.js");
  const ended = Promise.withResolvers<number>();
  let child: ChildProcess | undefined;
  let isRestarting = false;
  let isStopping = false;
  let settling: NodeJS.Timeout | undefined;

  function run(): void {
    isRestarting = false;
    child = spawn(process.execPath, [entry, "start", "--roles", roles], {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
    });
    child.once("exit", (code, signal) => {
      child = undefined;
      if (isRestarting) return run();
      const exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
      if (isStopping || exitCode === 0 || signal === "SIGINT") return ended.resolve(exitCode);
      shell.stderr.write(`start ended with exit code ${exitCode}; it starts anew on the next change.\n`);
    });
  }

  function restart(): void {
    if (isStopping || isRestarting) return;
    if (!child) return run();
    isRestarting = true;
    void endChild(child);
  }

  const watchers = [join(shell.projectDir, "src"), roles].map((dir) =>
    watch(dir, { recursive: true }, (_, file) => {
      if (file === null || !WATCHED.test(file)) return;
      clearTimeout(settling);
      settling = setTimeout(restart, SETTLE_MS);
    }),
  );
  const signals = onStopSignals({
    stop(signal) {
      isStopping = true;
      if (!child) return ended.resolve(0);
      // A terminal's Ctrl-C has reached the program already; it takes the second one for the same press.
      child.kill(signal);
    },
    force: () => void child?.kill("SIGKILL"),
  });
  try {
    run();
    return await ended.promise;
  } finally {
    clearTimeout(settling);
    signals[Symbol.dispose]();
    for (const watcher of watchers) watcher.close();
  }
}

async function endChild(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const impatience = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await exited;
  clearTimeout(impatience);
}
