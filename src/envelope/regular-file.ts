import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** What somebody writes by hand is far smaller; what is larger is no such file. */
const MOST_MIB = 4;

/**
 * Reads a file that people write, as text. Throws, as Node does, when it cannot be read; also when it is too large, or none
 * that can be read to its end: opening a named pipe would wait for ever for somebody to write to it.
 */
export function readRegularFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile() && !found.isDirectory()) throw new Error("it is not a regular file");
    if (found.size > MOST_MIB * 1024 * 1024) throw new Error(`it is larger than ${MOST_MIB} MiB`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/**
 * Puts a text in the place of a file, in one go: a crash leaves the old text or the new one. Throws, as Node does, when it
 * cannot be written, and leaves nothing behind then. `mode` is the new file's.
 */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  // A name that nobody can have put something under: what stands there is never followed.
  const draft = `${path}.${randomUUID()}.new`;
  try {
    await writeFile(draft, text, { flag: "wx", mode, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
