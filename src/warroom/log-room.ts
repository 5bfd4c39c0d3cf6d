import type { Log } from "../sdk/context.ts";
import { plainText } from "../sdk/markup.ts";
import type { Room } from "./ports.ts";

/** The room of an installation that has no chat: each change of an incident is one line of the log, at level warn. */
export function createLogRoom(log: Log): Room {
  let posted = 0;
  return {
    name: "log",
    post({ text }) {
      posted += 1;
      log.warn(plainText(text));
      return Promise.resolve({ kind: "sent", ref: `log:${posted}` });
    },
    edit(ref, { text }) {
      log.warn(plainText(text));
      return Promise.resolve({ kind: "sent", ref });
    },
  };
}
