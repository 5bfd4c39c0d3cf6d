import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { failure, isFailure, type FailureValue } from "../envelope/index.ts";
import { readFolder, withoutSource, type AgentFolder, type LocatedFolder } from "./agent-folder.ts";
import { claimCommands, isDisabled, type Claims } from "./claims.ts";
import type { Known } from "./known.ts";
import type { AgentManifest } from "./manifest.ts";
import type { DisabledRole, RoleFile } from "./role-file.ts";
import { shownPath } from "./suggest.ts";

/** Every agent of a roles folder, and what keeps them from being one tree. */
export interface Tree {
  /** By name. */
  readonly agents: readonly AgentFolder[];
  readonly problems: readonly FailureValue[];
}

/**
 * Reads all of `roles/`, without running any of it. Agents whose manifest is unusable are missing from `agents`
 * and stand in `problems`, as does whatever makes the rest no tree: two roots, a master that is not there, a circle.
 */
export async function readTree(rolesDir: string, known: Known): Promise<Tree> {
  const entries = await readdir(rolesDir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) =>
    failure("E_MANIFEST", `${shownPath(rolesDir)} cannot be read: ${error.code ?? error.message}.`),
  );
  if (isFailure(entries)) return { agents: [], problems: [entries] };
  const dirs = entries.filter((entry) => entry.isDirectory() && /^[^._]/.test(entry.name));
  const read = await Promise.all(dirs.map((entry) => readFolder(join(rolesDir, entry.name), known)));
  const folders = read
    .filter((folder): folder is LocatedFolder => !isFailure(folder))
    .sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
  const problems = [...read.filter(isFailure), ...judgeTree(folders, rolesDir)];
  const agents = disableDoubles(folders).map(withoutSource);
  return { agents, problems };
}

function judgeTree(folders: readonly LocatedFolder[], rolesDir: string): FailureValue[] {
  const byId = new Map(folders.map((folder) => [folder.manifest.id, folder]));
  const roots = folders.filter(({ manifest }) => manifest.master_id === "");
  const problems = [...findTwins(folders, "id"), ...findTwins(folders, "name")];
  if (roots.length === 0 && folders.length > 0) {
    const text = `${shownPath(rolesDir)}: no agent is the root; write \`master_id: ""\` in one agent.yml.`;
    problems.push(failure("E_MANIFEST", text));
  }
  for (const folder of roots.slice(1)) {
    const first = roots[0]?.manifest.name ?? "";
    problems.push(refuse(folder, "master_id", `there are two roots, ${first} and ${folder.manifest.name}`));
  }
  for (const folder of folders) {
    const { master_id: master, name } = folder.manifest;
    if (master === "" || byId.has(master)) continue;
    const others = folders.filter((other) => other !== folder);
    const ids = others.map(({ manifest }) => `${manifest.name} (${manifest.id})`).join(", ");
    problems.push(
      refuse(folder, "master_id", `${name} has a master that is not here; the agents are ${ids}`),
    );
  }
  return [...problems, ...findCircles(folders, byId)];
}

function findTwins(folders: readonly LocatedFolder[], key: "id" | "name"): FailureValue[] {
  const seen = new Map<string, LocatedFolder>();
  return folders.flatMap((folder) => {
    const value = folder.manifest[key];
    const first = seen.get(value);
    seen.set(value, first ?? folder);
    if (first === undefined) return [];
    const where = `${shownPath(first.source.file)}:${first.source.lineOf(key)}`;
    return [refuse(folder, key, `${key} ${value} is taken by ${where}; give one of the two another`)];
  });
}

function findCircles(
  folders: readonly LocatedFolder[],
  byId: ReadonlyMap<string, LocatedFolder>,
): FailureValue[] {
  const reported = new Set<LocatedFolder>();
  return folders.flatMap((start) => {
    const path: LocatedFolder[] = [];
    let at: LocatedFolder | undefined = start;
    while (at !== undefined && !path.includes(at)) {
      path.push(at);
      at = byId.get(at.manifest.master_id);
    }
    // Those that only lead into a circle are not part of it.
    if (at !== start || reported.has(start)) return [];
    for (const folder of path) reported.add(folder);
    const circle = [...path, start].map(({ manifest }) => manifest.name).join(" → ");
    return [refuse(start, "master_id", `the masters go in a circle: ${circle}; one of them needs another`)];
  });
}

function refuse(folder: LocatedFolder, key: keyof AgentManifest, text: string): FailureValue {
  const { file, lineOf } = folder.source;
  return failure("E_MANIFEST", `${shownPath(file)}:${lineOf(key)}: ${text}`);
}

/**
 * Each master sees one map of names: its own commands and, below them, those of its children with all that these offer.
 * Going up from the leaves, the later of two equal names is disabled, unless both are offered by members of one pool.
 */
function disableDoubles(folders: readonly LocatedFolder[]): LocatedFolder[] {
  const disabled = new Map<RoleFile, DisabledRole>();
  const visited = new Set<LocatedFolder>();

  function offersOf(folder: LocatedFolder): RoleFile[] {
    if (visited.has(folder)) return [];
    visited.add(folder);
    const claims: Claims = new Map();
    const offers: RoleFile[] = [...folder.roles];
    for (const role of folder.roles) claimCommands(role, { by: "own roles", claims });
    for (const child of folders) {
      const { id, master_id: master, pool } = child.manifest;
      if (master !== folder.manifest.id) continue;
      for (const role of offersOf(child)) {
        const outcome = claimCommands(role, { by: pool === undefined ? id : `pool ${pool}`, claims });
        if (isDisabled(outcome)) disabled.set(role, outcome);
        else offers.push(role);
      }
    }
    return offers;
  }

  for (const folder of folders) if (folder.manifest.master_id === "") offersOf(folder);
  return folders.map((folder) => ({
    ...folder,
    roles: folder.roles.filter((role) => !disabled.has(role)),
    disabled: [
      ...folder.disabled,
      ...folder.roles.flatMap((role) => {
        const why = disabled.get(role);
        return why ? [why] : [];
      }),
    ],
  }));
}
