import { defineRole, show, type Capabilities } from "#sdk";
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
        en: "How the machine is: load, memory, disks, uptime",
        de: "Wie es dem Rechner geht: Last, Speicher, Platten, Laufzeit",
      },
      prompts: {
        en: [
          "how full are the disks?",
          "how much memory is free?",
          "how much disk space is left?",
          "how is the machine doing?",
          "what is the load of the server?",
          "how long has the machine been running?",
          "uptime of the server?",
          "enough memory or RAM left?",
          "is the machine swapping or out of inodes?",
        ],
        de: [
          "wie voll sind die Platten?",
          "wie viel Speicher ist frei?",
          "wie viel Plattenplatz ist noch da?",
          "wie geht es dem Rechner?",
          "wie hoch ist die Last auf dem Server?",
          "wie lange läuft der Rechner schon?",
          "Uptime vom Server?",
          "noch genug Speicher oder RAM?",
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
        unaskedMounts: z.array(z.string()),
        uptimeMs: z.number(),
        isContainer: z.boolean(),
        clock: z.object({ at: z.string(), isSynchronized: z.literal(true).optional() }),
      }),
      async run({ host, signal, request }) {
        const begun = performance.now();
        const seen = await host.snapshot({ signal });
        const footer = show.footer({
          at: seen.clock.at,
          tookMs: performance.now() - begun,
          zone: request.zone,
        });
        const breaches = findBreaches(seen);
        return {
          verdict: breaches.length === 0 ? "ok" : "fail",
          text: [headline(seen, breaches), ...evidence(seen), footer].join("\n"),
          data: {
            ...seen,
            breaches,
            load: { ...seen.load, averages: [...seen.load.averages] },
            mounts: [...seen.mounts],
            stuckMounts: [...seen.stuckMounts],
            unaskedMounts: [...seen.unaskedMounts],
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
          `${path} is ${usedPercent} % full, ${show.bytes(availableBytes)} left`,
      ),
    ...writable
      .filter(({ inodes }) => inodes !== undefined && inodes.usedPercent >= LIMITS.inodePercent)
      .map(({ path, inodes }) => `${path} has used ${inodes?.usedPercent} % of its inodes`),
    ...(availablePercent(memory) <= LIMITS.availableMemoryPercent
      ? [`only ${show.bytes(memory.availableBytes)} of memory available (${availablePercent(memory)} %)`]
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

function evidence(seen: Snapshot): string[] {
  const { load, memory, swap, clock, unaskedMounts } = seen;
  const disks = byFullness(seen.mounts);
  const hidden = disks.length - SHOWN_DISKS;
  return [
    `load ${load.averages.join(", ")} on ${load.cores} ${load.cores === 1 ? "core" : "cores"}`,
    `memory ${show.bytes(memory.availableBytes)} of ${show.bytes(memory.totalBytes)} available${memory.isLimited ? " (the container's limit)" : ""}`,
    swap.totalBytes === 0
      ? "no swap"
      : `swap ${show.bytes(swap.usedBytes)} of ${show.bytes(swap.totalBytes)} used`,
    ...disks.slice(0, SHOWN_DISKS).map(showDisk),
    ...(hidden > 0 ? [`and ${hidden} more, less full`] : []),
    ...(unaskedMounts.length > 0
      ? [`not asked while another one does not answer: ${unaskedMounts.join(", ")}`]
      : []),
    `up ${show.duration(seen.uptimeMs)}${clock.isSynchronized ? ", clock synchronized" : ""}`,
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
  const room = `disk ${path} ${usedPercent} % full, ${show.bytes(availableBytes)} of ${show.bytes(totalBytes)} free`;
  return `${room}${inodes === undefined ? "" : `, inodes ${inodes.usedPercent} %`}${isReadOnly ? ", read-only" : ""}`;
}

function availablePercent({ availableBytes, totalBytes }: Snapshot["memory"]): number {
  return totalBytes === 0 ? 0 : Math.round((availableBytes / totalBytes) * 1000) / 10;
}
