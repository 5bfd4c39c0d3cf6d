import { url as inspectorUrl } from "node:inspector";
import { Worker } from "node:worker_threads";

/** Ends the process when a handler holds it up for good. */
export interface Watchdog {
  /** Notes which handler has begun, for the day on which it is the last. */
  note(handler: string): void;
  stop(): Promise<void>;
}

const LABEL_BYTES = 256;
const BEAT_MS = 500;

/**
 * Starts a thread that watches this one: an endless loop in a handler cannot be ended from inside, and nobody would be
 * answered any more. After `patienceMs` without a sign of life the process is killed; its ledgers know what was in work.
 */
export function startWatchdog({ patienceMs }: { readonly patienceMs: number }): Watchdog {
  const beats = new SharedArrayBuffer(12);
  const label = new SharedArrayBuffer(LABEL_BYTES);
  const counter = new Int32Array(beats);
  // Written here and copied over: an encoder takes no shared memory.
  const text = new Uint8Array(LABEL_BYTES);
  const shared = new Uint8Array(label);
  const encoder = new TextEncoder();
  const thread = new Worker(new URL("watchdog-thread.js", import.meta.url), {
    workerData: { beats, label, patienceMs },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  thread.unref();
  // Whoever stops at a breakpoint holds the process up as well, and the thread cannot see the inspector of this one.
  const noteInspector = (): void => void Atomics.store(counter, 2, inspectorUrl() === undefined ? 0 : 1);
  noteInspector();
  const beat = setInterval(() => {
    Atomics.add(counter, 0, 1);
    noteInspector();
  }, BEAT_MS);
  beat.unref();
  return {
    note(handler) {
      const { written } = encoder.encodeInto(handler, text);
      shared.set(text);
      Atomics.store(counter, 1, written);
    },
    async stop() {
      clearInterval(beat);
      await thread.terminate();
    },
  };
}
