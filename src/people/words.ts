import type { Access } from "../sdk/role.ts";

/** What strangers are told. None of it says what the bot is for, or whose it is. */
export const words = {
  hint: "I do not know you yet. Ask whoever told you about me for a pairing code, and send it here like this: /pair 123-456",
  wrong: (left: number): string =>
    left === 0
      ? "That code is not valid. No tries are left: ask for a new code and send it in an hour."
      : `That code is not valid; it may have been used or run out. You have ${left} more ${left === 1 ? "try" : "tries"} within the hour.`,
  welcome: (name: string, role: Access): string =>
    `Welcome, ${name}. You are let in as ${role}. Write what you need in plain words, or see /help.`,
  alreadyIn: (name: string, role: Access): string =>
    `You are let in already, ${name}, as ${role}. That code was not used up: it can let somebody else in.`,
} as const;
