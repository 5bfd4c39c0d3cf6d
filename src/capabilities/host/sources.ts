import { readFile, stat, statfs } from "node:fs/promises";
import { cpus, loadavg, uptime } from "node:os";
import { join } from "node:path";
import { fsSize, mem } from "systeminformation";
import { parseMountTable, type Mount } from "./mount-table.ts";

/** Room on a file system, in its own blocks. */
export interface Room {
  readonly bsize: number;
  readonly blocks: number;
  readonly bfree: number;
  readonly bavail: number;
  readonly files: number;
  readonly ffree: number;
}

/** Where the facts about a machine come from. */
export interface HostSources {
  load(): { readonly averages: readonly number[]; readonly cores: number };
  memory(): Promise<{
    readonly total: number;
    readonly available: number;
    readonly swaptotal: number;
    readonly swapused: number;
  }>;
  mounts(): Promise<readonly Mount[]>;
  /** The room at a mounted directory; undefined for a mounted file. Rejects where it may not look. */
  room(path: string): Promise<Room | undefined>;
  /** The text of a file given by its absolute path; undefined where there is none. */
  text(path: string): Promise<string | undefined>;
  uptimeMs(): number;
  /** Unix ms. */
  now(): number;
}

/** The machine itself. `root` is put before the paths of the files that are read. */
export function createHostSources(root: string): HostSources {
  const text = async (path: string): Promise<string | undefined> => {
    try {
      return await readFile(join(root, path), "utf8");
    } catch {
      return undefined;
    }
  };
  return {
    text,
    load: () => ({ averages: loadavg(), cores: cpus().length }),
    memory: () => mem(),
    async mounts() {
      // systeminformation would run `df` for the list, which hangs at the first dead network drive, and block meanwhile.
      const table = await text("/proc/self/mounts");
      if (table !== undefined) return parseMountTable(table);
      const found = await fsSize();
      return found.map(({ fs, mount, type, rw }) => ({
        device: fs,
        path: mount,
        type,
        isReadOnly: rw === false,
      }));
    },
    async room(path) {
      return (await stat(path)).isDirectory() ? statfs(path) : undefined;
    },
    uptimeMs: () => Math.round(uptime() * 1000),
    now: Date.now,
  };
}
