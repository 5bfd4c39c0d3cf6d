import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { listen } from "./net.ts";

const PROJECT = join(import.meta.dirname, "../..");

/** The program as people start it. */
export const PROGRAM = join(PROJECT, "bin/voxtree.js");

/** How a run of the program ended, and what it wrote. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly dataDir: string;
  /** What is typed into it, or piped; then its input ends. */
  readonly input?: string;
  /** The agents' folder; default: those that ship. */
  readonly rolesDir?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The settings of a run: none comes from the developer's own environment or .env. */
export function settingsFor({ dataDir, env = {} }: Pick<RunOptions, "dataDir" | "env">): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_OPTIONS: undefined,
    VOXTREE_DATA_DIR: dataDir,
    VOXTREE_LOG_LEVEL: "warn",
    VOXTREE_KEEP_DAYS: "30",
    VOXTREE_DURABILITY: "normal",
    NET_ALLOW: "127.0.0.0/8",
    TZ: "UTC",
    REDIS_URL: "",
    VOXTREE_HEALTH_PORT: "",
    TELEGRAM_BOT_TOKEN: "",
    TELEGRAM_ALLOWED_USERS: "",
    WAR_ROOM_CHAT: "",
    TELEGRAM_API_ROOT: "",
    ...env,
  };
}

/** Runs one command line of the program to its end. */
export function runVoxtree(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { rolesDir, input = "" } = options;
  const running = startProcess(process.execPath, [PROGRAM, ...rolesOf(rolesDir), ...args], options);
  running.write(input);
  return running.end();
}

/** Runs `npm start --silent` of this project to its end, with lines on its standard input. */
export function runNpmStart(options: RunOptions): Promise<Ran> {
  const running = startProcess("npm", ["start", "--silent"], options);
  running.write(options.input ?? "");
  return running.end();
}

/** The program while it runs with a pipe for its input. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  /** What stands on its standard error so far. */
  readonly err: string;
  write(text: string): void;
  /** Resolves with everything that stands on its output once `pattern` fits that. */
  until(pattern: RegExp): Promise<string>;
  /** The same of its standard error. */
  untilTold(pattern: RegExp): Promise<string>;
  /** Ends its input, and waits for its end. */
  end(): Promise<Ran>;
  /** Sends it a signal, and waits for its end. */
  kill(signal: NodeJS.Signals): Promise<Ran>;
}

/** Starts the tree, or another verb that goes on, behind a pipe. */
export function startVoxtree(options: RunOptions, verb: readonly string[] = ["start"]): Running {
  return startProcess(process.execPath, [PROGRAM, ...rolesOf(options.rolesDir), ...verb], options);
}

function rolesOf(rolesDir: string | undefined): readonly string[] {
  return rolesDir === undefined ? [] : ["--roles", rolesDir];
}

/** Starts any program as a developer's shell would not: with the settings of a test alone. */
export function startProcess(
  file: string,
  args: readonly string[],
  options: RunOptions & { readonly cwd?: string; readonly isDetached?: boolean },
): Running {
  const child = spawn(file, args, {
    cwd: options.cwd ?? PROJECT,
    env: settingsFor(options),
    // Of the input nothing but /dev/null is there for what runs detached.
    stdio: [options.isDetached ? "ignore" : "pipe", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => void (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (err += text));
  child.stdin?.on("error", () => undefined); // it may end while it is being told something
  const ended = once(child, "close").then(([code]): Ran => ({ code: code as number | null, out, err }));
  const until = async (
    pattern: RegExp,
    of: { stream: Readable | null; text: () => string },
  ): Promise<string> => {
    while (!pattern.test(of.text())) {
      const isOver = await Promise.race([
        once(of.stream ?? child, "data").then(() => false),
        ended.then(() => true),
      ]);
      if (isOver && !pattern.test(of.text()))
        throw new Error(`it ended without ${String(pattern)}: ${out}${err}`);
    }
    return of.text();
  };
  return {
    pid: child.pid ?? 0,
    get err() {
      return err;
    },
    write: (text) => void child.stdin?.write(text),
    until: (pattern) => until(pattern, { stream: child.stdout, text: () => out }),
    untilTold: (pattern) => until(pattern, { stream: child.stderr, text: () => err }),
    end() {
      child.stdin?.end();
      return ended;
    },
    kill(signal) {
      child.kill(signal);
      return ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** A web server on the loopback whose answers the test decides. */
export interface Site extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** The paths that were asked for, in order. */
  readonly asked: readonly string[];
  /** Resolves when a path has been asked for at least `times` times. */
  seen(path: string, times?: number): Promise<void>;
  /** Answers what waits at /slow, and from now on all that come there at once. */
  release(): void;
  /** The status of /shaky from now on; 500 at first. */
  shaky: number;
}

/** Answers 200, but for /slow (when it is released) and /shaky (as it is told). */
export async function openSite(): Promise<Site> {
  const released = Promise.withResolvers<void>();
  const asked: string[] = [];
  const told = new EventTarget();
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    told.dispatchEvent(new Event("asked"));
    const status = url === "/shaky" ? site.shaky : 200;
    void (url === "/slow" ? released.promise : Promise.resolve()).then(() =>
      response.writeHead(status).end("hello"),
    );
  });
  const listening = await listen(server);
  const site: Site = {
    port: listening.port,
    url: `http://127.0.0.1:${listening.port}`,
    asked,
    shaky: 500,
    release: () => released.resolve(),
    async seen(path, times = 1) {
      while (asked.filter((each) => each === path).length < times) {
        await new Promise<void>((resolve) => told.addEventListener("asked", () => resolve(), { once: true }));
      }
    },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
  return site;
}

const given = new Set<number>();

/** A port of the loopback at which nobody listens; nobody here is given it twice. */
export async function closedPort(): Promise<number> {
  await using listening = await listen(createServer());
  if (given.has(listening.port)) return closedPort();
  given.add(listening.port);
  return listening.port;
}
