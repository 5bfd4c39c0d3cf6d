import type { Writable } from "node:stream";
import type { Ids } from "../../envelope/ids.ts";
import { plainText } from "../../sdk/markup.ts";
import { introduction } from "./console/earlier.ts";
import type { Ending } from "./ending.ts";
import { type Channel, type Delivery, NotDeliveredError } from "./ports.ts";
import { renderDelivery, safeJson, type TerminalLook } from "./render-terminal.ts";

/** The channel of one question: prints its one reply. */
export interface AskChannel extends Channel {
  /** The reply, once it has been printed. */
  readonly answer: () => Delivery | undefined;
}

export interface AskOptions {
  readonly text: string;
  /** Prints `{text, verdict, data, ending?, failure?}` on one line instead of the reply's own look. */
  readonly json: boolean;
  readonly output: Writable;
  /** Where answers to questions of earlier runs go, which were killed before they had them. */
  readonly errorOutput: Writable;
  readonly isColour: boolean;
  readonly ids: Ids;
  readonly person: string;
  /** IANA time zone in which moments are shown. */
  readonly zone: string;
}

/**
 * A channel for one text. Every run talks in the same chat, so that a question back can be answered by the next run.
 * On the output stands the reply to this text and nothing else.
 */
export function createAskChannel(options: AskOptions): AskChannel {
  const { output, errorOutput } = options;
  const id = options.ids.next();
  const finished = Promise.withResolvers<void>();
  const look: TerminalLook = { isColour: options.isColour, width: Infinity };
  let answer: Delivery | undefined;
  let isClosed = false;

  return {
    name: "ask",
    finished: finished.promise,
    answer: () => answer,
    async start(accept) {
      await accept({ id, chat: "terminal", person: options.person, text: options.text });
    },
    async deliver(delivery) {
      if (isClosed) throw new NotDeliveredError("the question's run has ended");
      const shown = renderDelivery(delivery, look);
      if (delivery.requestId !== id) {
        const head = introduction(delivery, options.zone);
        return writeLine(errorOutput, head === undefined ? shown : `${head}\n${shown}`);
      }
      await writeLine(output, options.json ? answerJson(delivery) : shown);
      answer = delivery;
      finished.resolve();
    },
    progress() {},
    greet() {},
    async close() {
      isClosed = true;
      finished.resolve();
    },
  };
}

function answerJson({ reply, ending, failure = failureOf(ending) }: Delivery): string {
  return safeJson({
    text: plainText(reply.text),
    verdict: reply.verdict ?? null,
    data: reply.data ?? null,
    ...(ending === undefined ? {} : { ending: ending.kind }),
    ...(failure === undefined ? {} : { failure }),
  });
}

function failureOf(ending: Ending | undefined): string | undefined {
  return ending?.kind === "failed" ? ending.failure : undefined;
}

async function writeLine(output: Writable, text: string): Promise<void> {
  const written = Promise.withResolvers<void>();
  // Whoever wanted to read it may have gone; it has been answered all the same.
  output.once("error", () => written.resolve());
  output.write(`${text}\n`, () => written.resolve());
  await written.promise;
}
