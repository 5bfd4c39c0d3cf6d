import type { z } from "zod";
import type { Alert } from "./alert.ts";
import type { Failure, Reply, ReplyShape, Verdict } from "./reply.ts";

/** Facts about the request at hand. */
export interface Request {
  /**
   * The request's own id. Each agent on the way asks the next under an id of its own; `corr` is what they
   * share.
   */
  readonly id: string;
  /** One id for everything that a person's words set off. */
  readonly corr: string;
  /** Unix ms by which the answer must be out. */
  readonly deadline: number;
  /**
   * A stand-in for the person who asked, the same each time they ask in the same channel; only the root can
   * tell who it is.
   */
  readonly askedBy: string;
  /**
   * BCP 47 tag of the language of who asked, such as "de"; reply in it where you can. For now it is "en",
   * whoever asks.
   */
  readonly language: string;
  /** IANA time zone of who asked. Show times in it. */
  readonly zone: string;
}

/** What a child answered. */
export interface Answer<D = Readonly<Record<string, unknown>>> {
  /** Its words, without emphasis. */
  readonly text: string;
  /** What it found, where it checked something. */
  readonly verdict?: Verdict;
  /** Its data, read by the schema that was passed; `{}` when it gave none. */
  readonly data: D;
  /** The child's reply as it came, to be passed on whole. */
  readonly reply: ReplyShape;
}

/**
 * Lines for the log, with the agent's name. VOXTREE_LOG_LEVEL says from which level on they are shown; secrets
 * do not belong there.
 */
export interface Log {
  debug(message: string, facts?: Readonly<Record<string, unknown>>): void;
  info(message: string, facts?: Readonly<Record<string, unknown>>): void;
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void;
  error(message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** What a step is given. */
export interface StepScope {
  /**
   * The same each time this step of this request runs again, and given to no other: pass it to whatever can
   * tell repeats.
   */
  readonly key: string;
}

/** What every handler is given besides the handles that it declares. All of it may be taken apart. */
export interface BaseContext {
  /** Aborts when the request is cancelled, out of time or its agent stops. Pass it to whatever takes one. */
  readonly signal: AbortSignal;
  readonly request: Request;
  readonly log: Log;
  /**
   * Tells who asked how far the work is; `fraction` from 0 to 1. Shown for a moment and not kept: at most four
   * a second.
   */
  readonly progress: (text: string, fraction?: number) => void;
  /**
   * Asks the child that offers a command, or this agent itself where one of its roles does. Gives the answer, or a failure as a value:
   * what a child does wrong is never thrown. With a schema, the answer's data are read by it, and data that do not fit it are
   * E_BAD_REPLY. The question is remembered: after a restart it is not asked again but its answer waited for.
   */
  readonly delegate: <S extends z.ZodObject = z.ZodObject>(
    command: string,
    params: Readonly<Record<string, unknown>>,
    schema?: S,
  ) => Promise<Failure | Answer<z.output<S>>>;
  /**
   * Runs `fn` and remembers what it gave, across restarts: once finished it never runs again for this request. Interrupted, it runs
   * again with the same key. Gives the value as JSON keeps it (nothing becomes null). What `fn` throws is thrown on, and not remembered.
   */
  readonly step: <T>(name: string, fn: (scope: StepScope) => Promise<T> | T) => Promise<T>;
  /**
   * Hands an event to the `events` of this agent's own roles, once the present handler has finished; one that
   * fails emits nothing.
   */
  readonly emit: (event: string, payload: Readonly<Record<string, unknown>>) => void;
  /**
   * Says that something will come on the request at hand after its answer, by `notify`. The request is kept until
   * `letGo`, however long that is: keep its `request.id`.
   */
  readonly follow: () => void;
  /**
   * Tells whoever asked for a followed request something more; it leaves with the handler's outcome. Who that was, and where,
   * nobody here needs to know. Of a request that is not followed any more nobody is told.
   */
  readonly notify: (requestId: string, reply: Reply) => void;
  /** Nothing more will come on a followed request; it leaves with the handler's outcome, after what `notify` told. */
  readonly letGo: (requestId: string) => void;
  /** Tells the war room, past everybody else; it leaves with the handler's outcome. */
  readonly alert: (alert: Alert) => void;
}
