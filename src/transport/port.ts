/** Carries envelopes between neighbours. Lanes are directed: one a sender and receiver, so that a lane proves its sender. */
export interface Transport {
  /** Whether neighbours may run in other processes: they can then fall silent without a word. */
  readonly isShared: boolean;
  /** Takes up an agent's lanes. What came for it before is handed over at once. */
  join(end: LaneEnd): Promise<Connection>;
  /** Reads every agent's alerts: the war room's end. */
  readAlerts(): AlertReader;
}

/** An envelope as it travels. */
export interface Parcel {
  /** The envelope's id, a UUID. */
  readonly id: string;
  /** Its canonical JSON. */
  readonly text: string;
  /** Whether it has been sent before, and may still be on its lane. */
  readonly isRepeat?: boolean;
}

/** What became of an envelope that a lane brought: a lane that brings nothing but what is refused may be shut. */
export type Receipt = "taken" | "refused";

/** One agent at its lanes. */
export interface LaneEnd {
  readonly name: string;
  /** The names of the neighbours it has lanes with. */
  readonly neighbours: readonly string[];
  /** Called for each envelope text; it is taken from the lane once this resolves, and brought again if it rejects. */
  readonly receive: (from: string, text: string) => Promise<Receipt>;
  /**
   * The lanes can be used again, or no longer. After `up` whatever was on them may be lost: what nobody has
   * acknowledged is to be sent again. `why`, where more is known than that nobody answers: what is wrong, and what to do.
   */
  readonly onChange: (state: LaneState, why?: string) => void;
  /** A lane was damaged or flooded by its sender, and something was done about it. */
  readonly onTrouble: (trouble: LaneTrouble) => void;
}

export type LaneState = "up" | "down";

/** What was wrong with a lane to this agent, and what was done. */
export interface LaneTrouble {
  /** The neighbour that alone writes it. */
  readonly from: string;
  /** `repaired`: its keys were put in order; `shut`: nothing is taken from it for a while, and what it held was dropped. */
  readonly kind: "repaired" | "shut";
  readonly detail: string;
}

/** An agent's hold on its lanes. */
export interface Connection {
  isUp(): boolean;
  /** Puts an envelope on the lane to a neighbour; rejects when it could not be put there. */
  send(to: string, parcel: Parcel): Promise<void>;
  /** Unix ms by the one clock that every end of the lanes can ask; `undefined` where there is none. */
  sharedNow(): number | undefined;
  /** The agent's own stream of alerts, which it can only add to; `undefined` where nobody stands at its other end. */
  readonly alerts: AlertStream | undefined;
  /** Leaves the lanes; what is under way to this agent waits for its next `join`. */
  close(): Promise<void>;
}

/** Where the alerts of all agents come out. Whatever cannot be reached rejects: ask again later. */
export interface AlertReader {
  /** The names of the agents that have raised any. */
  agents(): Promise<readonly string[]>;
  /** Those after number `after`, in the order of their numbers. */
  read(agent: string, after: number, limit: number): Promise<readonly StreamedAlert[]>;
  /** Says that all up to this number are kept: their agent may forget them. */
  confirm(agent: string, upTo: number): Promise<void>;
  close(): Promise<void>;
}

/** An alert as it comes out of its agent's stream. */
export interface StreamedAlert {
  readonly seq: number;
  /** An envelope's canonical JSON, unchecked. */
  readonly text: string;
}

/** Alerts on their way to the war room, past everybody else. */
export interface AlertStream {
  /** `seq` is consecutive, and the same when an alert is added again. */
  add(seq: number, text: string): Promise<void>;
  /** Up to which of them the war room has taken them; 0 before the first. */
  confirmed(): Promise<number>;
  /** The numbers of the newest `most` that stand in the stream; `undefined` where the agent may not look. */
  newest(most: number): Promise<readonly number[] | undefined>;
}
