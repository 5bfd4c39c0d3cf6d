import type { Alert } from "../alert.ts";
import type { BaseContext, Request } from "../context.ts";
import type { Failure, ReplyShape } from "../reply.ts";
import type { CapabilityId, Context } from "../role.ts";

/** A part of something, as far as a test needs it; functions answer with parts, at once or later. */
export type StandIn<T> = T extends (...args: infer A) => infer Result
  ? (...args: A) => StandInResult<Result>
  : T extends readonly (infer Item)[]
    ? readonly StandIn<Item>[]
    : T extends object
      ? { readonly [K in keyof T]?: StandIn<T[K]> }
      : T;
type StandInResult<T> =
  T extends Promise<infer Value> ? Promise<StandIn<Value>> | StandIn<Value> : StandIn<T>;

/** What a test's child answers: a failure, or the parts of a reply that matter. */
export type ChildAnswer = Failure | ReplyShape;

/** What a test may put in place of the context's own. */
export interface Overrides {
  /** Answers for the children. Without it no child offers anything. */
  readonly delegate?: (
    command: string,
    params: Readonly<Record<string, unknown>>,
  ) => Promise<ChildAnswer> | ChildAnswer;
  readonly request?: Partial<Request>;
  readonly signal?: AbortSignal;
}

/** A stand-in for each handle that the role requires, and what the test wants otherwise than usual. */
export type Handles<R extends readonly CapabilityId[]> = Overrides & {
  readonly [Name in Exclude<keyof Context<R>, keyof BaseContext>]: StandIn<Context<R>[Name]>;
};

/** What a handler did besides answering. */
export interface Traces {
  /** What it told of its progress, in order. */
  readonly progress: readonly { readonly text: string; readonly fraction?: number }[];
  /** The events that it raised, in order. */
  readonly emitted: readonly {
    readonly event: string;
    readonly payload: Readonly<Record<string, unknown>>;
  }[];
  /** The requests on which it said that more will come. */
  readonly followed: readonly string[];
  /** What it told later than an answer, in order. */
  readonly notices: readonly (ReplyShape & { readonly requestId: string })[];
  /** The requests on which nothing more will come. */
  readonly letGo: readonly string[];
  /** What it had the war room told, in order. */
  readonly alerts: readonly Alert[];
}

/** Wraps a stand-in so that what the test left out says so when it is used, by `name`. */
export function complainWhereIncomplete(name: string, standIn: unknown): unknown {
  if (typeof standIn !== "object" || standIn === null) return standIn;
  return new Proxy(standIn, {
    get(target, key, receiver) {
      if (typeof key === "string" && key !== "then" && !(key in target)) {
        throw new Error(`the stand-in for ${name} has no ${key}; add it to the handles that the test passes`);
      }
      return Reflect.get(target, key, receiver);
    },
  });
}
