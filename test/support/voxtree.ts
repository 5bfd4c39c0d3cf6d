import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `voxtree` in a process of its own. */
export interface Running {
  readonly ended: Promise<Ran>;
  /** Writes to its input. */
  say(text: string): void;
  /** Ends its input. */
  close(): void;
  /** Resolves once it has written this; rejects when it ends before. */
  wrote(text: string): Promise<void>;
}

/** Starts the program as a shell would, on pipes. */
export function startVoxtree(
  argv: readonly string[],
  options: {
    readonly dataDir: string;
    /** No file may grow beyond this, as on a full disk. */
    readonly fileKilobytes?: number;
    readonly uid?: number;
  },
): Running {
  const { dataDir, fileKilobytes, uid } = options;
  // In units of 512 bytes, as POSIX has it.
  const limit = fileKilobytes === undefined ? "" : `ulimit -f ${fileKilobytes * 2};`;
  const child = spawn("sh", ["-c", `${limit} exec "$@"`, "sh", process.execPath, MAIN, ...argv], {
    env: { PATH: process.env["PATH"], VOXTREE_DATA_DIR: dataDir, TZ: "UTC" },
    stdio: ["pipe", "pipe", "pipe"],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const ended = Promise.withResolvers<Ran>();
  const listeners = new Set<() => void>();
  let stdout = "";
  let stderr = "";
  child.stdin.on("error", () => undefined); // It may end while it is being told something.
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const listener of listeners) listener();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.on("close", (code, signal) => ended.resolve({ code, signal, stdout, stderr }));
  return {
    ended: ended.promise,
    say: (text) => void child.stdin.write(text),
    close: () => void child.stdin.end(),
    wrote(text) {
      const there = Promise.withResolvers<void>();
      const look = (): void => {
        if (!stdout.includes(text)) return;
        listeners.delete(look);
        there.resolve();
      };
      listeners.add(look);
      look();
      void ended.promise.then((ran) => there.reject(new Error(`it ended before: ${JSON.stringify(ran)}`)));
      return there.promise;
    },
  };
}

/** Runs the program to its end with this input. */
export function runVoxtree(
  argv: readonly string[],
  { input = "", ...options }: Parameters<typeof startVoxtree>[1] & { readonly input?: string },
): Promise<Ran> {
  const running = startVoxtree(argv, options);
  running.say(input);
  running.close();
  return running.ended;
}
