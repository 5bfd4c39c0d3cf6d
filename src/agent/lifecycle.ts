/** The states of an agent's life. */
export type AgentState = "BOOTING" | "IDLE" | "ACTIVE" | "PAUSED" | "STOPPING" | "STOPPED" | "FAILED";

const NEXT: Readonly<Record<AgentState, readonly AgentState[]>> = {
  BOOTING: ["IDLE", "FAILED"],
  IDLE: ["ACTIVE", "STOPPING", "FAILED"],
  ACTIVE: ["PAUSED", "STOPPING", "FAILED"],
  PAUSED: ["ACTIVE", "STOPPING", "FAILED"],
  STOPPING: ["STOPPED", "FAILED"],
  STOPPED: [],
  FAILED: [],
};

/** Where an agent stands, and the only ways it may go from there. */
export interface Lifecycle {
  readonly state: AgentState;
  /** @throws {Error} for a transition that does not exist: whoever asks for it has lost count. */
  to(next: AgentState): void;
  /** Whether the transition exists from here. */
  may(next: AgentState): boolean;
}

export function createLifecycle(onChange: (state: AgentState) => void): Lifecycle {
  let state: AgentState = "BOOTING";
  return {
    get state() {
      return state;
    },
    may: (next) => NEXT[state].includes(next),
    to(next) {
      if (!NEXT[state].includes(next)) throw new Error(`an agent that is ${state} cannot become ${next}`);
      state = next;
      onChange(next);
    },
  };
}
