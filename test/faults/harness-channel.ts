import type { Channel, Delivery } from "../../src/capabilities/comm-gateway/index.ts";
import { plainText } from "../../src/sdk/markup.ts";
import type { FromAgent, Said } from "./lines.ts";

/** The way by which the harness is all the people who write to the root. */
export interface HarnessChannel extends Channel {
  /** Takes words in; what comes before the start waits for it. */
  say(said: Said): void;
}

/** Each reply is told before its delivery counts as done, so that a killed process has told what it had shown. */
export function createHarnessChannel(tell: (line: FromAgent) => void): HarnessChannel {
  const accepting = Promise.withResolvers<(said: Said) => Promise<void>>();
  let isClosed = false;
  return {
    name: "harness",
    finished: new Promise(() => undefined),
    say(said) {
      // What is not taken in is not confirmed, and is said again to the next process.
      accepting.promise
        .then((accept) =>
          isClosed ? undefined : accept(said).then(() => tell({ is: "accepted", id: said.id })),
        )
        .catch(() => undefined);
    },
    start(accept) {
      accepting.resolve(accept);
      return Promise.resolve();
    },
    deliver({ requestId: id, chat, reply, failure, isRepeat }: Delivery) {
      const shown = { id, chat, text: plainText(reply.text), isRepeat };
      tell({ is: "reply", ...shown, ...(failure === undefined ? {} : { failure }) });
      return Promise.resolve();
    },
    progress() {},
    greet() {},
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
}
