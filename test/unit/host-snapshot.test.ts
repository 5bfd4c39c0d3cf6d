import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { cpus, tmpdir, uptime } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHostCapability, type Host } from "../../src/capabilities/host/index.ts";
import type { HostParts } from "../../src/capabilities/host/index.ts";
import type { Room } from "../../src/capabilities/host/sources.ts";
import type { CallScope, MountScope } from "../../src/sdk/capability.ts";

const GB = 1_000_000_000;

async function openHost(parts: HostParts, signal = new AbortController().signal): Promise<Host> {
  const mounted = await createHostCapability(parts).mount({ settings: {} } as MountScope);
  onTestFinished(() => mounted.close());
  return mounted.handle({ signal } as CallScope);
}

/** A folder that stands for "/", with these files in it. */
async function makeRoot(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "voxtree-host-"));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

const room = (parts: Partial<Room>): Room => ({
  bsize: 4096,
  blocks: 1000,
  bfree: 500,
  bavail: 450,
  files: 200,
  ffree: 50,
  ...parts,
});

const SOURCES = {
  load: () => ({ averages: [6.004, 2, 1], cores: 4 }),
  memory: () => Promise.resolve({ total: 8 * GB, available: 2 * GB, swaptotal: GB, swapused: GB / 4 }),
  room: () => Promise.resolve(room({})),
  uptimeMs: () => 3_600_000,
  now: () => Date.parse("2031-02-03T04:05:06.789Z"),
};

test("a machine is described by numbers alone", async () => {
  const root = await makeRoot({
    "proc/self/mounts": "/dev/sda1 / ext4 rw 0 0\nproc /proc proc rw 0 0\n",
    "run/systemd/timesync/synchronized": "",
  });
  const host = await openHost({ root, sources: SOURCES });
  expect(await host.snapshot()).toEqual({
    load: { averages: [6, 2, 1], cores: 4, perCore: 1.5 },
    memory: { totalBytes: 8_000_000_000, availableBytes: 2_000_000_000, isLimited: false },
    swap: { totalBytes: 1_000_000_000, usedBytes: 250_000_000 },
    mounts: [
      {
        path: "/",
        type: "ext4",
        totalBytes: 4_096_000,
        availableBytes: 1_843_200,
        // 500 used of 500 used and 450 available, as df says it: the 50 that root keeps do not count.
        usedPercent: 52.6,
        inodes: { total: 200, free: 50, usedPercent: 75 },
        isReadOnly: false,
      },
    ],
    stuckMounts: [],
    unaskedMounts: [],
    uptimeMs: 3_600_000,
    isContainer: false,
    clock: { at: "2031-02-03T04:05:06.789Z", isSynchronized: true },
  });
});

test("this very machine can be looked at", async () => {
  const host = await openHost({});
  const seen = await host.snapshot();
  const root = await statfs("/");
  expect(seen.mounts.find(({ path }) => path === "/")).toMatchObject({
    totalBytes: root.blocks * root.bsize,
  });
  expect(seen.load.cores).toBe(cpus().length);
  expect(Math.abs(seen.uptimeMs - uptime() * 1000)).toBeLessThan(5000);
  expect(seen.memory.availableBytes).toBeGreaterThan(0);
  expect(seen.memory.availableBytes).toBeLessThanOrEqual(seen.memory.totalBytes);
  expect(seen.stuckMounts).toEqual([]);
});

describe("mounts", () => {
  const root = (table: string): Promise<string> => makeRoot({ "proc/self/mounts": table });

  test("without inodes or without blocks are not divided by nothing", async () => {
    const host = await openHost({
      root: await root("/dev/a /a btrfs rw 0 0\n/dev/b /b ext4 rw 0 0\n/dev/c /c ext4 rw 0 0\n"),
      sources: {
        ...SOURCES,
        room: async (path) =>
          path === "/a"
            ? room({ files: 0, ffree: 0 })
            : room(path === "/b" ? { blocks: 0 } : { bfree: 0, bavail: 0 }),
      },
    });
    const { mounts } = await host.snapshot();
    expect(mounts.map(({ path, usedPercent, inodes }) => [path, usedPercent, inodes?.usedPercent])).toEqual([
      ["/a", 52.6, undefined],
      ["/c", 100, 75],
    ]);
  });

  test("that are files, or that may not be looked at, are left out", async () => {
    const host = await openHost({
      root: await root(
        "/dev/a /etc/hosts ext4 rw 0 0\n/dev/a /volume ext4 rw 0 0\n/dev/b /secret ext4 rw 0 0\n",
      ),
      sources: {
        ...SOURCES,
        room: async (path) => {
          if (path === "/secret") throw Object.assign(new Error("not yours"), { code: "EACCES" });
          return path === "/etc/hosts" ? undefined : room({});
        },
      },
    });
    expect((await host.snapshot()).mounts.map(({ path }) => path)).toEqual(["/volume"]);
  });

  test("that do not answer are named and hold nothing up, and are not asked again until they do", async () => {
    const asked: string[] = [];
    const answer = Promise.withResolvers<Room>();
    const host = await openHost({
      root: await root("/dev/a / ext4 rw 0 0\nnas:/v /mnt/nas nfs4 rw 0 0\n"),
      stuckMs: 20,
      sources: {
        ...SOURCES,
        room: (path) => {
          asked.push(path);
          return path === "/" ? Promise.resolve(room({})) : answer.promise;
        },
      },
    });
    for (let i = 0; i < 3; i++) {
      const seen = await host.snapshot();
      expect(seen.stuckMounts).toEqual(["/mnt/nas"]);
      expect(seen.mounts.map(({ path }) => path)).toEqual(["/"]);
    }
    expect(asked.filter((path) => path === "/mnt/nas")).toHaveLength(1);
    answer.resolve(room({}));
    await answer.promise;
    const seen = await host.snapshot();
    expect(seen.stuckMounts).toEqual([]);
    expect(seen.mounts.map(({ path }) => path)).toEqual(["/", "/mnt/nas"]);
  });
});

test("dead mounts hold at most two threads, however many there are and however often they are asked", async () => {
  const open = new Set<string>();
  let most = 0;
  const capability = createHostCapability({
    root: await makeRoot({
      "proc/self/mounts":
        "/dev/a / ext4 rw 0 0\n/dev/b /srv xfs rw 0 0\nnas:/v /mnt/nas nfs4 rw 0 0\n//office/b /mnt/b cifs rw 0 0\n" +
        "ada@c: /mnt/c fuse.sshfs rw 0 0\nd:/d /mnt/d nfs rw 0 0\ne:/e /mnt/e nfs rw 0 0\n",
    }),
    stuckMs: 20,
    sources: {
      ...SOURCES,
      room: (path) => {
        if (path === "/") return Promise.resolve(room({}));
        open.add(path);
        most = Math.max(most, open.size);
        return new Promise(() => undefined);
      },
    },
  });
  const scope = { signal: new AbortController().signal } as CallScope;
  const mount = async () => capability.mount({ settings: {} } as MountScope);
  const hosts = await Promise.all([mount(), mount()]);
  for (let round = 0; round < 3; round += 1) {
    for (const seen of await Promise.all(hosts.map((host) => host.handle(scope).snapshot()))) {
      expect(seen.stuckMounts).toEqual(["/srv", "/mnt/nas"]);
      expect(seen.unaskedMounts.filter((path) => path.startsWith("/mnt"))).toEqual([
        "/mnt/b",
        "/mnt/c",
        "/mnt/d",
        "/mnt/e",
      ]);
    }
  }
  expect(most).toBe(2);
});

describe("a container", () => {
  test.each([
    [{ ".dockerenv": "" }, true],
    [{ "run/.containerenv": "" }, true],
    [{ "proc/1/cgroup": "12:memory:/docker/0123abcd\n" }, true],
    [{ "proc/1/cgroup": "0::/kubepods.slice/pod1\n" }, true],
    [{ "proc/1/cgroup": "0::/init.scope\n" }, false],
    [{}, false],
  ])("is known by its files: %o is %s", async (files, isContainer) => {
    const host = await openHost({
      root: await makeRoot({ "proc/self/mounts": "", ...files }),
      sources: SOURCES,
    });
    expect((await host.snapshot()).isContainer).toBe(isContainer);
  });

  test.each([
    [
      "version 2",
      {
        "sys/fs/cgroup/memory.max": "1000000000\n",
        "sys/fs/cgroup/memory.current": "900000000\n",
        "sys/fs/cgroup/memory.stat": "anon 5\ninactive_file 300000000\nactive_file 7\n",
      },
    ],
    [
      "version 1",
      {
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "1000000000\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "900000000\n",
        "sys/fs/cgroup/memory/memory.stat": "inactive_file 1\ntotal_inactive_file 300000000\n",
      },
    ],
  ])(
    "has the memory that its control group leaves it, caches that can be dropped counted as free (%s)",
    async (_, files) => {
      const host = await openHost({
        root: await makeRoot({ "proc/self/mounts": "", ...files }),
        sources: SOURCES,
      });
      expect((await host.snapshot()).memory).toEqual({
        totalBytes: 1_000_000_000,
        availableBytes: 400_000_000,
        isLimited: true,
      });
    },
  );

  test.each([
    [{ "sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.current": "900000000\n" }],
    [
      {
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "900000000\n",
      },
    ],
    [{ "sys/fs/cgroup/memory.max": "100000000\n" }],
  ])("without a limit has the machine's memory: %o", async (files) => {
    const host = await openHost({
      root: await makeRoot({ "proc/self/mounts": "", ...(files as Record<string, string>) }),
      sources: SOURCES,
    });
    expect((await host.snapshot()).memory).toEqual({
      totalBytes: 8_000_000_000,
      availableBytes: 2_000_000_000,
      isLimited: false,
    });
  });
});

test("a look that is no longer wanted throws the reason", async () => {
  const request = new AbortController();
  const host = await openHost(
    { sources: { ...SOURCES, mounts: () => new Promise(() => undefined) } },
    request.signal,
  );
  const look = host.snapshot();
  request.abort(new Error("not wanted"));
  await expect(look).rejects.toThrow("not wanted");
  await expect(host.snapshot()).rejects.toThrow("not wanted");
});
