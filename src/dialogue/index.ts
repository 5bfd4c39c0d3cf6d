/** What a person's words ask for, in the light of what was said before. */
export { createCommandMap, type CommandMap } from "./command-map.ts";
export { explain, type Explained } from "./explain.ts";
export type { Outcome } from "./outcome.ts";
export { DialogueState } from "./state.ts";
export { understand } from "./understand.ts";
