import type { House } from "./house.ts";

/** One task's place in the schedule. */
export interface Slot {
  readonly n: number;
  readonly priority: number;
  /** By the monotonic clock. */
  readonly deadlineAt: number;
  /** Whether it was in work when the process ended: it then runs alone, so that a crash can be laid at its door. */
  readonly isSuspect: boolean;
  state: "waiting" | "holding" | "parked" | "finished";
}

/** A task that is to wait its turn. */
export interface Waiting {
  readonly n: number;
  /** 0 is the most urgent. */
  readonly priority: number;
  readonly deadlineAt: number;
  readonly isSuspect?: boolean;
}

type Mode = "open" | "draining" | "paused";

/** Decides which task runs when: urgent first, then by arrival, at most `concurrency` at once. */
export interface Scheduler {
  /** Takes a free slot for a task that has just come in; `undefined` when it must wait. */
  tryTake(): ((task: Waiting) => Slot) | undefined;
  enqueue(task: Waiting): void;
  isWaiting(n: number): boolean;
  /** Takes a waiting task off the list; says whether it was there. */
  withdraw(n: number): boolean;
  /** Tasks that wait, in no order that matters. */
  waiting(): readonly Slot[];
  /** How many wait. */
  readonly backlog: number;
  /** Frees the slot of a task that waits for a child. */
  park(slot: Slot): void;
  /** Resolves when the task may go on. */
  resume(slot: Slot): Promise<void>;
  finish(slot: Slot): void;
  /** `paused`: nothing begins or goes on; `draining`: what is in work goes on, nothing begins. */
  setMode(mode: Mode): void;
}

export interface SchedulerParts {
  readonly concurrency: number;
  readonly house: House;
  /** Starts a task that has got its slot. */
  readonly start: (slot: Slot) => void;
  /** A suspect now has the house to itself, or no longer. */
  readonly onAlone: (slot: Slot, isAlone: boolean) => void;
  /** Calls back once all that has been written is durable. */
  readonly whenDurable: (then: () => void) => void;
}

const PRIORITIES = 4;

export function createScheduler(parts: SchedulerParts): Scheduler {
  const { concurrency, house, start, onAlone, whenDurable } = parts;
  /** Those that wait, by row; a line may still hold some that no longer do. */
  const waiting = new Map<number, Slot>();
  const suspects = createLine();
  const ready = Array.from({ length: PRIORITIES }, createLine);
  const resuming: { readonly slot: Slot; readonly go: () => void }[] = [];
  let running = 0;
  let exclusive: Slot | undefined;
  let isLeaving = false;
  let mode: Mode = "paused";

  const hold = (slot: Slot): void => {
    slot.state = "holding";
    running += 1;
    if (!slot.isSuspect) return;
    exclusive = slot;
    onAlone(slot, true);
  };

  const release = (slot: Slot, state: "parked" | "finished"): void => {
    if (slot.state === "holding") running -= 1;
    slot.state = state;
    if (exclusive !== slot) return;
    exclusive = undefined;
    if (state === "parked") onAlone(slot, false);
    // Only once it is durable that nobody here is alone any more may somebody else be blamed for a crash.
    isLeaving = true;
    whenDurable(() => {
      isLeaving = false;
      house.leave();
      pump();
    });
  };

  const takeFrom = (lines: readonly Line[]): Slot | undefined => {
    for (const line of lines) {
      const slot = line.shift();
      if (slot) waiting.delete(slot.n);
      if (slot) return slot;
    }
    return undefined;
  };

  const takeResuming = (isSuspect: boolean) => {
    const first = resuming.findIndex(({ slot }) => slot.isSuspect === isSuspect);
    return first < 0 ? undefined : resuming.splice(first, 1)[0];
  };

  /** The next that may go on or begin. Suspects come first, each with the house to itself. */
  const next = (): (() => void) | undefined => {
    if (exclusive || isLeaving) return undefined;
    const hasSuspects =
      resuming.some(({ slot }) => slot.isSuspect) || (mode === "open" && !suspects.isEmpty());
    if (hasSuspects && running > 0) return undefined;
    // While another agent's suspect has the house, those that need no house of their own go on.
    const isAlone = hasSuspects && house.tryEnter(pump);
    if (!isAlone && running >= concurrency) return undefined;
    const again = takeResuming(isAlone);
    const slot = again?.slot ?? (mode === "open" ? takeFrom(isAlone ? [suspects] : ready) : undefined);
    if (!slot) return undefined;
    hold(slot);
    return again?.go ?? (() => start(slot));
  };

  const pump = (): void => {
    while (mode !== "paused") {
      const go = next();
      if (!go) return;
      go();
    }
  };

  return {
    tryTake() {
      const isBusy = mode !== "open" || exclusive !== undefined || running >= concurrency;
      if (isBusy || resuming.length > 0 || waiting.size > 0) return undefined;
      return (task) => {
        const slot: Slot = { ...task, isSuspect: false, state: "waiting" };
        hold(slot);
        return slot;
      };
    },
    enqueue({ n, priority, deadlineAt, isSuspect = false }) {
      const slot: Slot = { n, priority, deadlineAt, isSuspect, state: "waiting" };
      waiting.set(n, slot);
      const line = isSuspect ? suspects : ready[Math.min(Math.max(priority, 0), PRIORITIES - 1)];
      line?.push(slot);
      pump();
    },
    isWaiting: (n) => waiting.has(n),
    withdraw(n) {
      const slot = waiting.get(n);
      if (!slot) return false;
      waiting.delete(n);
      slot.state = "finished";
      // Nothing may be left that keeps others from beginning.
      if (slot.isSuspect) pump();
      return true;
    },
    waiting: () => [...waiting.values()],
    get backlog() {
      return waiting.size;
    },
    park(slot) {
      if (slot.state !== "holding") return;
      release(slot, "parked");
      pump();
    },
    resume(slot) {
      if (slot.state !== "parked") return Promise.resolve();
      return new Promise((go) => {
        resuming.push({ slot, go });
        pump();
      });
    },
    finish(slot) {
      if (slot.state === "finished") return;
      release(slot, "finished");
      // A handler whose task ended while it waited is let go, so that it can come to its own end.
      for (let i = resuming.length - 1; i >= 0; i--) {
        if (resuming[i]?.slot === slot) resuming.splice(i, 1)[0]?.go();
      }
      pump();
    },
    setMode(next) {
      mode = next;
      pump();
    },
  };
}

/** Slots in the order in which they came. */
interface Line {
  push(slot: Slot): void;
  /** The first that still waits. */
  shift(): Slot | undefined;
  isEmpty(): boolean;
}

/** A line of thousands is as quick at its head as a short one: `Array.shift` moves all that follow. */
function createLine(): Line {
  let slots: Slot[] = [];
  let head = 0;
  const skip = (): void => {
    while (head < slots.length && slots[head]?.state !== "waiting") head += 1;
    if (head < 1000 || head < slots.length / 2) return;
    slots = slots.slice(head);
    head = 0;
  };
  return {
    push: (slot) => void slots.push(slot),
    shift() {
      skip();
      const slot = slots[head];
      if (slot) head += 1;
      return slot;
    },
    isEmpty() {
      skip();
      return head >= slots.length;
    },
  };
}
