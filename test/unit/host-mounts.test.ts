import { describe, expect, test } from "vitest";
import { canFillUp, parseMountTable, withoutRepeats } from "../../src/capabilities/host/mount-table.ts";

const SERVER = `sysfs /sys sysfs rw,nosuid 0 0
proc /proc proc rw,nosuid 0 0
udev /dev devtmpfs rw,nosuid 0 0
tmpfs /run tmpfs rw,nosuid 0 0
/dev/sda2 / ext4 rw,relatime 0 0
tmpfs /dev/shm tmpfs rw,nosuid 0 0
cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0
systemd-1 /proc/sys/fs/binfmt_misc autofs rw,relatime 0 0
tmpfs /tmp tmpfs rw,nosuid 0 0
/dev/sda1 /boot/efi vfat rw,relatime 0 0
/dev/loop0 /snap/core/1 squashfs ro,nodev 0 0
/dev/loop1 /mnt/image ext4 ro,relatime 0 0
/dev/loop2 /mnt/scratch ext4 rw,relatime 0 0
/dev/sdb1 /srv/my\\040files xfs rw,relatime 0 0
/dev/sdb1 /export xfs rw,relatime 0 0
/dev/sdc1 /srv/archive ext4 ro,relatime 0 0
overlay /var/lib/docker/overlay2/abc/merged overlay rw,relatime 0 0
nas:/vol1 /mnt/nas nfs4 rw,relatime 0 0
tank/home /home zfs rw,xattr 0 0
tank/home/ada /home/ada zfs rw,xattr 0 0
tmpfs /run/user/1000 tmpfs rw,nosuid 0 0
lxcfs /var/lib/lxcfs fuse.lxcfs rw,nosuid 0 0
`;

test("of a server's mounts those are kept that can fill up, each device once", () => {
  const kept = withoutRepeats(parseMountTable(SERVER).filter(canFillUp));
  expect(kept.map(({ path }) => path)).toEqual([
    "/",
    "/boot/efi",
    "/export",
    "/home",
    "/home/ada",
    "/mnt/nas",
    "/mnt/scratch",
    "/srv/archive",
    "/tmp",
  ]);
});

test("a container's root counts although it is an overlay", () => {
  const root = parseMountTable("overlay / overlay rw,relatime,lowerdir=/a:/b 0 0\n").find(canFillUp);
  expect(root).toEqual({ device: "overlay", path: "/", type: "overlay", isReadOnly: false });
});

describe("the mount table", () => {
  test("escapes blanks, tabs, line ends and backslashes", () => {
    expect(parseMountTable("/dev/a\\040b /x\\011y\\134z\\012 ext4 rw 0 0")).toEqual([
      { device: "/dev/a b", path: "/x\ty\\z\n", type: "ext4", isReadOnly: false },
    ]);
  });

  test("tells ro from options that only contain it", () => {
    const table = "/dev/a /a ext4 rw,errors=remount-ro 0 0\n/dev/b /b ext4 ro,relatime 0 0\n";
    expect(parseMountTable(table).map(({ isReadOnly }) => isReadOnly)).toEqual([false, true]);
  });

  test("lets the last mount on a path hide those before it", () => {
    expect(parseMountTable("systemd-1 /srv autofs rw 0 0\n/dev/a /srv ext4 rw 0 0\n")).toEqual([
      { device: "/dev/a", path: "/srv", type: "ext4", isReadOnly: false },
    ]);
  });

  test("may be empty, or hold lines that mean nothing", () => {
    expect(parseMountTable("")).toEqual([]);
    expect(parseMountTable("nonsense\n\n")).toEqual([]);
  });
});
