import type { Known } from "../../catalog/known.ts";
import type { Config } from "../../config.ts";
import type { FailureValue } from "../../envelope/failures.ts";

/** What one check found. `warn` works now and will not for long, or not as well as it could. */
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** What checks may look at. */
export interface CheckScope {
  readonly config: Config | FailureValue;
  readonly rolesDir: string;
  readonly known: Known;
  readonly nodeVersion: string;
  readonly clock: {
    /** Unix ms. */
    wallMs(): number;
    /** Ms since `startedAtMs` of a clock that only goes forward. */
    monotonicMs(): number;
    readonly startedAtMs: number;
  };
}

/** One look at one thing. Nothing to say is an empty list. */
export type Check = (scope: CheckScope) => Promise<readonly Finding[]> | readonly Finding[];
