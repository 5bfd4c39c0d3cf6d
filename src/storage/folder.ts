import { existsSync, mkdirSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";

/**
 * Makes a folder and those above it. Throws when that cannot be. Node's own `recursive` goes round for ever where a folder
 * is there and takes no entry, as /proc is.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (existsSync(path) && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    makeFolder(path);
  }
}

/** Throws when what stands at a path, if anything, is no regular file: to open a named pipe would be to wait for ever. */
export function refuseIrregular(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new Error(`${basename(path)} is not a regular file`);
}
