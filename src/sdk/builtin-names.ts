/** Names that the chat itself answers to; no command may have one. */
export const BUILTIN_NAMES = ["start", "help", "tree", "cancel", "last"] as const;
export type BuiltinName = (typeof BUILTIN_NAMES)[number];
