import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { failure, isFailure, readRegularFile, type FailureValue } from "../envelope/index.ts";
import { claimCommands, isDisabled, type Claims } from "./claims.ts";
import type { Known } from "./known.ts";
import { parseManifest, type AgentManifest, type ManifestFile } from "./manifest.ts";
import { inspectRole, type DisabledRole, type RoleFile } from "./role-file.ts";
import { didYouMean, shownPath } from "./suggest.ts";

/** An agent as its folder describes it; nothing of it has run. */
export interface AgentFolder {
  /** Absolute. */
  readonly dir: string;
  readonly manifest: AgentManifest;
  /** The roles that may be loaded, in the order of the manifest. */
  readonly roles: readonly RoleFile[];
  readonly disabled: readonly DisabledRole[];
}

/** An agent's folder with the place of each of its manifest's keys. */
export interface LocatedFolder extends AgentFolder {
  readonly source: ManifestFile;
}

/** Reads one agent's folder: its manifest and, without running them, the roles that it allows. E_MANIFEST when there is no agent to speak of. */
export async function readAgent(dir: string, known: Known): Promise<AgentFolder | FailureValue> {
  const folder = await readFolder(dir, known);
  if (isFailure(folder)) return folder;
  return withoutSource(folder);
}

/** As `readAgent`, and keeps where the manifest says what. */
export async function readFolder(dir: string, known: Known): Promise<LocatedFolder | FailureValue> {
  const absolute = resolve(dir);
  const file = join(absolute, "agent.yml");
  const text = readManifest(file);
  if (isFailure(text)) return text;
  const source = parseManifest(text, { file, known });
  if (isFailure(source)) return source;
  const { manifest } = source;

  const files = await roleNames(absolute);
  const isRoot = manifest.master_id === "";
  const found = await Promise.all(
    manifest.roles.map(async (name) =>
      files.includes(name)
        ? inspectRole(join(absolute, `${name}.ts`), known, { isRoot })
        : missingRole(name, { files, source }),
    ),
  );
  const { roles, disabled } = disableDoubles(found);
  return { dir: absolute, manifest, roles, disabled, source };
}

function readManifest(file: string): string | FailureValue {
  try {
    return readRegularFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const text =
      code === "ENOENT"
        ? `${shownPath(file)} is missing: write it, or remove the folder.`
        : `${shownPath(file)} cannot be read: ${code ?? message}.`;
    return failure("E_MANIFEST", text);
  }
}

/** The folder as the rest of the program sees it. */
export function withoutSource({ dir, manifest, roles, disabled }: LocatedFolder): AgentFolder {
  return { dir, manifest, roles, disabled };
}

/** The names of the files in a folder that could be roles. */
async function roleNames(dir: string): Promise<string[]> {
  const names = await readdir(dir);
  return names
    .filter((name) => /^[a-z][a-z0-9-]*\.ts$/.test(name))
    .map((name) => name.slice(0, -".ts".length))
    .sort();
}

function missingRole(
  name: string,
  { files, source }: { files: readonly string[]; source: ManifestFile },
): DisabledRole {
  return {
    role: name,
    file: source.file,
    line: source.lineOf("roles"),
    code: "E_ROLE_MISSING",
    reason: `lists the role ${name}, but there is no ${name}.ts${didYouMean(name, files)}`,
    remedy: `Write ${name}.ts beside agent.yml, or take ${name} out of roles.`,
  };
}

function disableDoubles(found: readonly (RoleFile | DisabledRole)[]): {
  roles: RoleFile[];
  disabled: DisabledRole[];
} {
  const roles: RoleFile[] = [];
  const disabled: DisabledRole[] = [];
  const claims: Claims = new Map();
  for (const role of found) {
    const outcome = isDisabled(role) ? role : claimCommands(role, { by: role.name, claims });
    if (isDisabled(outcome)) disabled.push(outcome);
    else roles.push(outcome);
  }
  return { roles, disabled };
}
