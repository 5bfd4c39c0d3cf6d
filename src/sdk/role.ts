import type { z } from "zod";
import type { BaseContext } from "./context.ts";
import type { Markup } from "./markup.ts";
import type { Attachment, Button, Failure, Verdict } from "./reply.ts";

/** Capabilities by id; each one adds its own line by declaration merging. */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by declaration merging
export interface Capabilities {}

export type CapabilityId = keyof Capabilities & string;

/** Words that a person wrote, as they arrive at the root. */
export interface InboundMessage {
  /** Where the reply goes: opaque to roles. */
  readonly chat: string;
  /** Who wrote, as the channel shows them. */
  readonly person: string;
  readonly text: string;
}

/** Events that the framework itself raises. */
export interface Events {
  /** The agent has started and its children's commands are known. */
  on_boot: undefined;
  inbound_message: InboundMessage;
}

type HandleName<Id extends string> = Id extends `${string}.${infer Name}` ? Name : Id;

/** A handler's context: the declared handles by their short names ("comm.gateway" is `gateway`), and the base. */
export type Context<R extends readonly CapabilityId[]> = BaseContext & {
  readonly [Id in R[number] as HandleName<Id>]: Capabilities[Id];
};

// oxlint-disable-next-line typescript/no-empty-object-type -- a command without params takes no parameters
type Parsed<S> = [S] extends [z.ZodObject] ? z.output<S> : {};
type PerLanguage<T> = T | Readonly<Record<string, T>>;

/** What a command answers. A string is literal text; md`…` builds markup and escapes its values. */
export type Reply<D = unknown> = {
  text: string | Markup;
  verdict?: Verdict;
  buttons?: readonly Button[];
  attachments?: readonly Attachment[];
} & ([D] extends [z.ZodObject] ? { data: z.input<D> } : { data?: never });

/** What a command does to the world: decides how sure the bot must be, and whether it asks first. */
export type Effect = "read" | "change" | "destroy";
export type Access = "viewer" | "operator" | "owner";

/** One thing that an agent can be asked for. */
export interface Command<P, D, R extends readonly CapabilityId[]> {
  description: PerLanguage<string>;
  /** What people would write when they want this; three to ten for each language. */
  prompts?: PerLanguage<readonly string[]>;
  params?: P & z.ZodObject;
  data?: D & z.ZodObject;
  /** Default "read". */
  effect?: Effect;
  access?: Access;
  approval?: "operator";
  /** How long it may take; default 60,000 ms. */
  timeoutMs?: number;
  run(context: Context<R>, params: Parsed<P>): Promise<Reply<D> | Failure> | Reply<D> | Failure;
}

/** What one file in `roles/<agent>/` exports by default. */
export interface Role<R extends readonly CapabilityId[], P, D, E> {
  requires?: R;
  commands?: { [K in keyof P]: Command<P[K], K extends keyof D ? D[K] : unknown, R> } & {
    [K in keyof D]: { data?: D[K] };
  };
  events?: {
    [K in keyof E]: {
      payload: E[K] & z.ZodObject;
      run(context: Context<R>, payload: Parsed<E[K]>): Promise<void> | void;
    };
  };
  on?: { [K in keyof Events]?: (context: Context<R>, event: Events[K]) => Promise<void> | void };
}

/** Defines a role. Its arguments are checked as they stand: handles that are not in `requires` do not exist. */
// oxlint-disable-next-line typescript/no-empty-object-type -- nothing inferred means nothing offered
export function defineRole<const R extends readonly CapabilityId[] = [], P = {}, D = {}, E = {}>(
  role: Role<R, P, D, E>,
): Role<R, P, D, E> {
  return role;
}
