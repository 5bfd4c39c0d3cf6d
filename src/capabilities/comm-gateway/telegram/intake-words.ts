/** What the channel itself says about what came in. */

/** Longer words than this are a file's content rather than a question. */
export const WORDS_LIMIT_BYTES = 64 * 1024;

export const NO_WORDS =
  "I can read text only: what you type, and the caption under a picture or a file. Say in words what you want, or see /help.";
export const ONLY_MY_NAME = "Say what you want together with my name, or see /help.";
export const TOO_MANY_WORDS =
  "That is longer than 64 KiB and was not taken. Send less of it, or say where it can be found.";
export const BUTTON_GONE = "That button is out of date. Ask again to get a new one.";
export const PRESS_REFUSED = "You may not use this bot. Ask its owner to let you in.";
