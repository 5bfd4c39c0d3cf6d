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
