import { join } from "node:path";
import { isLocked } from "../storage/index.ts";

/** Whether a process runs an agent: it then holds the lock of the agent's folder. */
export function isRunning(dataDir: string, agent: string): boolean {
  return isLocked(join(dataDir, agent));
}
