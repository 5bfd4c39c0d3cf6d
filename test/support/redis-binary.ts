import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** What matters of a machine when a Redis server is wanted. */
export interface Machine {
  /** The path of a program, if it has it. */
  readonly find: (program: string) => string | undefined;
  readonly isRoot: boolean;
}

/** Where the server comes from: it is there, it can be installed, or only a person can get it. */
export type RedisSource =
  | { readonly kind: "there"; readonly path: string }
  | { readonly kind: "installable" }
  | { readonly kind: "missing" };

/** What to do where there is no server. */
export const HOW_TO_GET_REDIS =
  "There is no redis-server and no valkey-server on the PATH. Tests and benches start servers of their own, so a " +
  "running one does not do: install one, for example with `apt-get install redis-server` or `brew install redis`.";

/** A server that is there comes before one that would have to be installed, and Redis before Valkey. */
export function chooseRedis({ find, isRoot }: Machine): RedisSource {
  const path = find("redis-server") ?? find("valkey-server");
  if (path !== undefined) return { kind: "there", path };
  return isRoot && find("apt-get") !== undefined ? { kind: "installable" } : { kind: "missing" };
}

/** Installs a server where there is none and that is possible; rejects with what to do where it is not. */
export async function provideRedis(machine: Machine = thisMachine()): Promise<void> {
  const { kind } = chooseRedis(machine);
  if (kind === "there") return;
  if (kind === "missing") throw new Error(HOW_TO_GET_REDIS);
  try {
    // Two runs at the same time take turns, and the second one finds what the first one has installed.
    await promisify(execFile)("flock", ["/tmp/voxtree-test-redis.lock", "sh", "-c", INSTALL]);
  } catch (error) {
    throw new Error(`${HOW_TO_GET_REDIS}\nInstalling it failed: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

const INSTALL =
  "export DEBIAN_FRONTEND=noninteractive; command -v redis-server || " +
  "{ apt-get update && apt-get install -y --no-install-recommends redis-server; }";

/** The path of this machine's server; throws what to do where it has none. */
export function redisServer(): string {
  const source = chooseRedis(thisMachine());
  if (source.kind !== "there") throw new Error(HOW_TO_GET_REDIS);
  return source.path;
}

function thisMachine(): Machine {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return {
    find: (program) => folders.map((folder) => join(folder, program)).find(isProgram),
    isRoot: process.getuid?.() === 0,
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
