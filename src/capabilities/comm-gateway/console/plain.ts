import { type Channel, type ChannelInbound, NotDeliveredError } from "../ports.ts";
import { renderDelivery, renderTerminal } from "../render-terminal.ts";
import { introduction } from "./earlier.ts";
import { readLines } from "./lines.ts";
import { CONSOLE_CHAT, type ConsoleOptions, NOT_TAKEN, TOO_LONG } from "./options.ts";

/** Lines whose answers are out; reading stops while there are this many. */
const OPEN_LINES = 1_000;

interface Line {
  readonly id: string;
  readonly answered: PromiseWithResolvers<void>;
  /** The reply, ready to be written once the lines before have theirs. */
  reply?: string;
}

/**
 * The console where nobody sits: one line is one message, and on the output stand the replies alone, in the order of the
 * lines. An answer that comes early waits for those before it.
 */
export function createPlainConsole(options: ConsoleOptions): Channel {
  const { input, output, ids } = options;
  const look = { isColour: options.isColour, width: Infinity };
  /** In the order in which they came; the first is the one whose reply is next. */
  const open = new Map<string, Line>();
  const finished = Promise.withResolvers<void>();
  const closed = new AbortController();
  let room = Promise.withResolvers<void>();
  let isEnded = false;
  let lastWritten: Promise<void> = Promise.resolve();
  let reading: Promise<void> = Promise.resolve();

  // Whoever read the replies has gone: nobody is left to answer.
  const onOutputError = (): void => stop();
  output.on("error", onOutputError);

  function stop(): void {
    closed.abort();
    input.destroy();
    for (const line of open.values()) line.answered.reject(new NotDeliveredError("the console is closed"));
    open.clear();
    room.resolve();
    finished.resolve();
  }

  /** Resolves when the text has left this process. */
  async function write(text: string): Promise<void> {
    if (closed.signal.aborted) throw new NotDeliveredError("the console is closed");
    const written = Promise.withResolvers<void>();
    output.write(`${text}\n`, (error) =>
      error ? written.reject(new NotDeliveredError(error.message)) : written.resolve(),
    );
    await written.promise;
  }

  function flush(): void {
    for (const line of open.values()) {
      if (line.reply === undefined) break;
      open.delete(line.id);
      lastWritten = write(line.reply).then(line.answered.resolve, line.answered.reject);
      room.resolve();
      room = Promise.withResolvers<void>();
    }
    if (isEnded && open.size === 0) void lastWritten.then(finished.resolve);
  }

  function openLine(): Line {
    const line: Line = { id: ids.next(), answered: Promise.withResolvers<void>() };
    line.answered.promise.catch(() => {}); // the one who delivers hears of it; a refusal of our own has nobody to tell
    open.set(line.id, line);
    return line;
  }

  async function take(accept: (inbound: ChannelInbound) => Promise<void>): Promise<void> {
    for await (const read of readLines(input)) {
      while (open.size >= OPEN_LINES && !closed.signal.aborted) await room.promise;
      if (closed.signal.aborted) return;
      const line = openLine();
      let refusal = "isTooLong" in read ? TOO_LONG : undefined;
      if ("text" in read) {
        await accept({ id: line.id, chat: CONSOLE_CHAT, person: options.person, text: read.text }).catch(
          () => {
            refusal = NOT_TAKEN;
          },
        );
      }
      if (refusal) {
        line.reply = renderTerminal(refusal, look);
        flush();
      }
    }
    isEnded = true;
    flush();
  }

  return {
    name: "console",
    finished: finished.promise,
    async start(accept) {
      reading = take(accept);
    },
    async deliver(delivery) {
      const text = renderDelivery(delivery, look);
      const line = open.get(delivery.requestId);
      if (!line) {
        // An answer from before a restart, or something that nobody asked for just now.
        const head = introduction(delivery, options.zone);
        return write(head === undefined ? text : `${head}\n${text}`);
      }
      line.reply ??= text;
      flush();
      return line.answered.promise;
    },
    progress() {},
    greet() {},
    async close() {
      stop();
      await reading;
      output.off("error", onOutputError);
    },
  };
}
