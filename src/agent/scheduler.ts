/** One task's place in the schedule. */
export interface Slot {
  readonly n: number;
  readonly priority: number;
  /** Whether it was in work when the process ended: it then runs alone, so that a crash can be laid at its door. */
  readonly isSuspect: boolean;
  state: "waiting" | "holding" | "parked" | "finished";
}

export type Mode = "open" | "draining" | "paused";

/** Decides which task runs when: urgent first, then by arrival, at most `concurrency` at once. */
export interface Scheduler {
  /** Takes a free slot for a task that has just come in; `undefined` when it must wait. */
  tryTake(priority: number): ((n: number) => Slot) | undefined;
  enqueue(row: { readonly n: number; readonly priority: number; readonly isSuspect?: boolean }): void;
  isWaiting(n: number): boolean;
  /** Takes a waiting task off the list; says whether it was there. */
  withdraw(n: number): boolean;
  /** Frees the slot of a task that waits for a child. */
  park(slot: Slot): void;
  /** Resolves when the task may go on. */
  resume(slot: Slot): Promise<void>;
  finish(slot: Slot): void;
  /** `paused`: nothing begins or goes on; `draining`: what is in work goes on, nothing begins. */
  setMode(mode: Mode): void;
  /** Tasks that run or wait for a child. */
  readonly active: number;
  readonly waiting: number;
}

export interface SchedulerParts {
  readonly concurrency: number;
  /** Starts a task that has got its slot. */
  readonly start: (slot: Slot) => void;
  /** A suspect now has the house to itself, or no longer. */
  readonly onAlone: (slot: Slot, isAlone: boolean) => void;
}

const PRIORITIES = 4;

export function createScheduler({ concurrency, start, onAlone }: SchedulerParts): Scheduler {
  const ready: number[][] = Array.from({ length: PRIORITIES }, () => []);
  const suspects: Slot[] = [];
  const resuming: { readonly slot: Slot; readonly go: () => void }[] = [];
  const withdrawn = new Set<number>();
  let running = 0;
  let parked = 0;
  let exclusive: Slot | undefined;
  let mode: Mode = "paused";

  const hold = (slot: Slot): void => {
    if (slot.state === "parked") parked -= 1;
    slot.state = "holding";
    running += 1;
    if (!slot.isSuspect) return;
    exclusive = slot;
    onAlone(slot, true);
  };

  const release = (slot: Slot, state: "parked" | "finished"): void => {
    if (slot.state === "holding") running -= 1;
    if (slot.state === "parked") parked -= 1;
    if (state === "parked") parked += 1;
    slot.state = state;
    if (exclusive !== slot) return;
    exclusive = undefined;
    if (state === "parked") onAlone(slot, false);
  };

  const isWaiting = (n: number): boolean => ready.some((queue) => queue.includes(n));

  const nextReady = (): Slot | undefined => {
    for (let priority = 0; priority < PRIORITIES; priority++) {
      const queue = ready[priority] ?? [];
      while (queue.length > 0) {
        const n = queue.shift() ?? 0;
        if (!withdrawn.delete(n)) return { n, priority, isSuspect: false, state: "waiting" };
      }
    }
    return undefined;
  };

  /** The next that may go on or begin. Suspects come first, each with the house to itself. */
  const next = (): (() => void) | undefined => {
    if (exclusive) return undefined;
    const resumed = resuming.findIndex(({ slot }) => slot.isSuspect);
    if (resumed >= 0 || (suspects.length > 0 && mode === "open")) {
      if (running > 0) return undefined;
      const [again] = resumed >= 0 ? resuming.splice(resumed, 1) : [];
      const slot = again?.slot ?? suspects.shift();
      if (!slot) return undefined;
      hold(slot);
      return again?.go ?? (() => start(slot));
    }
    if (running >= concurrency) return undefined;
    const again = resuming.shift();
    const slot = again?.slot ?? (mode === "open" ? nextReady() : undefined);
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
    tryTake(priority) {
      const isBusy =
        mode !== "open" || exclusive !== undefined || suspects.length > 0 || running >= concurrency;
      if (isBusy || resuming.length > 0 || ready.some((queue) => queue.length > 0)) return undefined;
      return (n) => {
        const slot: Slot = { n, priority, isSuspect: false, state: "waiting" };
        hold(slot);
        return slot;
      };
    },
    enqueue({ n, priority, isSuspect = false }) {
      if (isSuspect) {
        suspects.push({ n, priority, isSuspect, state: "waiting" });
      } else {
        ready[Math.min(Math.max(priority, 0), PRIORITIES - 1)]?.push(n);
      }
      pump();
    },
    isWaiting,
    withdraw(n) {
      if (withdrawn.has(n) || !isWaiting(n)) return false;
      withdrawn.add(n);
      return true;
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
    get active() {
      return running + parked;
    },
    get waiting() {
      return suspects.length + ready.reduce((sum, queue) => sum + queue.length, 0);
    },
  };
}
