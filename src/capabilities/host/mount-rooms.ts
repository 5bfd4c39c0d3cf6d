import { canFillUp, isFar, type Mount } from "./mount-table.ts";
import type { HostSources, Room } from "./sources.ts";

/** How long a mount may take to say how full it is. */
const STUCK_MS = 2000;

/** The room on mounts that can fill up. */
export interface Measurement {
  readonly measured: readonly (Mount & { readonly room: Room })[];
  /** Paths that did not answer in time. */
  readonly stuck: readonly string[];
  /** Paths that were not asked, because another one of their kind is stuck. */
  readonly unasked: readonly string[];
}

export interface MountRooms {
  /** Asks every mount that can fill up; who asks meanwhile is given the same measurement. */
  measure(): Promise<Measurement>;
}

/**
 * Measures mounts so that a dead one holds nothing up. The system call behind it cannot be taken back and holds one of
 * Node's four threads, on which files and names of hosts depend as well. So network drives are asked one at a time, and
 * none while one of them is stuck; likewise the machine's own disks: two threads are left, whatever dies.
 */
export function createMountRooms(
  sources: Pick<HostSources, "mounts" | "room">,
  { stuckMs = STUCK_MS }: { readonly stuckMs?: number } = {},
): MountRooms {
  const lanes = { near: createLane(sources, stuckMs), far: createLane(sources, stuckMs) };
  let measuring: Promise<Measurement> | undefined;

  async function measure(): Promise<Measurement> {
    const mounts = (await sources.mounts()).filter(canFillUp);
    const [near, far] = await Promise.all([
      lanes.near(mounts.filter((mount) => !isFar(mount))),
      lanes.far(mounts.filter(isFar)),
    ]);
    return {
      measured: [...near.measured, ...far.measured],
      stuck: [...near.stuck, ...far.stuck],
      unasked: [...near.unasked, ...far.unasked],
    };
  }

  return {
    measure: () =>
      (measuring ??= measure().finally(() => {
        measuring = undefined;
      })),
  };
}

/** Asks mounts one after the other; at most one question is open at any time, even one that was given up. */
function createLane(
  { room }: Pick<HostSources, "room">,
  stuckMs: number,
): (mounts: readonly Mount[]) => Promise<Measurement> {
  let open: string | undefined;

  async function ask(path: string): Promise<Room | undefined> {
    open = path;
    try {
      return await room(path);
    } catch {
      // Gone since the table was read, or not ours to see.
      return undefined;
    } finally {
      open = undefined;
    }
  }

  return async (mounts) => {
    const measured: (Mount & { readonly room: Room })[] = [];
    const stuck: string[] = [];
    const unasked: string[] = [];
    for (const mount of mounts) {
      if (open !== undefined) {
        (open === mount.path ? stuck : unasked).push(mount.path);
        continue;
      }
      const answer = await inTime(ask(mount.path), stuckMs);
      if (answer === "stuck") stuck.push(mount.path);
      else if (answer !== undefined && answer.blocks > 0) measured.push({ ...mount, room: answer });
    }
    return { measured, stuck, unasked };
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
