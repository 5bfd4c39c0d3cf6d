import type { Explanation } from "../intent/index.ts";
import type { Outcome } from "./outcome.ts";
import { understand } from "./understand.ts";
import type { World } from "./world.ts";

/** How a text is understood on its own, and what decided. */
export interface Explained extends Explanation {
  readonly outcome: Outcome;
}

/** Explains how a text is understood that nothing was said before. */
export function explain(text: string, world: World): Explained {
  return { ...world.map.classifier.explain(text), outcome: understand(text, {}, world).outcome };
}
