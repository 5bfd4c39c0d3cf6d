import { mkdtemp, rmdir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isFailure } from "../../envelope/failures.ts";
import type { CheckScope, Finding } from "./finding.ts";

const MEGABYTE = 1024 * 1024;
/** Below these, ledgers may stop growing at any moment; at ten times as much somebody should look. */
const LEAST_FREE_BYTES = 50 * MEGABYTE;
const LEAST_FREE_INODES = 1_000;

/** Whether the data folder is there, or can be made, and can be written. */
export async function checkFolder({ config }: CheckScope): Promise<readonly Finding[]> {
  if (isFailure(config)) return [];
  const { dataDir } = config;
  const remedy = "Give it to the user who runs Voxtree, or set VOXTREE_DATA_DIR to another folder.";
  const existing = await nearestExisting(dataDir);
  const isThere = existing === dataDir;
  const fail = (text: string): readonly Finding[] => [{ name: "data folder", state: "fail", text, remedy }];
  if (!(await stat(existing)).isDirectory()) return fail(`${existing} is not a folder`);
  try {
    await rmdir(await mkdtemp(join(existing, ".voxtree-doctor-")));
  } catch (error) {
    const what = isThere ? "cannot be written" : `cannot be made in ${existing}`;
    return fail(`${dataDir} ${what} (${codeOf(error)})`);
  }
  const text = isThere ? dataDir : `${dataDir} is not there yet and can be made`;
  return [{ name: "data folder", state: "ok", text }];
}

/** Whether the data folder's file system has room: bytes and inodes. */
export async function checkDisk({ config }: CheckScope): Promise<readonly Finding[]> {
  if (isFailure(config)) return [];
  const space = await statfs(await nearestExisting(config.dataDir), { bigint: false });
  return [
    judgeSpace({ freeBytes: space.bavail * space.bsize, inodes: space.files, freeInodes: space.ffree }),
  ];
}

/** What to think of a file system's free room. Some have no inodes to count and say 0. */
export function judgeSpace(room: { freeBytes: number; inodes: number; freeInodes: number }): Finding {
  const { freeBytes, freeInodes } = room;
  const hasInodes = room.inodes > 0;
  const inodeText = hasInodes ? `, ${freeInodes} inodes free` : "";
  const text = `${Math.floor(freeBytes / MEGABYTE)} MiB${inodeText || " free"}`;
  const isBelow = (factor: number): boolean =>
    freeBytes < factor * LEAST_FREE_BYTES || (hasInodes && freeInodes < factor * LEAST_FREE_INODES);
  const remedy = "Make room on that file system, or set VOXTREE_DATA_DIR to another one.";
  if (isBelow(1)) return { name: "disk", state: "fail", text, remedy };
  if (isBelow(10)) return { name: "disk", state: "warn", text, remedy };
  return { name: "disk", state: "ok", text };
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    // Below a file nothing can be made either; the file itself is what stands in the way.
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") throw error;
    return nearestExisting(dirname(path));
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
