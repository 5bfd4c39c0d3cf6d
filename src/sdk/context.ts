import type { z } from "zod";
import type { Failure, ReplyShape, Verdict } from "./reply.ts";

/** Facts about the request at hand. */
export interface Request {
  /** The request's own id; every agent that it passes has another. */
  readonly id: string;
  /** One id for everything that a person's words set off. */
  readonly corr: string;
  /** Unix ms by which the answer must be out. */
  readonly deadline: number;
  /** A stand-in for the person who asked; only the root can tell who it is. */
  readonly askedBy: string;
  /** BCP 47 tag of the language of who asked. */
  readonly language: string;
  /** IANA time zone of who asked. */
  readonly zone: string;
}

/** What a child answered: its words and its data. */
export interface Answer<D = Readonly<Record<string, unknown>>> {
  readonly text: string;
  readonly verdict?: Verdict;
  readonly data: D;
  /** The child's reply as it came, to be passed on whole. */
  readonly reply: ReplyShape;
}

/** Lines for the agent's own log; secrets do not belong there. */
export interface Log {
  debug(message: string, facts?: Readonly<Record<string, unknown>>): void;
  info(message: string, facts?: Readonly<Record<string, unknown>>): void;
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void;
  error(message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** What a step is given: `key` is the same each time an interrupted step runs again, so pass it to whatever can tell repeats. */
export interface StepScope {
  readonly key: string;
}

/** What every handler is given besides the handles that it declares. All of it may be taken apart. */
export interface BaseContext {
  /** Aborts when the request is cancelled, out of time or its agent stops. */
  readonly signal: AbortSignal;
  readonly request: Request;
  readonly log: Log;
  /** Tells who asked how far the work is; `fraction` from 0 to 1. */
  readonly progress: (text: string, fraction?: number) => void;
  /** Asks a child. Gives its answer, or a failure as a value; never throws for a child's failure. */
  readonly delegate: <S extends z.ZodObject = z.ZodObject>(
    command: string,
    params: Readonly<Record<string, unknown>>,
    schema?: S,
  ) => Promise<Failure | Answer<z.output<S>>>;
  /** Runs `fn` once and remembers what it gave, across restarts. Interrupted, it runs again with the same key. */
  readonly step: <T>(name: string, fn: (scope: StepScope) => Promise<T> | T) => Promise<T>;
  /** Hands an event to this agent's own roles once the present handler has finished. */
  readonly emit: (event: string, payload: Readonly<Record<string, unknown>>) => void;
}
