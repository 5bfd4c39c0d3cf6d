import type { z } from "zod";
import type { BaseContext } from "./context.ts";
import type { Failure, Reply } from "./reply.ts";

/** Capabilities by id; each one adds its own line by declaration merging. */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by declaration merging
export interface Capabilities {}

/** What may stand in `requires`. */
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
  /** Everything that starts has started, and the children's commands are known. */
  on_boot: undefined;
  /** A person has written; at the root alone. */
  inbound_message: InboundMessage;
}

type HandleName<Id extends string> = Id extends `${string}.${infer Name}` ? Name : Id;

/**
 * A handler's context: the declared handles by their short names ("comm.gateway" is `gateway`), and the base.
 */
export type Context<R extends readonly CapabilityId[]> = BaseContext & {
  readonly [Id in R[number] as HandleName<Id>]: Capabilities[Id];
};

// oxlint-disable-next-line typescript/no-empty-object-type -- a command without params takes no parameters
type Parsed<S> = [S] extends [z.ZodObject] ? z.output<S> : {};
type PerLanguage<T> = T | Readonly<Record<string, T>>;

/**
 * What a command does to the world: decides how sure the bot must be of the words; "destroy" is confirmed
 * before it is done.
 */
export type Effect = "read" | "change" | "destroy";
/** Who may ask. */
export type Access = "viewer" | "operator" | "owner";

/** One thing that an agent can be asked for. */
export interface Command<P, D, R extends readonly CapabilityId[]> {
  /**
   * What it does, in a line that can stand on a button: "Check that a web page answers". One text, or one for
   * each language.
   */
  description: PerLanguage<string>;
  /** What people would write when they want this; three to ten for each language. */
  prompts?: PerLanguage<readonly string[]>;
  /**
   * What it takes. Each field is looked for in the words by its type, and asked for where it is required and
   * missing. JSON types only.
   */
  params?: P & z.ZodObject;
  /** What its replies hold for programs and other agents; a reply whose `data` do not fit is E_BAD_REPLY. */
  data?: D & z.ZodObject;
  /** Default "read". */
  effect?: Effect;
  /** Announced with the command; nothing enforces it yet. */
  access?: Access;
  /** Announced with the command; nothing enforces it yet. */
  approval?: "operator";
  /**
   * How long it may take; default 60,000 ms. Who asks may have less time left: `request.deadline` says when the
   * answer must be out.
   */
  timeoutMs?: number;
  /** Does it. What does not work is returned as a failure; what is thrown is a defect, told as E_INTERNAL. */
  run(context: Context<R>, params: Parsed<P>): Promise<Reply<D> | Failure> | Reply<D> | Failure;
}

/** What one file in `roles/<agent>/` exports by default. */
export interface Role<R extends readonly CapabilityId[], P, D, E> {
  /** The capabilities that it needs, written out; each arrives as a handle in the context. */
  requires?: R;
  /**
   * What it can be asked for, by name: lower case with _, and nobody else below the same master may have it.
   * `/note add` is `note_add`.
   */
  commands?: { [K in keyof P]: Command<P[K], K extends keyof D ? D[K] : unknown, R> } & {
    [K in keyof D]: { data?: D[K] };
  };
  /** Events that it hears when a role of this agent emits them, by name. */
  events?: {
    [K in keyof E]: {
      /** What comes with the event; what does not fit is a defect. */
      payload: E[K] & z.ZodObject;
      run(context: Context<R>, payload: Parsed<E[K]>): Promise<void> | void;
    };
  };
  /** The framework's own events that it hears. */
  on?: { [K in keyof Events]?: (context: Context<R>, event: Events[K]) => Promise<void> | void };
}

/** Defines a role. Its arguments are checked as they stand: handles that are not in `requires` do not exist. */
// oxlint-disable-next-line typescript/no-empty-object-type -- nothing inferred means nothing offered
export function defineRole<const R extends readonly CapabilityId[] = [], P = {}, D = {}, E = {}>(
  role: Role<R, P, D, E>,
): Role<R, P, D, E> {
  return role;
}
