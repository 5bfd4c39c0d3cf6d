import type { HostSources } from "./sources.ts";

type Files = Pick<HostSources, "text">;

/** Whether we look at a machine from inside a container. */
export async function isContainerView({ text }: Files): Promise<boolean> {
  const [docker, podman, groups] = await Promise.all([
    text("/.dockerenv"),
    text("/run/.containerenv"),
    text("/proc/1/cgroup"),
  ]);
  if (docker !== undefined || podman !== undefined) return true;
  return /docker|kubepods|containerd|libpod|lxc/.test(groups ?? "");
}

/** A container's own limit of memory and what is left of it, in bytes. */
export interface MemoryLimit {
  readonly totalBytes: number;
  readonly availableBytes: number;
}

const FILES = {
  v2: {
    limit: "/sys/fs/cgroup/memory.max",
    used: "/sys/fs/cgroup/memory.current",
    parts: "/sys/fs/cgroup/memory.stat",
    droppable: /^inactive_file (\d+)$/m,
  },
  v1: {
    limit: "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    used: "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    parts: "/sys/fs/cgroup/memory/memory.stat",
    droppable: /^total_inactive_file (\d+)$/m,
  },
} as const;

/** Reads the limit by control groups of either version; undefined where there is none. */
export async function readMemoryLimit(files: Files): Promise<MemoryLimit | undefined> {
  return (await readLimit(files, FILES.v2)) ?? (await readLimit(files, FILES.v1));
}

async function readLimit(
  { text }: Files,
  names: (typeof FILES)["v1" | "v2"],
): Promise<MemoryLimit | undefined> {
  const [limit, used, parts] = await Promise.all([text(names.limit), text(names.used), text(names.parts)]);
  // "max" stands for no limit, and an absent file for no such version.
  const totalBytes = Number.parseInt(limit ?? "", 10);
  const usedBytes = Number.parseInt(used ?? "", 10);
  if (Number.isNaN(totalBytes) || Number.isNaN(usedBytes)) return undefined;
  // Cached files count as used but are given back when memory gets short.
  const droppable = Number(names.droppable.exec(parts ?? "")?.[1] ?? 0);
  return { totalBytes, availableBytes: Math.max(0, totalBytes - usedBytes + droppable) };
}
