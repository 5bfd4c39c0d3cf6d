/** Carries envelopes between neighbours. Lanes are directed: one a sender and receiver, so that a lane proves its sender. */
export interface Transport {
  /** Takes up an agent's lanes. What came for it before is handed over at once. */
  join(end: LaneEnd): Promise<Connection>;
}

/** One agent at its lanes. */
export interface LaneEnd {
  readonly name: string;
  /** The names of the neighbours it has lanes with. */
  readonly neighbours: readonly string[];
  /** Called for each envelope text; it is taken from the lane once this resolves, and brought again if it rejects. */
  readonly receive: (from: string, text: string) => Promise<void>;
}

/** An agent's hold on its lanes. */
export interface Connection {
  /** Puts a text on the lane to a neighbour; rejects when it could not be put there. */
  send(to: string, text: string): Promise<void>;
  /** Leaves the lanes; what is under way to this agent waits for its next `join`. */
  close(): Promise<void>;
}
