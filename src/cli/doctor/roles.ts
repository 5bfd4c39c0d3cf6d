import { relative } from "node:path";
import { findPlace, readTree, type AgentFolder } from "../../catalog/index.ts";
import { isFailure } from "../../envelope/failures.ts";
import { FAILURES } from "../../envelope/failures.ts";
import type { CheckScope, Finding } from "./finding.ts";

/** Whether the agents make one tree and every role may run; reads the files without running them. */
export async function checkRoles({ rolesDir, known }: CheckScope): Promise<readonly Finding[]> {
  const { agents, problems: found } = await readTree(rolesDir, known);
  const problems = found.length > 0 && (await standsAlone(agents, { rolesDir, known })) ? [] : found;
  const broken = problems.map(({ failure, text }): Finding => ({
    name: "agents",
    state: "fail",
    text,
    remedy: FAILURES[failure].remedy,
  }));
  const disabled = agents.flatMap((agent) =>
    agent.disabled.map(({ role, file, line, code, reason, remedy }): Finding => {
      const place = line === undefined ? relative(rolesDir, file) : `${relative(rolesDir, file)}:${line}`;
      const text = `${agent.manifest.name}.${role} is disabled: ${place} ${reason} (${code})`;
      return { name: "roles", state: "fail", text, remedy };
    }),
  );
  const faults = [...broken, ...disabled];
  if (faults.length > 0) return faults;
  if (agents.length === 0) {
    const remedy =
      "Write the first one with `voxtree new agent`, or point --roles at the folder that holds them.";
    return [{ name: "agents", state: "fail", text: `there are none in ${rolesDir}`, remedy }];
  }
  const roles = agents.reduce((sum, agent) => sum + agent.roles.length, 0);
  return [{ name: "roles", state: "ok", text: `${agents.length} agents, ${roles} roles` }];
}

/** Whether the one agent that is here knows its neighbours without their folders, as in its container. */
async function standsAlone(
  agents: readonly AgentFolder[],
  { rolesDir, known }: Pick<CheckScope, "rolesDir" | "known">,
): Promise<boolean> {
  const [only, ...others] = agents;
  if (!only || others.length > 0) return false;
  return !isFailure(await findPlace(rolesDir, { name: only.manifest.name, known }));
}
