import type { Effect } from "../sdk/role.ts";

/** How sure the classifier is: do it, ask which of a few it is, or say that it is none of them. */
export type Zone = "fire" | "ask" | "refuse";

interface Bounds {
  /** The least score with which a command is carried out, and how far it must be ahead of the second. */
  readonly fire: number;
  readonly lead: number;
  /** The least score with which a command is offered. */
  readonly ask: number;
}

/** By what a command does to the world. */
export const BOUNDS: Readonly<Record<Effect, Bounds>> = {
  read: { fire: 0.3, lead: 0.1, ask: 0.2 },
  change: { fire: 0.4, lead: 0.15, ask: 0.25 },
  destroy: { fire: 0.4, lead: 0.15, ask: 0.25 },
};

/** The zone of a best and a second-best score, for a best command with this effect. */
export function zoneOf(effect: Effect, score: number, second: number): Zone {
  const bounds = BOUNDS[effect];
  if (score >= bounds.fire && score - second >= bounds.lead) return "fire";
  return score >= bounds.ask ? "ask" : "refuse";
}
