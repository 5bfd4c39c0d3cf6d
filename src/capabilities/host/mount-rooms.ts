import { canFillUp, type Mount } from "./mount-table.ts";
import type { HostSources, Room } from "./sources.ts";

/** How long a mount may take to say how full it is. */
const STUCK_MS = 2000;

/** The room on every mount that can fill up. */
export interface MountRooms {
  measure(): Promise<{
    readonly measured: readonly (Mount & { readonly room: Room })[];
    /** Paths that did not answer in time. */
    readonly stuck: readonly string[];
  }>;
}

/**
 * Measures mounts so that a dead one holds nothing up. The system call behind it cannot be taken back and blocks one
 * of Node's four threads, so a mount that is still being asked is not asked again.
 */
export function createMountRooms(
  sources: Pick<HostSources, "mounts" | "room">,
  { stuckMs = STUCK_MS }: { readonly stuckMs?: number } = {},
): MountRooms {
  const asking = new Map<string, Promise<Room | undefined>>();

  async function ask(path: string): Promise<Room | undefined> {
    try {
      return await sources.room(path);
    } catch {
      // Gone since the table was read, or not ours to see.
      return undefined;
    } finally {
      asking.delete(path);
    }
  }

  function roomAt(path: string): Promise<Room | undefined> {
    const known = asking.get(path);
    if (known !== undefined) return known;
    const asked = ask(path);
    asking.set(path, asked);
    return asked;
  }

  return {
    async measure() {
      const mounts = (await sources.mounts()).filter(canFillUp);
      const answers = await Promise.all(
        mounts.map(async (mount) => ({ mount, room: await inTime(roomAt(mount.path), stuckMs) })),
      );
      return {
        measured: answers.flatMap(({ mount, room }) =>
          typeof room === "object" && room.blocks > 0 ? [{ ...mount, room }] : [],
        ),
        stuck: answers.flatMap(({ mount, room }) => (room === "stuck" ? [mount.path] : [])),
      };
    },
  };
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T | "stuck"> {
  const { promise: late, resolve } = Promise.withResolvers<"stuck">();
  const timer = setTimeout(() => resolve("stuck"), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
