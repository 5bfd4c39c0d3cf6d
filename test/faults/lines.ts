import type { Deed } from "./trail.ts";

/** What one agent of the fault suite is started with, as JSON in its one argument. */
export interface AgentFacts {
  /** `root` is the one that talks to people. */
  readonly name: string;
  readonly rolesDir: string;
  /** Of this agent alone. */
  readonly dataDir: string;
  readonly redisUrl: string;
  /** How far its wall clock goes wrong, in ms. */
  readonly skewMs: number;
  /** One of so many envelopes that it sends is shown to the harness; 0 for none. */
  readonly showEvery: number;
  /** A file that says by being there that unruly roles are to behave. */
  readonly mended: string;
}

/** Words of a person, as the harness hands them to the root. */
export interface Said {
  /** UUIDv5; the same words may be handed over again. */
  readonly id: string;
  readonly chat: string;
  readonly person: string;
  readonly text: string;
}

/** A line to an agent's stdin. */
export type ToAgent = { readonly say: Said } | { readonly skewMs: number } | { readonly memory: true };

/** A reply, as it was shown to a person. */
export interface Shown {
  readonly id: string;
  readonly chat: string;
  readonly text: string;
  readonly failure?: string;
  readonly isRepeat: boolean;
}

/** An envelope that was put on a lane. */
export interface Sent {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** A line from an agent's stdout. */
export type FromAgent =
  | { readonly is: "ready" }
  | { readonly is: "accepted"; readonly id: string }
  | ({ readonly is: "reply" } & Shown)
  | ({ readonly is: "deed" } & Deed)
  | ({ readonly is: "sent" } & Sent)
  | { readonly is: "memory"; readonly mostMb: number };
