import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readReplies, type WireReply } from "./wire-channel.ts";

const MAIN = join(import.meta.dirname, "wire-main.ts");
const COMPILED = join(import.meta.dirname, "../../.tmp/compiled");

/** A data folder that outlives the processes that work in it, and goes with the test. */
export function createDataFolder(): Disposable & { readonly dir: string; readonly repliesFile: string } {
  const dir = mkdtempSync(join(tmpdir(), "voxtree-test-"));
  return {
    dir,
    repliesFile: join(dir, "replies.log"),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** How a process came to its end. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** A tree in a process of its own. */
export interface WireProcess {
  /** Resolves when the tree takes words in; rejects with its stderr when it ends before. */
  readonly ready: Promise<void>;
  readonly ended: Promise<Ending>;
  say(id: string, text: string): void;
  /** Makes it end as by SIGKILL the n-th time from now that it passes a point: `<agent>:<point>:<n>`. */
  killAt(point: string): void;
  /** Resolves when `enough` says so of the replies; rejects with what is there when the process ends first. */
  replies(enough: (replies: readonly WireReply[]) => boolean): Promise<readonly WireReply[]>;
  kill(): void;
  /** Ends the input and waits for the planned stop. */
  stop(): Promise<Ending>;
}

/** Starts a tree behind the wire channel. */
export function startWireProcess(options: {
  readonly rolesDir: string;
  readonly dataDir: string;
  readonly netAllow?: string;
  /** How long a handler may hold the process up. */
  readonly patienceMs?: number;
}): WireProcess {
  const child = spawn(process.execPath, [MAIN, options.rolesDir, options.dataDir], {
    env: {
      ...process.env,
      // What one process has compiled the next one need not.
      NODE_COMPILE_CACHE: COMPILED,
      NET_ALLOW: options.netAllow ?? "",
      PATIENCE_MS: String(options.patienceMs ?? 10_000),
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = Promise.withResolvers<Ending>();
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => undefined);
  let stderr = "";
  let isOver = false;
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdout.on("data", () => ready.resolve());
  child.stdin.on("error", () => undefined); // It may die while it is being told something.
  child.on("close", (code, signal) => {
    isOver = true;
    ready.reject(new Error(`the process ended before it was ready (${code ?? signal}): ${stderr}`));
    ended.resolve({ code, signal, stderr });
  });
  const repliesFile = join(options.dataDir, "replies.log");

  return {
    ready: ready.promise,
    ended: ended.promise,
    say: (id, text) => void child.stdin.write(`${JSON.stringify({ id, text })}\n`),
    replies(enough) {
      return new Promise((resolve, reject) => {
        const watcher = watch(options.dataDir, look);
        function look(): void {
          const replies = readReplies(repliesFile);
          if (!enough(replies) && !isOver) return;
          watcher.close();
          if (enough(replies)) resolve(replies);
          else reject(new Error(`the process ended with ${replies.length} replies: ${stderr}`));
        }
        void ended.promise.then(look);
        look();
      });
    },
    killAt: (point) => void child.stdin.write(`${JSON.stringify({ killAt: point })}\n`),
    kill: () => void child.kill("SIGKILL"),
    stop() {
      child.stdin.end();
      return ended.promise;
    },
  };
}
