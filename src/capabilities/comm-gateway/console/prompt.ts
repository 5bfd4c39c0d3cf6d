import { createInterface, cursorTo, clearScreenDown, emitKeypressEvents, moveCursor } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { styleText } from "node:util";
import { limitTypedLines } from "./typed-lines.ts";

const PROMPT = "> ";

/** What happens at the prompt. */
interface PromptEvents {
  onLine(line: string): void;
  /** A line was longer than anybody types; it was taken back. */
  onTooLong(): void;
  /** Ctrl-C on an empty line, for the first time in a row. */
  onLeaveAsked(): void;
  /** Ctrl-D, Ctrl-C twice, or the terminal is gone. */
  onLeft(): void;
}

export interface PromptOptions extends PromptEvents {
  readonly input: Readable;
  readonly output: Writable;
  readonly isColour: boolean;
  /** Newest first. */
  readonly history: readonly string[];
  readonly historyLines: number;
  readonly completions: () => readonly string[];
}

/** A line editor at the bottom of the terminal; what is said while somebody types goes above it. */
export interface Prompt {
  /** Writes whole lines above the prompt; what is being typed stays. */
  above(text: string, to?: Writable): void;
  /** A line over the prompt that is no part of the conversation; empty takes it away. */
  status(text: string): void;
  /** Takes prompt and status away and gives the terminal back. */
  close(): void;
}

/** Opens a prompt by Node's readline. */
export function openPrompt(options: PromptOptions): Prompt {
  const { input, output, isColour } = options;
  const prompt = isColour ? styleText(["bold", "cyan"], PROMPT, { validateStream: false }) : PROMPT;
  let isClosed = false;
  let isLeaveAsked = false;
  let statusShown = "";

  // Heard before the editor hears it: the status must be gone from above a line that is sent, or it would stay there for good.
  const onKeypress = (_: string | undefined, key: { name?: string; ctrl?: boolean } | undefined): void => {
    const isSent = key?.name === "return" || key?.name === "enter";
    const isLeft = key?.ctrl === true && key.name === "d" && editor.line === "";
    if (isSent || isLeft) show("");
    if (!(key?.ctrl && key.name === "c")) isLeaveAsked = false;
  };
  const typed = limitTypedLines(input, options.onTooLong);
  emitKeypressEvents(typed);
  typed.on("keypress", onKeypress);
  const onGone = (): void => editor.close();

  const editor = createInterface({
    input: typed,
    output,
    terminal: true,
    prompt,
    history: [...options.history],
    historySize: options.historyLines,
    removeHistoryDuplicates: true,
    completer: (line: string): [string[], string] => [
      line.startsWith("/") ? options.completions().filter((command) => command.startsWith(line)) : [],
      line,
    ],
  });

  /** Where the cursor stands below the prompt's first row; the editor counts the same. */
  function erase(): number {
    const { rows } = editor.getCursorPos();
    moveCursor(output, 0, -rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    return rows;
  }

  function show(status: string): void {
    if (status === "" && statusShown === "") return;
    statusShown = status;
    editor.setPrompt(status === "" ? prompt : `${dim(status)}\n${prompt}`);
    editor.prompt(true);
  }

  function dim(text: string): string {
    return isColour ? styleText("dim", text, { validateStream: false }) : text;
  }

  function forgetLine(): void {
    editor.write(null, { ctrl: true, name: "e" });
    editor.write(null, { ctrl: true, name: "u" });
  }

  editor.on("line", (line) => {
    options.onLine(line);
    if (!isClosed) editor.prompt();
  });
  editor.on("SIGINT", () => {
    if (editor.line !== "") {
      forgetLine();
    } else if (isLeaveAsked) {
      show("");
      editor.close();
    } else {
      isLeaveAsked = true;
      options.onLeaveAsked();
    }
  });
  // The terminal has gone away.
  input.on("error", onGone);
  output.on("error", onGone);
  editor.on("close", () => {
    typed.off("keypress", onKeypress);
    input.off("error", onGone).unpipe().pause();
    output.off("error", onGone);
    if (!isClosed) output.write("\n");
    isClosed = true;
    options.onLeft();
  });
  editor.prompt();

  return {
    above(text, to = output) {
      if (isClosed) {
        to.write(text);
        return;
      }
      const rows = erase();
      to.write(text);
      // The editor goes up as many rows as its cursor stood below the prompt's first one.
      output.write("\n".repeat(rows));
      editor.prompt(true);
    },
    status(text) {
      if (!isClosed) show(text);
    },
    close() {
      if (isClosed) return;
      editor.setPrompt(prompt);
      erase();
      isClosed = true;
      editor.close();
    },
  };
}
