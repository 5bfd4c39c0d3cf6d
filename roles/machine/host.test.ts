import { tryCommand } from "#sdk/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import machine from "./host.ts";

// Time stands still, so that answers say when they were given.
beforeEach(
  () => void vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.UTC(2031, 1, 3, 4, 5, 6) }),
);
afterEach(() => void vi.useRealTimers());

const GIB = 1024 ** 3;
const FINE = {
  load: { averages: [0.5, 0.4, 0.3] as [number, number, number], cores: 4, perCore: 0.13 },
  memory: { totalBytes: 16 * GIB, availableBytes: 4 * GIB, isLimited: false },
  swap: { totalBytes: 0, usedBytes: 0 },
  mounts: [
    {
      path: "/",
      type: "ext4",
      totalBytes: 100 * GIB,
      availableBytes: 60 * GIB,
      usedPercent: 40,
      inodes: { total: 1000, free: 900, usedPercent: 10 },
      isReadOnly: false,
    },
  ],
  stuckMounts: [] as string[],
  unaskedMounts: [] as string[],
  uptimeMs: 93_600_000,
  isContainer: false,
  clock: { at: "2031-02-03T04:05:06.000Z" },
};
const [ROOT] = FINE.mounts;
const look = (seen: Partial<typeof FINE> = {}, zone = "UTC") =>
  tryCommand(
    machine,
    "host",
    {},
    {
      host: { snapshot: () => ({ ...FINE, ...seen }) },
      request: { zone },
    },
  );

test("a machine that is fine is summed up, with the numbers below", async () => {
  expect(await look({}, "Europe/Berlin")).toMatchObject({
    verdict: "ok",
    text: [
      "The machine is fine: load 0.13 for each core, 25 % of memory available, fullest disk / at 40 %",
      "load 0.5, 0.4, 0.3 on 4 cores",
      "memory 4 GiB of 16 GiB available",
      "no swap",
      "disk / 40 % full, 60 GiB of 100 GiB free, inodes 10 %",
      "up 1 d 2 h",
      "Mon 3 Feb 2031, 05:05:06 Europe/Berlin, took 0 ms",
    ].join("\n"),
    data: { breaches: [], uptimeMs: 93_600_000, load: { perCore: 0.13 } },
  });
});

describe("what needs a look stands first, and only that", () => {
  test.each([
    ["a disk at 90 %", { mounts: [{ ...ROOT!, usedPercent: 90 }] }, "/ is 90 % full, 60 GiB left"],
    [
      "inodes at 90 %",
      { mounts: [{ ...ROOT!, inodes: { total: 10, free: 1, usedPercent: 90 } }] },
      "/ has used 90 % of its inodes",
    ],
    [
      "5 % of memory",
      { memory: { totalBytes: 100 * GIB, availableBytes: 5 * GIB, isLimited: false } },
      "only 5 GiB of memory available (5 %)",
    ],
    [
      "a load of 2",
      { load: { averages: [8, 1, 1] as [number, number, number], cores: 4, perCore: 2 } },
      "load of 2 for each core",
    ],
    ["a dead mount", { stuckMounts: ["/mnt/nas"] }, "/mnt/nas does not answer"],
  ])("%s", async (_, seen, breach) => {
    const reply = await look(seen);
    expect(reply).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining(`The machine needs a look: ${breach}\nload `),
      data: { breaches: [breach] },
    });
  });

  test.each([
    ["a disk at 89.9 %", { mounts: [{ ...ROOT!, usedPercent: 89.9 }] }],
    ["5.1 % of memory", { memory: { totalBytes: 1000 * GIB, availableBytes: 51 * GIB, isLimited: false } }],
    [
      "a load of 1.99",
      { load: { averages: [8, 1, 1] as [number, number, number], cores: 4, perCore: 1.99 } },
    ],
    ["a full disk that is read-only", { mounts: [{ ...ROOT!, usedPercent: 100, isReadOnly: true }] }],
  ])("not %s", async (_, seen) => {
    expect(await look(seen)).toMatchObject({ verdict: "ok", data: { breaches: [] } });
  });

  test("drives that were not asked are told beside the one that keeps them from it", async () => {
    const reply = await look({ stuckMounts: ["/mnt/a"], unaskedMounts: ["/mnt/b", "/mnt/c"] });
    expect(reply).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining("\nnot asked while another one does not answer: /mnt/b, /mnt/c\n"),
      data: { breaches: ["/mnt/a does not answer"], unaskedMounts: ["/mnt/b", "/mnt/c"] },
    });
  });

  test("several together", async () => {
    const reply = await look({
      mounts: [{ ...ROOT!, usedPercent: 93.5, availableBytes: 1.5 * GIB }],
      load: { averages: [12, 9, 3], cores: 4, perCore: 3 },
    });
    expect(reply).toMatchObject({
      text: expect.stringContaining(
        "The machine needs a look: / is 93.5 % full, 1.5 GiB left; load of 3 for each core\nload ",
      ),
    });
  });
});

test("of many disks the fullest are listed and the rest counted", async () => {
  const mounts: typeof FINE.mounts = [];
  for (const usedPercent of [10, 20, 30, 40, 50, 60, 70, 80]) {
    mounts.push({ ...ROOT!, path: `/disk${usedPercent}`, usedPercent });
  }
  const reply = await look({ mounts });
  expect(reply).toMatchObject({
    text: expect.stringMatching(
      /\ndisk \/disk80 .*\ndisk \/disk70 .*\ndisk \/disk60 .*\ndisk \/disk50 .*\ndisk \/disk40 .*\ndisk \/disk30 .*\nand 2 more, less full\n/,
    ),
  });
});

test("a container says that it is one, and whose limit its memory is", async () => {
  const reply = await look({
    isContainer: true,
    memory: { totalBytes: GIB / 2, availableBytes: GIB / 4, isLimited: true },
    swap: { totalBytes: 2 * GIB, usedBytes: GIB / 2 },
  });
  expect(reply).toMatchObject({ text: expect.stringContaining("container view: ") });
  expect(reply).toMatchObject({
    text: expect.stringContaining(
      "memory 256 MiB of 512 MiB available (the container's limit)\nswap 512 MiB of 2 GiB used",
    ),
  });
});
