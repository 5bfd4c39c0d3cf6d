/**
 * The one place in a process for a task that runs alone. A crash ends all agents of a process, so that it can be laid
 * at one door only while a single suspect of all of them is at work.
 */
export interface House {
  /** Takes the house when it is free; else calls `whenFree` once it may be. */
  tryEnter(whenFree: () => void): boolean;
  leave(): void;
}

export function createHouse(): House {
  const waiting = new Set<() => void>();
  let isTaken = false;
  return {
    tryEnter(whenFree) {
      if (isTaken) waiting.add(whenFree);
      else waiting.delete(whenFree);
      const isFree = !isTaken;
      isTaken = true;
      return isFree;
    },
    leave() {
      isTaken = false;
      for (const whenFree of waiting) {
        if (isTaken) return;
        waiting.delete(whenFree);
        whenFree();
      }
    },
  };
}
