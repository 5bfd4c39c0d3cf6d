import { fit, oneLine } from "../render-terminal.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Work that a person is waiting for. */
export interface OpenWork {
  readonly since: number;
  progress?: { readonly text: string; readonly fraction?: number };
}

/** One line about the work at hand: a spinner, the time since the oldest question, the newest progress. */
export function statusLine(work: readonly OpenWork[], nowMs: number, columns: number): string {
  const oldest = Math.min(...work.map(({ since }) => since));
  const elapsedMs = Math.max(0, nowMs - oldest);
  const newest = work.findLast(({ progress }) => progress !== undefined)?.progress;
  const percent = newest?.fraction === undefined ? "" : ` ${Math.round(newest.fraction * 100)} %`;
  const parts = [
    `${FRAMES[Math.floor(elapsedMs / 100) % FRAMES.length]} ${elapsedTime(elapsedMs)}`,
    work.length > 1 ? `${work.length} questions` : "",
    newest ? `${oneLine(newest.text)}${percent}` : "",
  ];
  return fit(parts.filter(Boolean).join("  "), columns - 1);
}

function elapsedTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min`;
}
