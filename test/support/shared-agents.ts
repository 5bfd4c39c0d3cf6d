import { startChain, type ChainOptions, type TestAgent, type TestChain } from "./agents.ts";
import { settled } from "./event-loop.ts";
import { createSharedLanes } from "./lanes.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";

/** The chain as between processes, with a hand on its lanes and its time. */
export interface Shared extends AsyncDisposable {
  readonly chain: TestChain;
  readonly clock: ManualClock;
  /** Lets time pass in steps that leave room for what happens meanwhile. */
  pass(seconds: number): Promise<void>;
  /** Ends an agent without a word. */
  crash(agent: string): Promise<void>;
  turn(agent: string, state: "up" | "down"): void;
  stateOf(child: string): string | undefined;
  warnings(): readonly string[];
}

export async function startShared(
  agents: readonly TestAgent[],
  options: Omit<ChainOptions, "transport" | "clock"> & { readonly clock?: ManualClock } = {},
): Promise<Shared> {
  const clock = options.clock ?? createManualClock();
  const lanes = createSharedLanes();
  const chain = await startChain(agents, { ...options, clock, transport: lanes.transport });
  await settled();
  return {
    chain,
    clock,
    turn: lanes.turn,
    async pass(seconds) {
      for (let i = 0; i < seconds * 2; i++) {
        clock.advance(500);
        await settled();
      }
    },
    async crash(agent) {
      // What it would say while it stops goes nowhere.
      lanes.turn(agent, "down");
      await chain.agents.get(agent)?.stop(0);
      lanes.turn(agent, "up");
    },
    stateOf: (child) =>
      chain.agents
        .get("ops")
        ?.children()
        .find(({ name }) => name === child)?.state,
    warnings: () => chain.logged.filter(({ level }) => level === "warn").map(({ message }) => message),
    [Symbol.asyncDispose]: () => chain[Symbol.asyncDispose](),
  };
}
