import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const BASE = join(import.meta.dirname, "../../.tmp");

/** A folder inside the project, where `#sdk` resolves, with files by relative path; it is deleted with the scope. */
export async function createProjectFolder(
  files: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & { readonly dir: string }> {
  await mkdir(BASE, { recursive: true });
  const dir = await mkdtemp(join(BASE, "test-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}
