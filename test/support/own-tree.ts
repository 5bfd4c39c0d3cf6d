import { cp } from "node:fs/promises";
import { join } from "node:path";
import { createProjectFolder } from "./project-folder.ts";

const SHIPPED_ROOT = join(import.meta.dirname, "../../roles/root");
const ROOT_ID = "019ad000-0000-7000-8000-000000000001";

/** A tree of a test's own: the root that ships, and below it agents of one role file each or more. */
export interface OwnTree extends AsyncDisposable {
  readonly dir: string;
  readonly rolesDir: string;
  readonly dataDir: string;
}

/** Writes agents (role files by name) below the shipped root, into a folder in which `#sdk` resolves. */
export async function createOwnTree(
  agents: Readonly<Record<string, Readonly<Record<string, string>>>>,
  others: Readonly<Record<string, string>> = {},
): Promise<OwnTree> {
  const files: Record<string, string> = { ...others };
  for (const [n, [name, roles]] of Object.entries(agents).entries()) {
    files[`roles/${name}/agent.yml`] =
      `id: 019ad000-0000-7000-8000-0000000001${String(n).padStart(2, "0")}\n` +
      `name: ${name}\nmaster_id: ${ROOT_ID}\nroles: [${Object.keys(roles).join(", ")}]\n`;
    for (const [role, text] of Object.entries(roles)) files[`roles/${name}/${role}.ts`] = text;
  }
  const folder = await createProjectFolder(files);
  const rolesDir = join(folder.dir, "roles");
  await cp(SHIPPED_ROOT, join(rolesDir, "root"), {
    recursive: true,
    filter: (path) => !path.endsWith(".test.ts"),
  });
  return {
    dir: folder.dir,
    rolesDir,
    dataDir: join(folder.dir, "data"),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
