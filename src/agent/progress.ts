import type { VoxMessage } from "../envelope/index.ts";
import type { Clock } from "../envelope/index.ts";
import type { Letter } from "../ledger/index.ts";
import type { Addressee, Letters } from "./letters.ts";
import { PEOPLE } from "./run.ts";
import type { Run } from "./run.ts";

/** How far a task is, as its handler or a child says. */
export interface Step {
  readonly text: unknown;
  /** From 0 to 1. */
  readonly fraction?: unknown;
}

export interface ProgressParts {
  readonly clock: Clock;
  readonly letters: Letters;
  /** Where the steps of a task go: the master who asked, if it was one. */
  readonly masterOf: (peer: string) => Addressee | undefined;
  readonly post: (to: string, letter: Letter) => void;
  readonly show: (request: VoxMessage, text: string, fraction: number | undefined) => void;
}

const EVERY_MS = 250;
const MOST_CHARACTERS = 300;
// What steers a terminal or turns the direction of what follows has no place on a line of progress.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

/**
 * Tells who asked how far a task is, at most four times a second: one short plain line, whoever wrote it.
 * It leaves no trace in a ledger, and what does not fit is left out.
 */
export function createProgress(parts: ProgressParts): (run: Run, step: Step) => void {
  const { clock, letters, masterOf, post, show } = parts;
  const toldAt = new WeakMap<Run, number>();
  return (run, step) => {
    if (run.isOver || typeof step.text !== "string") return;
    const now = clock.monotonic();
    if (now - (toldAt.get(run) ?? -EVERY_MS) < EVERY_MS) return;
    toldAt.set(run, now);
    const text = step.text.slice(0, MOST_CHARACTERS).replaceAll(UNPRINTABLE, " ").trim();
    const fraction = toFraction(step.fraction);
    if (run.peer === PEOPLE) show(run.message, text, fraction);
    const to = masterOf(run.peer);
    const told = fraction === undefined ? { text } : { text, fraction };
    if (to) post(run.peer, letters.progress(to, run.message, told));
  };
}

function toFraction(value: unknown): number | undefined {
  if (typeof value !== "number" || Number.isNaN(value)) return undefined;
  return Math.min(Math.max(value, 0), 1);
}
