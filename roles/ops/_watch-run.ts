import type { BaseContext, Capabilities, Failure, Store } from "#sdk";
import { findSuspects, judge, proberAlert, type Judged } from "./_watch-judge.ts";
import { isProberTold, keepWatch, listWatches, setProberTold, type Result, type Watch } from "./_watch.ts";

/** A run takes no longer than this, however long it is until the next. */
const LONGEST_MS = 50_000;
/** What is left of a run's time to keep what it found. */
const KEPT_BACK_MS = 500;

/** Asks for a check once: what it found, or why it can never be asked. */
export async function runCheck(
  { check, everyMs }: Pick<Watch, "check" | "everyMs">,
  { delegate, request }: Pick<BaseContext, "delegate" | "request">,
): Promise<Result | Failure> {
  const at = Date.now();
  // It must be over before the next one is due.
  const limitMs = Math.max(1, Math.min(LONGEST_MS, everyMs - 1000, request.deadline - at - KEPT_BACK_MS));
  const answer = await Promise.race([delegate(check.command, check.params), passed(limitMs)]);
  if (answer === undefined) return unclear(at, "no answer came in time");
  if ("failure" in answer) return isHopeless(answer) ? answer : unclear(at, answer.text);
  const [line = "", ...evidence] = answer.text.split("\n").filter((each) => each.trim() !== "");
  if (answer.verdict === undefined) {
    const text = `The answer to ${check.words} does not say whether all is well: “${line}”. Watch something that does, such as a web page or a port.`;
    return { failure: "E_BAD_PARAMS", text };
  }
  return { at, verdict: answer.verdict, line, evidence };
}

/** Of a watch that runs already, what can no longer be asked is what could not be checked. */
export function asResult(found: Result | Failure): Result {
  return "failure" in found ? unclear(Date.now(), found.text) : found;
}

function unclear(at: number, line: string): Result {
  return { at, verdict: "inconclusive", line, evidence: [] };
}

function isHopeless({ failure }: Failure): boolean {
  return failure === "E_UNKNOWN_COMMAND" || failure === "E_BAD_PARAMS";
}

async function passed(ms: number): Promise<undefined> {
  const signal = AbortSignal.timeout(ms);
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve, { once: true });
  });
}

type Telling = Pick<BaseContext, "alert"> & { readonly store: Store };

/** Keeps what a run found, and has the war room told what is news in it. Gives the watch as it stands now. */
export function takeResult(watch: Watch, result: Result, telling: Telling): Watch {
  const { store, alert } = telling;
  const seen = { ...watch, last: { at: result.at, verdict: result.verdict, line: result.line } };
  const others = listWatches(store).filter(({ id }) => id !== watch.id);
  const isSuspect = findSuspects([...others, seen], result.at).length > 0;
  const judged = judge(watch, result, isSuspect);
  apply(judged, { store, alert });
  tellOfProber(result.at, telling);
  return judged.watch;
}

/** Keeps the watch as it is now, and tells. */
export function apply({ watch, alerts }: Judged, { store, alert }: Telling): void {
  keepWatch(store, watch);
  for (const each of alerts) alert(each);
}

/** Tells once when so many cannot be checked that the checks are suspect, and once when that is over. */
export function tellOfProber(now: number, { store, alert }: Telling): void {
  const watches = listWatches(store);
  const suspects = findSuspects(watches, now);
  const isSuspect = suspects.length > 0;
  if (isSuspect === isProberTold(store)) return;
  setProberTold(store, isSuspect);
  alert(proberAlert(suspects, watches.filter(({ isPaused }) => !isPaused).length));
}

/** By which key a watch is put down for later. */
export function keyOf({ id }: Pick<Watch, "id">): string {
  return `watch ${id}`;
}

/** Puts a watch down; when it is due next, Unix ms. */
export function plan(
  { id, everyMs }: Pick<Watch, "id" | "everyMs">,
  zone: string,
  schedule: Pick<Capabilities["schedule"], "every">,
): number | Failure {
  const planned = schedule.every(keyOf({ id }), {
    everyMs,
    zone,
    jitterMs: Math.min(everyMs / 10, 10_000),
    event: "check",
    payload: { id },
  });
  return "failure" in planned ? planned : Date.parse(planned.nextAt);
}
