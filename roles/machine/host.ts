import { defineRole, type Capabilities } from "#sdk";
import { z } from "zod";

type Snapshot = Awaited<ReturnType<Capabilities["host"]["snapshot"]>>;
type Mount = Snapshot["mounts"][number];

/** From where on something needs a look. */
const LIMITS = { diskPercent: 90, inodePercent: 90, availableMemoryPercent: 5, loadPerCore: 2 } as const;
/** Of the disks that are fine no more are listed than this, the fullest first. */
const SHOWN_DISKS = 6;

/** Says how the machine is on which this agent runs. */
export default defineRole({
  requires: ["host"],
  commands: {
    host: {
      description: {
        en: "How the machine is: load, memory, swap, disks with inodes, uptime",
        de: "Wie es dem Rechner geht: Last, Speicher, Swap, Platten mit Inodes, Laufzeit",
      },
      prompts: {
        en: [
          "how full are the disks?",
          "how much memory is free?",
          "how much disk space is left?",
          "how is the machine doing?",
          "what is the load of the server?",
          "how long has the machine been running?",
          "is the machine swapping or out of inodes?",
        ],
        de: [
          "wie voll sind die Platten?",
          "wie viel Speicher ist frei?",
          "wie viel Plattenplatz ist noch da?",
          "wie geht es dem Rechner?",
          "wie hoch ist die Last auf dem Server?",
          "wie lange läuft der Rechner schon?",
          "swappt der Rechner, oder fehlen Inodes?",
        ],
      },
      data: z.object({
        breaches: z.array(z.string()),
        load: z.object({ averages: z.array(z.number()), cores: z.int(), perCore: z.number() }),
        memory: z.object({ totalBytes: z.number(), availableBytes: z.number(), isLimited: z.boolean() }),
        swap: z.object({ totalBytes: z.number(), usedBytes: z.number() }),
        mounts: z.array(
          z.object({
            path: z.string(),
            type: z.string(),
            totalBytes: z.number(),
            availableBytes: z.number(),
            usedPercent: z.number(),
            inodes: z.object({ total: z.number(), free: z.number(), usedPercent: z.number() }).optional(),
            isReadOnly: z.boolean(),
          }),
        ),
        stuckMounts: z.array(z.string()),
        uptimeMs: z.number(),
        isContainer: z.boolean(),
        clock: z.object({ at: z.string(), isSynchronized: z.literal(true).optional() }),
      }),
      async run({ host, signal, request }) {
        const seen = await host.snapshot({ signal });
        const breaches = findBreaches(seen);
        return {
          verdict: breaches.length === 0 ? "ok" : "fail",
          text: [headline(seen, breaches), ...evidence(seen, request.zone)].join("\n"),
          data: {
            ...seen,
            breaches,
            load: { ...seen.load, averages: [...seen.load.averages] },
            mounts: [...seen.mounts],
            stuckMounts: [...seen.stuckMounts],
          },
        };
      },
    },
  },
});

/** Everything that is beyond its limit, the worst kind first. */
function findBreaches({ load, memory, mounts, stuckMounts }: Snapshot): string[] {
  const writable = mounts.filter(({ isReadOnly }) => !isReadOnly);
  return [
    ...stuckMounts.map((path) => `${path} does not answer`),
    ...writable
      .filter(({ usedPercent }) => usedPercent >= LIMITS.diskPercent)
      .map(
        ({ path, usedPercent, availableBytes }) =>
          `${path} is ${usedPercent} % full, ${showBytes(availableBytes)} left`,
      ),
    ...writable
      .filter(({ inodes }) => inodes !== undefined && inodes.usedPercent >= LIMITS.inodePercent)
      .map(({ path, inodes }) => `${path} has used ${inodes?.usedPercent} % of its inodes`),
    ...(availablePercent(memory) <= LIMITS.availableMemoryPercent
      ? [`only ${showBytes(memory.availableBytes)} of memory available (${availablePercent(memory)} %)`]
      : []),
    ...(load.perCore >= LIMITS.loadPerCore ? [`load of ${load.perCore} for each core`] : []),
  ];
}

function headline(seen: Snapshot, breaches: readonly string[]): string {
  if (breaches.length > 0) return `The machine needs a look: ${breaches.join("; ")}`;
  const [fullest] = byFullness(seen.mounts);
  return [
    `The machine is fine: load ${seen.load.perCore} for each core`,
    `${availablePercent(seen.memory)} % of memory available`,
    ...(fullest === undefined ? [] : [`fullest disk ${fullest.path} at ${fullest.usedPercent} %`]),
  ].join(", ");
}

function evidence(seen: Snapshot, zone: string): string[] {
  const { load, memory, swap, clock } = seen;
  const disks = byFullness(seen.mounts);
  const hidden = disks.length - SHOWN_DISKS;
  return [
    `load ${load.averages.join(", ")} on ${load.cores} ${load.cores === 1 ? "core" : "cores"}`,
    `memory ${showBytes(memory.availableBytes)} of ${showBytes(memory.totalBytes)} available${memory.isLimited ? " (the container's limit)" : ""}`,
    swap.totalBytes === 0
      ? "no swap"
      : `swap ${showBytes(swap.usedBytes)} of ${showBytes(swap.totalBytes)} used`,
    ...disks.slice(0, SHOWN_DISKS).map(showDisk),
    ...(hidden > 0 ? [`and ${hidden} more, less full`] : []),
    `up ${showUptime(seen.uptimeMs)}, clock ${showClock(clock.at, zone)}${clock.isSynchronized ? ", synchronized" : ""}`,
    ...(seen.isContainer
      ? ["container view: the load is the whole machine's, the disks are the container's"]
      : []),
  ];
}

function byFullness(mounts: readonly Mount[]): Mount[] {
  const fullness = ({ usedPercent, inodes, isReadOnly }: Mount): number =>
    isReadOnly ? -1 : Math.max(usedPercent, inodes?.usedPercent ?? 0);
  return mounts.toSorted((a, b) => fullness(b) - fullness(a));
}

function showDisk({ path, usedPercent, availableBytes, totalBytes, inodes, isReadOnly }: Mount): string {
  const room = `disk ${path} ${usedPercent} % full, ${showBytes(availableBytes)} of ${showBytes(totalBytes)} free`;
  return `${room}${inodes === undefined ? "" : `, inodes ${inodes.usedPercent} %`}${isReadOnly ? ", read-only" : ""}`;
}

function availablePercent({ availableBytes, totalBytes }: Snapshot["memory"]): number {
  return totalBytes === 0 ? 0 : Math.round((availableBytes / totalBytes) * 1000) / 10;
}

/** In powers of 1024, as df -h and free -h do. */
function showBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const amount = bytes / 1024 ** power;
  return `${amount >= 100 || power === 0 ? Math.round(amount) : Number(amount.toFixed(1))} ${units[power]}`;
}

function showUptime(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}

function showClock(at: string, zone: string): string {
  const parts = { dateStyle: "medium", timeStyle: "medium", timeZone: zone } as const;
  return `${new Intl.DateTimeFormat("en-GB", parts).format(new Date(at))} ${zone}`;
}
