import { isContainerView, readMemoryLimit } from "./container.ts";
import type { HostSnapshot, MountSnapshot } from "./contract.ts";
import type { MountRooms } from "./mount-rooms.ts";
import type { HostSources, Room } from "./sources.ts";
import { withoutRepeats, type Mount } from "./mount-table.ts";

/** Looks at a machine once, everything side by side. */
export async function takeSnapshot(sources: HostSources, rooms: MountRooms): Promise<HostSnapshot> {
  const [memory, limit, isContainer, synchronized, { measured, stuck, unasked }] = await Promise.all([
    sources.memory(),
    readMemoryLimit(sources),
    isContainerView(sources),
    sources.text("/run/systemd/timesync/synchronized"),
    rooms.measure(),
  ]);
  const isLimited = limit !== undefined && limit.totalBytes < memory.total;
  return {
    load: describeLoad(sources.load()),
    memory: {
      totalBytes: isLimited ? limit.totalBytes : memory.total,
      availableBytes: isLimited ? Math.min(limit.availableBytes, memory.available) : memory.available,
      isLimited,
    },
    swap: { totalBytes: memory.swaptotal, usedBytes: memory.swapused },
    mounts: withoutRepeats(measured).map(describeMount),
    stuckMounts: stuck,
    unaskedMounts: unasked,
    uptimeMs: sources.uptimeMs(),
    isContainer,
    clock: {
      at: new Date(sources.now()).toISOString(),
      ...(synchronized === undefined ? {} : { isSynchronized: true }),
    },
  };
}

function describeLoad({ averages, cores }: ReturnType<HostSources["load"]>): HostSnapshot["load"] {
  const [one = 0, five = 0, fifteen = 0] = averages.map((average) => Math.round(average * 100) / 100);
  return {
    averages: [one, five, fifteen],
    cores,
    perCore: Math.round((one / Math.max(cores, 1)) * 100) / 100,
  };
}

function describeMount({ path, type, isReadOnly, room }: Mount & { readonly room: Room }): MountSnapshot {
  const used = room.blocks - room.bfree;
  return {
    path,
    type,
    totalBytes: room.blocks * room.bsize,
    availableBytes: room.bavail * room.bsize,
    usedPercent: percent(used, used + room.bavail),
    ...(room.files > 0 && {
      inodes: {
        total: room.files,
        free: room.ffree,
        usedPercent: percent(room.files - room.ffree, room.files),
      },
    }),
    isReadOnly,
  };
}

function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((part / whole) * 1000) / 10;
}
