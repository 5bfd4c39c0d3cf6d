import { existsSync } from "node:fs";
import { join } from "node:path";
import { readTree } from "../../catalog/index.ts";
import { isFailure } from "../../envelope/failures.ts";
import { isRunning } from "../running.ts";
import type { CheckScope, Finding } from "./finding.ts";

/**
 * Whether the agents that have run on this data folder run, where each is a process of its own. What never ran here may
 * run on another machine, and what does not start by itself may rest.
 */
export async function checkRunning({ config, rolesDir, known }: CheckScope): Promise<readonly Finding[]> {
  if (isFailure(config) || config.redisUrl === undefined) return [];
  const { dataDir } = config;
  const { agents } = await readTree(rolesDir, known);
  const expected = agents
    .map(({ manifest }) => manifest)
    .filter(({ name, autostart }) => autostart && existsSync(join(dataDir, name, "ledger.db")));
  const resting = expected.filter(({ name }) => !isRunning(dataDir, name));
  if (expected.length === 0) return [];
  if (resting.length === 0)
    return [{ name: "running", state: "ok", text: expected.map(({ name }) => name).join(", ") }];
  const names = resting.map(({ name }) => name).join(", ");
  const starts = resting.map(({ name, master_id: master }) =>
    master === "" ? "`npm start`" : `\`npm run agent -- ${name}\``,
  );
  const remedy = `Start what should run here: ${starts.join(", ")}. One that was moved to another machine is missed here until its folder is taken out of ${dataDir}.`;
  return [{ name: "running", state: "warn", text: `not running: ${names}`, remedy }];
}
