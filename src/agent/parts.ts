import type { Neighbour } from "../admission/index.ts";
import type { Clock, Ids } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";
import type { MountedCapability } from "../sdk/capability.ts";
import type { Log } from "../sdk/context.ts";
import type { ReplyShape } from "../sdk/reply.ts";
import type { Transport } from "../transport/port.ts";
import type { Collision } from "./command-map.ts";
import type { House } from "./house.ts";
import type { AgentState } from "./lifecycle.ts";
import type { PersonsReply, PersonsWords } from "./people.ts";
import type { PresenceChange } from "./presence.ts";
import type { AgentRole, DisabledRoleNote } from "./roles.ts";

/** What an agent is made of. Everything that reaches out of it is passed in. */
export interface AgentParts {
  readonly self: { readonly id: string; readonly name: string; readonly vantage?: string };
  readonly master: Neighbour | undefined;
  readonly children: readonly Neighbour[];
  readonly concurrency: number;
  /** So many requests may wait their turn; a master's further ones are answered E_BUSY. Default: 50,000. */
  readonly mostWaiting?: number;
  readonly roles: readonly AgentRole[];
  readonly disabled: readonly DisabledRoleNote[];
  readonly capabilities: ReadonlyMap<string, MountedCapability>;
  readonly ledger: Ledger;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly random: () => number;
  readonly keepMs: number;
  /** The root's way to people. */
  readonly people?: PeopleParts;
  /** Shared by the agents of a process. */
  readonly house: House;
  readonly onState?: (state: AgentState) => void;
  /** A child is gone, or is back after that. */
  readonly onPresence?: (change: PresenceChange) => void;
  /** The code of a role has its turn: `<agent>/<command or event> <request>`. */
  readonly onBegin?: (handler: string) => void;
}

export interface PeopleParts {
  readonly pseudonymOf: (channel: string, person: string) => string;
  /** False when nobody was there to see it: it is owed, and shown at the next start. */
  readonly show: (reply: PersonsReply) => Promise<boolean>;
  readonly progress: (requestId: string, text: string, fraction: number | undefined) => void;
  readonly timeoutMs: number;
  /** Ends the talk with people: whatever is still to be shown is owed. Called once nothing is in work any more. */
  readonly close: () => Promise<void>;
}

/** A child as its master sees it. */
export interface ChildView {
  readonly name: string;
  /** Not started: it does not start by itself, and has not been heard yet. */
  readonly state: "online" | "offline" | "not started";
  readonly commands: readonly string[];
}

/** One agent at work. */
export interface Agent {
  readonly self: { readonly id: string; readonly name: string };
  readonly state: AgentState;
  /** Whether the agent can reach its neighbours. */
  readonly isTransportUp: boolean;
  /** Roles that cannot run, with their reasons; the agent is degraded when there is one. */
  readonly disabled: readonly DisabledRoleNote[];
  readonly collisions: readonly Collision[];
  /** Takes up its lanes and what was unfinished. */
  start(): Promise<void>;
  /** Resolves when what every child offers is known; false when one has not said so within `ms`. */
  childrenKnown(ms: number): Promise<boolean>;
  /** Raises on_boot: the agent and everything below it is there. */
  boot(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Stops as planned: what is in work may finish within `graceMs`, the rest goes on after the next start. */
  stop(graceMs: number): Promise<void>;
  /** Takes in words of a person; resolves when they are durable. */
  accept(words: PersonsWords): Promise<void>;
  commands(): readonly CommandAnnouncement[];
  children(): readonly ChildView[];
  /** Whether a child was heard since the start: one that was not may be there or not. */
  hasHeard(child: string): boolean;
  /** Cancels a person's unfinished requests but this one; says how many. */
  cancelOthers(request: { readonly id: string; readonly askedBy: string }): number;
  lastReply(chat: string): ReplyShape | undefined;
}
