import { existsSync } from "node:fs";
import { join } from "node:path";
import { isFailure } from "../envelope/index.ts";
import { lockFolder } from "../storage/index.ts";

/** Whether a process runs an agent: it then holds the lock of the agent's folder. */
export function isRunning(dataDir: string, agent: string): boolean {
  const dir = join(dataDir, agent);
  if (!existsSync(join(dir, "lock.db"))) return false;
  const lock = lockFolder(dir);
  if (isFailure(lock)) return lock.failure === "E_ALREADY_RUNNING";
  lock.release();
  return false;
}
