import { type Channel, type ChannelInbound, NotDeliveredError } from "../ports.ts";
import { fit, oneLine, renderDelivery, renderTerminal } from "../render-terminal.ts";
import { introduction } from "./earlier.ts";
import { HISTORY_LINES, openHistory } from "./history.ts";
import { LINE_LIMIT_BYTES } from "./lines.ts";
import { CONSOLE_CHAT, type ConsoleOptions, NOT_TAKEN, TOO_LONG, TYPED_TOO_LONG } from "./options.ts";
import { openPrompt, type Prompt } from "./prompt.ts";
import { type OpenWork, statusLine } from "./status.ts";

/** How long an answer may take before the status line says that there is work. */
const PATIENCE_MS = 200;
const FRAME_MS = 100;
/** Beyond this, lines are hard to read. */
const WIDEST = 110;

interface Question extends OpenWork {
  readonly text: string;
}

/** The console at which somebody sits. Returns with the channel a stream for the log, whose lines go above the prompt. */
export function createInteractiveConsole(options: ConsoleOptions): Channel & { aside(text: string): void } {
  const { output, isColour, monotonicMs } = options;
  const finished = Promise.withResolvers<void>();
  const open = new Map<string, Question>();
  let newest: string | undefined;
  let prompt: Prompt | undefined;
  let ticking: NodeJS.Timeout | undefined;
  let isClosed = false;

  const columns = (): number => output.columns || 80;
  const look = (): { isColour: boolean; width: number } => ({
    isColour,
    width: Math.min(columns(), WIDEST),
  });

  function print(text: string): void {
    if (prompt) prompt.above(`${text}\n`);
    else output.write(`${text}\n`);
  }

  function tick(): void {
    const work = [...open.values()].filter(({ since }) => monotonicMs() - since >= PATIENCE_MS);
    prompt?.status(work.length === 0 ? "" : statusLine(work, monotonicMs(), columns()));
    if (open.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
    }
  }

  function settle(id: string): Question | undefined {
    const question = open.get(id);
    open.delete(id);
    if (open.size === 0) tick();
    return question;
  }

  function take(text: string, accept: (inbound: ChannelInbound) => Promise<void>): void {
    if (text.trim() === "") return;
    if (Buffer.byteLength(text) > LINE_LIMIT_BYTES) {
      print(renderTerminal(TOO_LONG, look()));
      return;
    }
    const id = options.ids.next();
    open.set(id, { text, since: monotonicMs() });
    newest = id;
    ticking ??= setInterval(tick, FRAME_MS);
    accept({ id, chat: CONSOLE_CHAT, person: options.person, text }).catch(() => {
      settle(id);
      print(renderTerminal(NOT_TAKEN, look()));
    });
  }

  return {
    name: "console",
    finished: finished.promise,

    async start(accept) {
      const history = openHistory(options.historyFile, (text) => print(renderTerminal({ text }, look())));
      prompt = openPrompt({
        input: options.input,
        output,
        isColour,
        history: history.lines,
        historyLines: HISTORY_LINES,
        completions: options.completions,
        onLine(line) {
          history.add(line);
          take(line, accept);
        },
        onTooLong: () => print(renderTerminal(TYPED_TOO_LONG, look())),
        onLeaveAsked: () => print(leaveHint(open.size > 0)),
        onLeft() {
          isClosed = true;
          clearInterval(ticking);
          finished.resolve();
        },
      });
    },

    async deliver(delivery) {
      if (isClosed) throw new NotDeliveredError("the console is closed");
      const question = settle(delivery.requestId);
      const isExpected = question !== undefined && delivery.requestId === newest;
      const head = question
        ? `You asked: ${fit(oneLine(question.text), 200)}`
        : introduction(delivery, options.zone);
      const text = renderDelivery(delivery, look());
      print(isExpected || head === undefined ? text : `${renderTerminal({ text: head }, look())}\n${text}`);
    },

    progress(requestId, text, fraction) {
      const question = open.get(requestId);
      if (question) question.progress = { text, ...(fraction === undefined ? {} : { fraction }) };
    },

    greet(reply) {
      print(renderTerminal(reply, look()));
    },

    aside(text) {
      if (prompt) prompt.above(text, options.errorOutput);
      else options.errorOutput.write(text);
    },

    async close() {
      isClosed = true;
      clearInterval(ticking);
      prompt?.close();
      finished.resolve();
    },
  };
}

function leaveHint(isWorking: boolean): string {
  const stop = isWorking ? " /cancel stops what is running." : "";
  return `Press Ctrl-C again, or Ctrl-D, to leave.${stop}`;
}
