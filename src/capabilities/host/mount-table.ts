/** One line of the mount table. */
export interface Mount {
  readonly device: string;
  readonly path: string;
  readonly type: string;
  readonly isReadOnly: boolean;
}

/** File systems that hold nothing of their own, or that are full by nature. */
const IGNORED_TYPES = new Set(
  (
    "autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fusectl hugetlbfs mqueue nsfs " +
    "proc pstore ramfs rootfs rpc_pipefs securityfs selinuxfs sysfs tracefs fuse.gvfsd-fuse fuse.lxcfs fuse.portal " +
    "squashfs fuse.snapfuse erofs cramfs iso9660"
  ).split(" "),
);

/** Reads the text of /proc/self/mounts. Of several mounts on one path the last one counts: it hides the others. */
export function parseMountTable(text: string): readonly Mount[] {
  const mounts = new Map<string, Mount>();
  for (const line of text.split("\n")) {
    const [device, path, type, options] = line.split(" ").map(unescapeField);
    if (device === undefined || path === undefined || type === undefined || options === undefined) continue;
    mounts.set(path, { device, path, type, isReadOnly: options.split(",").includes("ro") });
  }
  return [...mounts.values()];
}

/** Whether a mount is a place that can fill up. */
export function canFillUp({ device, path, type, isReadOnly }: Mount): boolean {
  if (IGNORED_TYPES.has(type) || /^\/(?:dev|proc|run|sys)(?:\/|$)/.test(path)) return false;
  // Each container's root is an overlay of directories that the host's own mounts already count.
  if (type === "overlay") return path === "/";
  if (type === "tmpfs") return path === "/tmp" || path === "/var/tmp";
  return !(isReadOnly && device.startsWith("/dev/loop"));
}

/** File systems behind which another machine or another program stands, and may fall silent. */
const FAR_TYPES = new Set(
  "nfs nfs4 cifs smb3 smbfs ncpfs afs 9p ceph glusterfs lustre beegfs gpfs davfs virtiofs vboxsf fuse".split(
    " ",
  ),
);

/** Whether a mount hangs on something else than this machine's own disks. */
export function isFar({ device, type }: Pick<Mount, "device" | "type">): boolean {
  return FAR_TYPES.has(type) || type.startsWith("fuse.") || /^\/\/|^[^/]+:/.test(device);
}

/** Keeps of each device the mount with the shortest path: the others are bind mounts or subvolumes of the same space. */
export function withoutRepeats<T extends Pick<Mount, "device" | "path">>(mounts: readonly T[]): readonly T[] {
  const byDevice = new Map<string, T>();
  for (const mount of mounts) {
    const key = mount.device.includes("/") ? mount.device : `${mount.device} ${mount.path}`;
    const known = byDevice.get(key);
    if (known === undefined || mount.path.length < known.path.length) byDevice.set(key, mount);
  }
  return [...byDevice.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Blanks stand in the table as `\040`, in octal. */
function unescapeField(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
