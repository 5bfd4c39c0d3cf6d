import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentFacts, FromAgent, ToAgent } from "./lines.ts";

const MAIN = join(import.meta.dirname, "agent-main.ts");
const COMPILED = join(import.meta.dirname, "../../.tmp/compiled");
/** An agent looks at its clocks each second. */
const NOTICED_WITHIN_MS = 2500;
const MOST_STDERR = 20_000;

/** A time during which an agent could not be heard: it did not run, or it was held. By the harness's monotonic clock. */
export interface Absence {
  readonly from: number;
  /** Until it was ready again; Infinity while it lasts. */
  readonly until: number;
  readonly why: "killed" | "stopped" | "ended" | "held";
}

/** One agent of the tree, whichever process runs it. */
export interface AgentProcess {
  readonly name: string;
  readonly pid: number;
  /** Whether a process runs it; one that is held counts. */
  readonly isRunning: boolean;
  /** Whether that process has started. */
  readonly isReady: boolean;
  readonly absences: readonly Absence[];
  /** How often it was started. */
  readonly starts: number;
  /** The end of what all of its processes have written to stderr. */
  readonly stderr: string;
  /** Resolves when it is ready; rejects when it ends before. */
  start(): Promise<void>;
  /** SIGKILL; resolves when all that it had said has been heard. */
  kill(): Promise<void>;
  /** A planned stop; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGSTOP: it stands still and does not know it. */
  hold(): void;
  letGo(): void;
  tell(line: ToAgent): void;
  /** Sets its wall clock off by so much, now and after its next starts. */
  skew(ms: number): void;
}

export interface AgentProcessParts {
  readonly facts: AgentFacts;
  readonly onLine: (agent: string, line: FromAgent) => void;
  /** A process has ended, and all that it had said has been heard. */
  readonly onEnded: (agent: AgentProcess) => void;
}

export function createAgentProcess({ facts, onLine, onEnded }: AgentProcessParts): AgentProcess {
  const { name } = facts;
  const absences: Absence[] = [];
  let { skewMs } = facts;
  let noticed: Promise<unknown> = Promise.resolve();
  let child: ChildProcess | undefined;
  let isReady = false;
  let starts = 0;
  let stderr = "";
  /** Why it ends, where that is known before. */
  let ending: Absence["why"] | undefined;

  const isRunning = (): boolean =>
    child !== undefined && child.exitCode === null && child.signalCode === null;

  const leave = (why: Absence["why"]): void => {
    const last = absences.at(-1);
    // One that is held may end before it is let go.
    if (last?.until === Number.POSITIVE_INFINITY) absences[absences.length - 1] = { ...last, why };
    else absences.push({ from: performance.now(), until: Number.POSITIVE_INFINITY, why });
  };
  const comeBack = (): void => {
    const last = absences.at(-1);
    if (last?.until !== Number.POSITIVE_INFINITY) return;
    absences[absences.length - 1] = { ...last, until: performance.now() };
  };

  const end = async (signal: NodeJS.Signals, why: Absence["why"]): Promise<number | null> => {
    const ended = child;
    if (!ended || !isRunning()) return null;
    ending = why;
    // A planned stop is heard of while it lasts.
    if (signal === "SIGKILL") leave(why);
    const closed = once(ended, "close");
    ended.kill(signal);
    // One that is held would not see the signal.
    ended.kill("SIGCONT");
    const [code] = (await closed) as [number | null];
    return code;
  };

  const self: AgentProcess = {
    name,
    get pid() {
      return child?.pid ?? 0;
    },
    get isRunning() {
      return isRunning();
    },
    get isReady() {
      return isReady;
    },
    absences,
    get starts() {
      return starts;
    },
    get stderr() {
      return stderr;
    },
    start() {
      if (isRunning()) throw new Error(`${name} runs already`);
      starts += 1;
      ending = undefined;
      const started = spawn(process.execPath, [MAIN, JSON.stringify({ ...facts, skewMs })], {
        env: { PATH: process.env["PATH"], TZ: "UTC", NODE_COMPILE_CACHE: COMPILED },
        stdio: ["pipe", "pipe", "pipe"],
      });
      child = started;
      const ready = Promise.withResolvers<void>();
      started.stdin.on("error", () => undefined); // It may die while it is being told something.
      started.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr = (stderr + text).slice(-MOST_STDERR);
      });
      createInterface({ input: started.stdout }).on("line", (text) => {
        const line = JSON.parse(text) as FromAgent;
        if (line.is === "ready") {
          isReady = true;
          comeBack();
          ready.resolve();
        }
        onLine(name, line);
      });
      started.once("exit", () => {
        isReady = false;
        leave(ending ?? "ended");
      });
      started.once("close", (code, signal) => {
        ready.reject(new Error(`${name} ended before it was ready (${code ?? signal}): ${stderr}`));
        onEnded(self);
      });
      ready.promise.catch(() => undefined);
      return ready.promise;
    },
    async kill() {
      await noticed;
      await end("SIGKILL", "killed");
    },
    async stop() {
      await noticed;
      return end("SIGTERM", "stopped");
    },
    hold() {
      if (!isRunning()) return;
      leave("held");
      child?.kill("SIGSTOP");
    },
    letGo() {
      child?.kill("SIGCONT");
      if (absences.at(-1)?.why === "held") comeBack();
    },
    tell: (line) => void child?.stdin?.write(`${JSON.stringify(line)}\n`),
    skew(ms) {
      // A clock that is set while nobody runs, or a moment before the end, cannot be told from time that has passed.
      if (!isReady) return;
      skewMs = ms;
      self.tell({ skewMs: ms });
      noticed = sleep(NOTICED_WITHIN_MS);
    },
  };
  return self;
}
