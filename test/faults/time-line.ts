import type { Done } from "./faults.ts";
import type { Question } from "./world.ts";

const BUCKET_MS = 10_000;

/** What happened in each ten seconds since `from`: faults, requests, replies, and how long answers took. */
export function timeLine(
  from: number,
  { questions, done }: { readonly questions: readonly Question[]; readonly done: readonly Done[] },
): readonly string[] {
  const replies = questions.flatMap(({ askedAt, replies }) =>
    replies.map(({ at, code }) => ({ at, code, tookMs: at - askedAt })),
  );
  const last = Math.max(...replies.map(({ at }) => at), ...done.map(({ at }) => at));
  const lines = ["   s  asked  replies  failures    p50 ms    p99 ms  faults"];
  for (let at = from; at <= last; at += BUCKET_MS) {
    const isIn = (moment: number): boolean => moment >= at && moment < at + BUCKET_MS;
    const mine = replies.filter((reply) => isIn(reply.at));
    const took = mine
      .filter(({ code }) => code === undefined)
      .map(({ tookMs }) => tookMs)
      .sort((a, b) => a - b);
    const columns: readonly (readonly [text: string | number, width: number])[] = [
      [Math.round((at - from) / 1000), 4],
      [questions.filter(({ askedAt }) => isIn(askedAt)).length, 5],
      [mine.length, 7],
      [mine.filter(({ code }) => code !== undefined).length, 8],
      [percentile(took, 0.5), 8],
      [percentile(took, 0.99), 8],
    ];
    const faults = done.filter((one) => isIn(one.at)).map(({ fault, detail }) => `${fault} ${detail}`.trim());
    lines.push(
      `${columns.map(([text, width]) => String(text).padStart(width)).join("  ")}  ${faults.join(", ")}`,
    );
  }
  return lines;
}

/** Of sorted numbers, rounded; `-` where there are none. */
export function percentile(sorted: readonly number[], part: number): number | "-" {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return value === undefined ? "-" : Math.round(value);
}
