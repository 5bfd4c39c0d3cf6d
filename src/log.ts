import { stripVTControlCharacters, styleText } from "node:util";
import { destination, type Level, type Logger, pino } from "pino";
import { z } from "zod";
import type { LogLevel } from "./config.ts";
import type { Log } from "./sdk/context.ts";

/** Where lines go. A terminal says so by `isTTY`. */
export interface LogTarget {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

/** The process's log; `child` adds facts to every line. */
export interface ProcessLog extends Log {
  child(facts: Readonly<Record<string, unknown>>): ProcessLog;
}

/**
 * A log on stderr, never stdout: replies alone stand there. One readable line an entry in a terminal, JSON lines elsewhere.
 * `stream` replaces stderr.
 */
export function createLog({ level, stream }: { level: LogLevel; stream?: LogTarget }): ProcessLog {
  const target: LogTarget = stream ?? process.stderr;
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (target.isTTY) return wrap(pino(options, { write: (line) => void target.write(formatLine(line)) }));
  // Written at once, so that the last lines before a crash are not lost.
  return wrap(
    pino(
      options,
      stream ? { write: (line) => void stream.write(line) } : destination({ dest: 2, sync: true }),
    ),
  );
}

function wrap(logger: Logger): ProcessLog {
  return {
    debug: (message, facts) => logger.debug(facts ?? {}, message),
    info: (message, facts) => logger.info(facts ?? {}, message),
    warn: (message, facts) => logger.warn(facts ?? {}, message),
    error: (message, facts) => logger.error(facts ?? {}, message),
    child: (facts) => wrap(logger.child(facts)),
  };
}

const Entry = z.looseObject({
  level: z.number(),
  time: z.string(),
  msg: z.string().default(""),
});

const LEVEL_NAMES: Readonly<Record<number, Level>> = pino.levels.labels as Readonly<Record<number, Level>>;
const LEVEL_STYLES = {
  trace: "dim",
  debug: "dim",
  info: "cyan",
  warn: "yellow",
  error: "red",
  fatal: "red",
} as const satisfies Record<Level, string>;

/** One line for people: time of day in the process's zone, level, message, facts. Nothing in it can steer the terminal. */
function formatLine(json: string): string {
  const { level, time, msg, ...facts } = Entry.parse(JSON.parse(json));
  const name = LEVEL_NAMES[level] ?? "info";
  const clock = new Date(time).toLocaleTimeString("en-GB");
  const rest = Object.entries(facts).map(([key, value]) => {
    const text = typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
    return styled("dim", oneLine(`${key}=${text}`));
  });
  const head = [styled("dim", clock), styled(LEVEL_STYLES[name], name), oneLine(msg)];
  return `${[...head, ...rest].join(" ")}\n`;
}

function styled(style: (typeof LEVEL_STYLES)[Level], text: string): string {
  return styleText(style, text, { stream: process.stderr });
}

function oneLine(text: string): string {
  return stripVTControlCharacters(text).replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g,
    " ",
  );
}
