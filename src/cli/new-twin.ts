import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asTwin, withPool } from "../catalog/edit-manifest.ts";
import type { AgentFolder } from "../catalog/index.ts";
import { shownPath } from "../catalog/suggest.ts";
import { failure, type FailureValue, replaceFile } from "../envelope/index.ts";

/** An agent that is to be like another one. */
export interface Twin {
  readonly id: string;
  readonly name: string;
  /** Its folder, which is there and empty. */
  readonly dir: string;
  readonly like: AgentFolder;
  readonly pool: string;
}

/**
 * The pool that an agent and its twin are to share, or why they cannot: E_USAGE for a pool that is not the one the first
 * is in, for none at all, for another master than its own, and for the root.
 */
export function poolOfTwins(
  like: AgentFolder,
  wanted: { readonly master: string | undefined; readonly pool: string | undefined },
  agents: readonly AgentFolder[],
): string | FailureValue {
  const { name, pool, master_id: masterId } = like.manifest;
  if (masterId === "") {
    return failure("E_USAGE", `There is one root, ${name}: name an agent below it by --like.`);
  }
  const master = agents.find(({ manifest }) => manifest.id === masterId)?.manifest.name;
  if (wanted.master !== undefined && wanted.master !== master) {
    const text = `${name} answers to ${master ?? "nobody here"}, and so does who is like it: leave --master out.`;
    return failure("E_USAGE", text);
  }
  if (wanted.pool !== undefined && pool !== undefined && wanted.pool !== pool) {
    return failure("E_USAGE", `${name} is in the pool ${pool} already: use --pool ${pool}, or leave it out.`);
  }
  return (
    wanted.pool ??
    pool ??
    failure(
      "E_USAGE",
      `Both would offer the same commands: add --pool ${name}, so that they share what is asked.`,
    )
  );
}

/**
 * Writes an agent that is like another one: its role files, their tests and the `_x.ts` files that they import, and its
 * manifest under another id and name. Both manifests name the pool. Gives the files that were written.
 */
export async function writeTwin({ id, name, dir, like, pool }: Twin): Promise<readonly string[]> {
  const written: string[] = [];
  const source = join(like.dir, "agent.yml");
  const text = await readFile(source, "utf8");
  // First of all: until both say the same, the two would offer the same commands apart from each other.
  const pooled = withPool(text, pool);
  if (pooled !== text) {
    await replaceFile(source, pooled);
    written.push(source);
  }
  await mkdir(dir, { recursive: true });
  for (const file of await filesToCopy(like)) {
    await writeFile(join(dir, file), await readFile(join(like.dir, file)), { flag: "wx" });
    written.push(join(dir, file));
  }
  // Last of all: without it there is no agent yet.
  const manifest = join(dir, "agent.yml");
  await writeFile(manifest, asTwin(text, { id, name, pool }), { flag: "wx" });
  return [...written, manifest].map(shownPath);
}

async function filesToCopy({ dir, manifest }: AgentFolder): Promise<readonly string[]> {
  const wanted = new Set(manifest.roles.flatMap((role) => [`${role}.ts`, `${role}.test.ts`]));
  const entries = await readdir(dir, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && (wanted.has(entry.name) || /^_.*\.ts$/.test(entry.name)))
    .map((entry) => entry.name)
    .sort();
}
