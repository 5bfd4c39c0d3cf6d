// The watchdog's own thread: plain JavaScript, so that it costs no second loader. It sleeps until the main thread
// has not moved for too long, says what was begun last, and ends the process; the ledgers take up from there.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";

const { beats, label, patienceMs } = workerData;
const counter = new Int32Array(beats);
const text = new Uint8Array(label);

const lookMs = patienceMs / 10;
let seen = -1;
let lookedAt = performance.now();
let since = lookedAt;
for (;;) {
  await sleep(lookMs);
  const now = performance.now();
  const beat = Atomics.load(counter, 0);
  // When this thread has overslept too, the whole process was held (a debugger, a stopped job): that is nobody's loop.
  const wasHeld = now - lookedAt > 3 * lookMs;
  lookedAt = now;
  const isInspected = Atomics.load(counter, 2) === 1;
  if (beat !== seen || wasHeld || isInspected) {
    seen = beat;
    since = now;
  } else if (now - since > patienceMs) {
    const written = new TextDecoder().decode(text.slice(0, Atomics.load(counter, 1)));
    // Part of it may be a neighbour's: none of it may steer the terminal.
    const begun = written.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, " ") || "nothing yet";
    writeSync(
      2,
      `Nothing has moved for ${patienceMs / 1000} s: a handler does not let go. Begun last: ${begun}. ` +
        "The process ends here. Start it again: what was in work runs alone then, and whatever does it twice is put aside.\n",
    );
    process.kill(process.pid, "SIGKILL");
  }
}
