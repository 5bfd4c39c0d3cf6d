import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** How many lines are remembered. */
export const HISTORY_LINES = 500;

/** The lines typed at earlier starts. */
export interface History {
  /** Newest first, as readline wants them. */
  readonly lines: readonly string[];
  add(line: string): void;
}

/**
 * The history kept in `file`, which its owner alone may read; without a file it lasts as long as the process.
 * A history that cannot be read or written is no reason not to talk: `onFault` hears of it once.
 */
export function openHistory(file: string | undefined, onFault: (text: string) => void): History {
  if (file === undefined) return { lines: [], add() {} };
  let isUsable = true;
  const attempt = (what: () => void): void => {
    if (!isUsable) return;
    try {
      what();
    } catch (error) {
      isUsable = false;
      onFault(
        `The lines you type are not remembered: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  let lines: string[] = [];
  attempt(() => {
    mkdirSync(dirname(file), { recursive: true });
    const all = readIfThere(file).split("\n").filter(Boolean);
    lines = all.slice(-HISTORY_LINES);
    if (all.length > 2 * HISTORY_LINES) writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
  });
  let last = lines.at(-1);
  return {
    lines: lines.toReversed(),
    add(line) {
      if (line.trim() === "" || line === last) return;
      last = line;
      attempt(() => appendFileSync(file, `${line}\n`, { mode: 0o600 }));
    },
  };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
