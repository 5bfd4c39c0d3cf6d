import { fileURLToPath } from "node:url";
import type { AgentRole } from "../../src/agent/index.ts";
import { loadRole, readAgent } from "../../src/catalog/index.ts";
import { KNOWN_CAPABILITIES } from "../../src/cli/known.ts";

/** A role that ships, loaded from its file as an agent loads it. */
export async function loadShippedRole(agent: string, name: string): Promise<AgentRole> {
  const dir = fileURLToPath(new URL(`../../roles/${agent}`, import.meta.url));
  const folder = await readAgent(dir, KNOWN_CAPABILITIES);
  if ("failure" in folder) throw new Error(folder.text);
  const file = folder.roles.find((role) => role.name === name);
  if (!file) throw new Error(`${agent} has no role ${name}: ${JSON.stringify(folder.disabled)}`);
  const role = await loadRole(file);
  if ("reason" in role) throw new Error(role.reason);
  return role;
}
