import type { BuiltinName } from "../sdk/builtin-names.ts";
import type { Button } from "../sdk/reply.ts";
import type { DialogueState } from "./state.ts";

/** What is to be done about a person's words. */
export type Outcome =
  /** Hand it down. `understood` is the same request as a slash command. */
  | {
      readonly kind: "run";
      readonly command: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly understood: string;
    }
  /** Ask back; a number, a choice's label or its `say` answers. */
  | { readonly kind: "ask"; readonly text: string; readonly choices: readonly Button[] }
  /** Nobody here can do it; the text says what can be done. */
  | { readonly kind: "refuse"; readonly text: string }
  /** Nothing is to be done: a question is over, or somebody said thanks. */
  | { readonly kind: "closed"; readonly text: string }
  | { readonly kind: "builtin"; readonly name: BuiltinName; readonly argument: string }
  /** There were no words. */
  | { readonly kind: "empty"; readonly text: string };

/** An outcome, and what is to be remembered from now on. */
export interface Understood {
  readonly outcome: Outcome;
  readonly state: DialogueState;
}
