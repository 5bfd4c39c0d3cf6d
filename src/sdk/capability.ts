import type { z } from "zod";
import type { Log, Request } from "./context.ts";
import type { ReplyShape } from "./reply.ts";
import type { Capabilities, CapabilityId } from "./role.ts";

/**
 * A role's own memory; no other role and no other agent sees it. What a handler sets it reads back at once; it becomes durable with
 * the next step that finishes, or else with the handler's outcome, and is forgotten when the handler fails before that.
 */
export interface Store {
  /**
   * What was set last, as JSON gives it back; undefined when there is nothing. Parse it: an older role file may
   * have written it.
   */
  get(key: string): unknown;
  /** Remembers a value that JSON can hold. @throws {TypeError} for what JSON cannot. */
  set(key: string, value: unknown): void;
  delete(key: string): void;
  /** Keys and values whose key begins with `prefix`, in the order of the keys. */
  list(prefix?: string): readonly (readonly [key: string, value: unknown])[];
}

/** A capability's own memory in its agent's ledger. */
export interface OwnStore extends Store {
  /** The entry whose key comes first among those that begin with `prefix`. */
  first(prefix: string): readonly [key: string, value: unknown] | undefined;
}

/** An event that a capability hands to one role of its agent. */
export interface RaisedEvent {
  /** UUIDv7; the same id is taken once. */
  readonly id: string;
  readonly role: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The request that it comes from, and on whose behalf that was. */
  readonly cause: Pick<Request, "id" | "askedBy" | "language" | "zone">;
}

/** The agent at work, as its capabilities may use it. */
export interface AgentAtWork {
  /** Hands an event to a role; it is durable together with what is set in `own` in the same turn of the event loop. */
  raise(event: RaisedEvent): void;
  /** Resolves when everything so far is durable. */
  committed(): Promise<void>;
  /** Calls back once after `ms`; the function returned cancels it. What fails in it for want of the ledger ends the agent. */
  after(ms: number, callback: () => void): () => void;
}

/** What a capability's handle may know of the call that it was made for. Roles do not see it. */
export interface CallScope {
  /** The name of the role's file, without its ending. */
  readonly role: string;
  readonly request: Request;
  readonly signal: AbortSignal;
  /** The calling role's memory, staged: it becomes durable with the call's outcome. */
  readonly store: Store;
  /** The capability's own memory, staged like `store`. */
  readonly own: Store;
  /** Sets the reply to the person whose words are being handled (the root's gateway alone uses it). */
  answer(reply: ReplyShape): void;
  /**
   * Says something to a chat that nobody asked for just now; it leaves with the call's outcome (the root's
   * gateway alone uses it).
   */
  say(chat: string, reply: ReplyShape): void;
}

/** What a capability is given when an agent mounts it. */
export interface MountScope {
  readonly agent: { readonly id: string; readonly name: string };
  /** This agent's settings for the capability, parsed by its `settings`. */
  readonly settings: unknown;
  readonly log: Log;
  /** The capability's own memory in this agent. What is set outside of a call is durable with the turn of the event loop. */
  readonly own: OwnStore;
}

/** A capability in the hands of one agent. */
export interface MountedCapability<Id extends CapabilityId = CapabilityId> {
  /** A fresh handle for one call of one role. */
  handle(call: CallScope): Capabilities[Id];
  /** The agent has begun to work. Until then, and after `close`, the capability does nothing by itself. */
  start?(agent: AgentAtWork): Promise<void> | void;
  close(): Promise<void>;
}

/**
 * Something that roles may ask for: declared in `requires`, mounted once an agent, handed to each call as a typed handle.
 * The only way out of a role.
 */
export interface CapabilityDefinition<Id extends CapabilityId = CapabilityId> {
  readonly id: Id;
  /** Whether only the root may have it. */
  readonly rootOnly: boolean;
  /** The shape of `capabilities.<id>` in agent.yml. */
  readonly settings: z.ZodType;
  mount(scope: MountScope): Promise<MountedCapability<Id>> | MountedCapability<Id>;
}

/** The part of a capability's id by which its handle stands in the context. */
export function handleName(id: string): string {
  return id.slice(id.lastIndexOf(".") + 1);
}
