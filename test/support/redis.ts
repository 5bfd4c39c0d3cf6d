import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { redisServer } from "./redis-binary.ts";

/** A real Redis of the test's own. Leaving the scope ends it, and its folder goes with it. */
export interface RunningRedis extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Of the process that runs now, or ran last. */
  readonly pid: number;
  /** Where its append-only file stands. */
  readonly dir: string;
  /** SIGKILL; resolves when it is dead. */
  kill(): Promise<void>;
  /** A planned stop, after which nothing is lost. */
  stop(): Promise<void>;
  /** Starts it again at the same port with what its folder holds; one that runs is stopped first. */
  restart(): Promise<void>;
  /** Makes it hang: connections stay open, and nothing is answered. */
  pause(): void;
  resume(): void;
}

export interface RedisOptions {
  /** Further settings as on the server's command line: `["--maxmemory", "8mb"]`. */
  readonly args?: readonly string[];
}

/** Below the ports that the kernel gives to connections, so that nobody gets ours while the server is down. */
const PORTS = { first: 15_000, count: 15_000 };
const MOST_STARTS = 10;
const READY = "Ready to accept connections";

/** Starts a server on a free port of the loopback, durable as in production; resolves when it has answered. */
export async function startRedis({ args = [] }: RedisOptions = {}): Promise<RunningRedis> {
  const program = redisServer();
  const dir = await mkdtemp(join(tmpdir(), "voxtree-redis-"));
  const removeDir = (): void => rmSync(dir, { recursive: true, force: true });
  process.once("exit", removeDir);
  const forgetDir = async (): Promise<void> => {
    process.removeListener("exit", removeDir);
    await rm(dir, { recursive: true, force: true });
  };
  const launchAt = (port: number): Promise<ChildProcess | string> =>
    launch(program, ["--port", String(port), "--dir", dir, ...SETTINGS, ...args]);

  let port = 0;
  let started: ChildProcess | string = "";
  for (let i = 0; i < MOST_STARTS && typeof started === "string"; i++) {
    port = await freePort();
    started = await launchAt(port);
    // Somebody else may have taken the port in between.
    if (typeof started === "string" && !started.includes("Address already in use")) break;
  }
  if (typeof started === "string") {
    await forgetDir();
    throw new Error(`the Redis server did not start: ${started}`);
  }
  await ping(port);

  let child: ChildProcess = started;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    // One that is paused could not see the signal.
    child.kill("SIGCONT");
    await ended;
  };
  const server: RunningRedis = {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid ?? 0;
    },
    dir,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    async restart() {
      await end("SIGTERM");
      const again = await launchAt(port);
      if (typeof again === "string") throw new Error(`the Redis server did not start again: ${again}`);
      child = again;
      await ping(port);
    },
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    async [Symbol.asyncDispose]() {
      await end("SIGKILL");
      await forgetDir();
    },
  };
  return server;
}

/** With no configuration file, nothing of the machine's own Redis is read or written. */
const SETTINGS = Object.entries({
  bind: "127.0.0.1",
  daemonize: "no",
  loglevel: "notice",
  save: "",
  appendonly: "yes",
  appendfsync: "everysec",
  "maxmemory-policy": "noeviction",
}).flatMap(([name, value]) => [`--${name}`, value]);

/** Resolves with the process once it takes connections, or with its output when it ends before. */
async function launch(program: string, args: readonly string[]): Promise<ChildProcess | string> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const { promise, resolve } = Promise.withResolvers<ChildProcess | string>();
  const killIt = (): void => void child.kill("SIGKILL");
  process.prependOnceListener("exit", killIt);
  // Read to the end, or its pipe would fill up; kept only while somebody may have to read it.
  const listen = (text: string): void => {
    if (output.includes(READY)) return;
    output += text;
    if (output.includes(READY)) resolve(child);
  };
  child.stdout.setEncoding("utf8").on("data", listen);
  child.stderr.setEncoding("utf8").on("data", listen);
  child.once("error", (error) => resolve(error.message));
  child.once("close", () => {
    process.removeListener("exit", killIt);
    resolve(output);
  });
  return promise;
}

async function ping(port: number): Promise<void> {
  const client = new Redis({ port, host: "127.0.0.1", retryStrategy: null });
  await client.ping().finally(() => client.disconnect());
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
