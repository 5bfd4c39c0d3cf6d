import type { Failure } from "../../sdk/reply.ts";

/** What happens again and again: at a steady distance, or by a cron pattern read on the wall clock of `zone`. */
export type Rhythm = {
  /** IANA time zone, such as Europe/Berlin. */
  readonly zone: string;
} & (
  | {
      /** At least 1,000 ms. */
      readonly everyMs: number;
      readonly cron?: undefined;
    }
  | {
      /** Five fields, or six with seconds: "0 9 * * 1-5". */
      readonly cron: string;
      readonly everyMs?: undefined;
    }
);

/** What a role has put down for later. */
export interface Planned {
  readonly key: string;
  /** ISO 8601 in UTC, when it is due next; of what is paused, when it would be. */
  readonly nextAt: string;
  readonly isPaused: boolean;
  /** Left out of what happens once. */
  readonly rhythm?: Rhythm;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What is raised when it is due: one of the role's own `events`. */
interface Due {
  /** The name of the event. */
  readonly event: string;
  /** JSON; the event gets it with `key`, `dueAt` (ISO 8601), `lateMs` and `missed` (due times before now that are left out). */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * What a role has put down for later; no other role sees it. It is durable with the handler's outcome, survives restarts, and each
 * due time raises its event once: what was due while the agent was away is raised when it is back, and says how late it is.
 */
export interface Schedule {
  /** Once, at a moment (ISO 8601 with offset); at once when that has passed. What the key named before is replaced. */
  at(key: string, due: Due & { readonly at: string }): Planned;
  /**
   * Again and again. `jitterMs`: a shift of this length at most, always the same for one key, so that not everything is due at
   * once. A failure for a rhythm that is no rhythm, or is never due.
   */
  every(key: string, due: Due & Rhythm & { readonly jitterMs?: number }): Planned | Failure;
  /** False when there was nothing. */
  cancel(key: string): boolean;
  /** Nothing is raised until `resume`; undefined when there is nothing by that key. */
  pause(key: string): Planned | undefined;
  resume(key: string): Planned | undefined;
  get(key: string): Planned | undefined;
  /** In the order of the keys. */
  list(prefix?: string): readonly Planned[];
  /** The next due times from now, ISO 8601, before anything is put down. */
  preview(rhythm: Rhythm, count: number): readonly string[] | Failure;
}

declare module "../../sdk/role.ts" {
  interface Capabilities {
    schedule: Schedule;
  }
}
