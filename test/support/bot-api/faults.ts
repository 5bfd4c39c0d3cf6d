import type { Call } from "./calls.ts";
import type { Happenings } from "./happenings.ts";
import { type Failed, type Update } from "./shapes.ts";
import { OTHER_POLLER } from "./updates.ts";

/** Which calls a fault meets. */
export interface FaultScope {
  /** By name, in any case; "*" is every method. Left out: every method but getUpdates. */
  readonly method?: string;
  /** Only calls that name this chat. */
  readonly chat?: { readonly id: number };
  readonly where?: (call: Call) => boolean;
  /** How many calls it meets before it is over, 1 unless told otherwise; Infinity: until `end`. */
  readonly times?: number;
}

/** A fault that was ordered. It also meets the long poll that is being held at that moment. */
export interface Fault {
  /** How many calls it has met. */
  readonly met: number;
  /** Resolves when it has met so many calls; left out: all that it was ordered for, or one when there is no end of it. */
  happened(times?: number): Promise<void>;
  /** It meets no further call, and calls that it holds lose their connection. */
  end(): void;
}

/** What a fault does to a call. Only those with `isApplied` let the server do what it was asked to do. */
export type Effect =
  | { readonly kind: "lost"; readonly isApplied: true }
  | { readonly kind: "cut"; readonly isApplied: false }
  | { readonly kind: "hang"; readonly isApplied: boolean }
  | { readonly kind: "bad gateway"; readonly isApplied: boolean }
  | { readonly kind: "answer"; readonly isApplied: false; readonly failed: Failed };

export interface Faults {
  /** The call is carried out, and its connection ends without an answer. */
  loseResponse(scope?: FaultScope): Fault;
  /** The connection ends before anything is carried out. */
  cut(scope?: FaultScope): Fault;
  /** No answer comes; whether the call is carried out (it is not, unless told) nobody can see. */
  hang(scope?: FaultScope & { readonly isApplied?: boolean }): Fault;
  /** 502 with a page of HTML, as from what stands in front of the server. Not carried out, unless told. */
  badGateway(scope?: FaultScope & { readonly isApplied?: boolean }): Fault;
  /** 429. @param scope.retryAfter In seconds. */
  flood(scope: FaultScope & { readonly retryAfter: number }): Fault;
  /** 500 `restart`. */
  restart(scope?: FaultScope): Fault;
  /** 401 to every method, until it ends unless told otherwise. */
  rejectToken(scope?: FaultScope): Fault;
  /** 409, as when somebody else polls with the same token. */
  conflict(scope?: Omit<FaultScope, "method">): Fault;
  /** Any other refusal, word by word. */
  refuse(scope: FaultScope & Omit<Failed, "ok">): Fault;
  /** Answers with updates carry each of them twice, or (`isForgetful`) come once more although they were confirmed. */
  duplicateUpdates(scope?: { readonly times?: number; readonly isForgetful?: boolean }): Fault;
  /** Answers with two or more updates carry them in reverse. */
  reorderUpdates(scope?: { readonly times?: number }): Fault;
}

interface Ordered {
  readonly fault: Fault;
  readonly effect: Effect;
  meets(call: Call): boolean;
  meet(call: Call): void;
  /** Called when the fault ends, for the calls that it holds. */
  readonly holds: Set<() => void>;
}

/** The side of the faults that the server asks. */
export interface FaultBook extends Faults {
  /** The first ordered fault that meets the call at this stage; it counts as met. */
  take(call: Call, stage: "before" | "after"): Ordered | undefined;
  /** Changes updates that are about to be handed out, as was ordered. */
  spoil(updates: readonly Update[]): readonly Update[];
  /** Whether this getUpdates call is to confirm nothing. */
  takeForgetful(): boolean;
  endAll(): void;
}

/** @param meetHeld Shows a fault that was just ordered to the long poll that is being held. */
export function createFaults(happenings: Happenings, meetHeld: () => void): FaultBook {
  const ordered = new Set<Ordered>();
  const spoils: { readonly fault: Counted; readonly kind: "twice" | "reverse" | "forget" }[] = [];

  interface Counted extends Fault {
    readonly isOver: boolean;
    count(): void;
  }

  function counted(what: string, times: number, onEnd: () => void): Counted {
    let met = 0;
    let isEnded = false;
    return {
      get met() {
        return met;
      },
      get isOver() {
        return isEnded || met >= times;
      },
      count() {
        met += 1;
        happenings.tell();
      },
      async happened(wanted = Number.isFinite(times) ? times : 1) {
        await happenings.until(() => (met >= wanted ? true : undefined), {
          what: `the fault "${what}", ${wanted} times,`,
          there: () => [`it was met ${met} times`],
        });
      },
      end() {
        isEnded = true;
        onEnd();
      },
    };
  }

  function order(effect: Effect, scope: FaultScope = {}): Fault {
    const { method, chat, where, times = 1 } = scope;
    const holds = new Set<() => void>();
    const fault = counted(effect.kind, times, () => {
      ordered.delete(entry);
      for (const release of holds) release();
    });
    const entry: Ordered = {
      fault,
      effect,
      holds,
      meets(call) {
        const name = call.method.toLowerCase();
        const isNamed =
          method === undefined ? name !== "getupdates" : method === "*" || name === method.toLowerCase();
        return (
          !fault.isOver &&
          isNamed &&
          (chat === undefined || Number(call.arguments.chat_id) === chat.id) &&
          (where === undefined || where(call))
        );
      },
      meet: () => fault.count(),
    };
    ordered.add(entry);
    meetHeld();
    return fault;
  }

  function orderSpoil(kind: "twice" | "reverse" | "forget", times = 1): Fault {
    const fault = counted(kind, times, () => undefined);
    spoils.push({ fault, kind });
    return fault;
  }

  const answer = (failed: Failed, scope: FaultScope | undefined): Fault =>
    order({ kind: "answer", isApplied: false, failed }, scope);
  const failed = (error_code: number, description: string): Failed => ({
    ok: false,
    error_code,
    description,
  });

  return {
    loseResponse: (scope) => order({ kind: "lost", isApplied: true }, scope),
    cut: (scope) => order({ kind: "cut", isApplied: false }, scope),
    hang: (scope) => order({ kind: "hang", isApplied: scope?.isApplied ?? false }, scope),
    badGateway: (scope) => order({ kind: "bad gateway", isApplied: scope?.isApplied ?? false }, scope),
    flood: ({ retryAfter, ...scope }) =>
      answer(
        {
          ...failed(429, `Too Many Requests: retry after ${retryAfter}`),
          parameters: { retry_after: retryAfter },
        },
        scope,
      ),
    restart: (scope) => answer(failed(500, "Internal Server Error: restart"), scope),
    rejectToken: (scope) => answer(failed(401, "Unauthorized"), { method: "*", times: Infinity, ...scope }),
    conflict: (scope) => answer(OTHER_POLLER, { ...scope, method: "getUpdates" }),
    refuse: ({ error_code, description, parameters, ...scope }) =>
      answer({ ...failed(error_code, description), ...(parameters && { parameters }) }, scope),
    duplicateUpdates: ({ times, isForgetful = false } = {}) =>
      orderSpoil(isForgetful ? "forget" : "twice", times),
    reorderUpdates: ({ times } = {}) => orderSpoil("reverse", times),

    take(call, stage) {
      for (const entry of ordered) {
        if (entry.effect.isApplied === (stage === "after") && entry.meets(call)) {
          entry.meet(call);
          return entry;
        }
      }
      return undefined;
    },
    spoil(updates) {
      let spoilt = updates;
      for (const { fault, kind } of spoils) {
        if (fault.isOver || kind === "forget" || (kind === "reverse" && spoilt.length < 2)) continue;
        fault.count();
        spoilt = kind === "twice" ? spoilt.flatMap((update) => [update, update]) : spoilt.toReversed();
      }
      return spoilt;
    },
    takeForgetful() {
      const forget = spoils.find(({ fault, kind }) => kind === "forget" && !fault.isOver);
      forget?.fault.count();
      return forget !== undefined;
    },
    endAll() {
      for (const { fault } of ordered) fault.end();
    },
  };
}
