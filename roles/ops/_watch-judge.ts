import type { Alert } from "#sdk";
import type { Result, Watch } from "./_watch.ts";
import { cut, nameOf, targetOf, withoutPasswords } from "./_watch-words.ts";

const KEPT_RESULTS = 20;
/** So many that could not be checked in a row are told. */
const UNCHECKED = 10;
/** With fewer watches than this, nothing can be said of the checks themselves. */
const LEAST_FOR_PROBER = 4;
/** A result counts as one of now until so long after the next was due. */
const LONGEST_RUN_MS = 60_000;

/** What a result makes of a watch, and what the war room is to be told of it. */
export interface Judged {
  readonly watch: Watch;
  readonly alerts: readonly Alert[];
}

/**
 * Takes a result in. So many fails in a row are told once, and again only when what is wrong has changed; so many good ones
 * in a row are its end. What could not be checked says nothing of the target.
 */
export function judge(watch: Watch, result: Result, isProberSuspect: boolean): Judged {
  const { at, verdict, line } = result;
  const next: Watch = {
    ...watch,
    history: [...watch.history, verdict].slice(-KEPT_RESULTS),
    last: { at, verdict, line },
  };
  if (verdict === "inconclusive") return judgeUnchecked(next, result, isProberSuspect);
  const { watch: checked, alerts } = checkedAgain(next, line);
  const judged = verdict === "ok" ? judgeOk(checked, result) : judgeFail(checked, result);
  return { watch: judged.watch, alerts: [...alerts, ...judged.alerts] };
}

function judgeUnchecked(watch: Watch, { line, evidence }: Result, isProberSuspect: boolean): Judged {
  const inconclusiveInARow = watch.inconclusiveInARow + 1;
  const next = { ...watch, inconclusiveInARow };
  if (inconclusiveInARow < UNCHECKED || watch.isUncheckedTold || isProberSuspect) {
    return { watch: next, alerts: [] };
  }
  const summary = `could not be checked ${inconclusiveInARow} times in a row: ${line}`;
  const alert = uncheckedAlert(watch, { state: "firing", summary, evidence });
  return { watch: { ...next, isUncheckedTold: true }, alerts: [alert] };
}

function checkedAgain(watch: Watch, line: string): Judged {
  const next = { ...watch, inconclusiveInARow: 0, isUncheckedTold: false };
  if (!watch.isUncheckedTold) return { watch: next, alerts: [] };
  const summary = `can be checked again: ${line}`;
  return { watch: next, alerts: [uncheckedAlert(watch, { state: "resolved", summary })] };
}

function judgeOk(watch: Watch, { line, evidence }: Result): Judged {
  const oksInARow = watch.oksInARow + 1;
  const { failingSince: _, ...well } = { ...watch, failsInARow: 0, oksInARow };
  const { firing } = watch;
  if (!firing || oksInARow < watch.recoveries) return { watch: well, alerts: [] };
  const alert = targetAlert(watch, { state: "resolved", summary: line, evidence, since: firing.since });
  return { watch: withoutFiring(well), alerts: [alert] };
}

function judgeFail(watch: Watch, { at, line, evidence }: Result): Judged {
  const { firing } = watch;
  const failsInARow = watch.failsInARow + 1;
  const failingSince = watch.failingSince ?? at;
  const next: Watch = { ...watch, failsInARow, failingSince, oksInARow: 0 };
  const isNews = firing
    ? withoutMeasures(firing.summary) !== withoutMeasures(line)
    : failsInARow >= watch.fails;
  if (!isNews) return { watch: next, alerts: [] };
  const since = firing?.since ?? failingSince;
  return {
    watch: { ...next, firing: { since, summary: line } },
    alerts: [targetAlert(watch, { state: "firing", summary: line, evidence, since })],
  };
}

/** The watch as it goes on when nobody looks any more, and the end of what it has told. `why` is a line for people. */
export function standDown(watch: Watch, why: string): Judged {
  const { firing, isUncheckedTold } = watch;
  const { failingSince: _, ...rest } = withoutFiring(watch);
  return {
    watch: { ...rest, isUncheckedTold: false, failsInARow: 0, oksInARow: 0, inconclusiveInARow: 0 },
    alerts: [
      ...(firing ? [targetAlert(watch, { state: "resolved", summary: why, since: firing.since })] : []),
      ...(isUncheckedTold ? [uncheckedAlert(watch, { state: "resolved", summary: why })] : []),
    ],
  };
}

/** The watches that could not be checked when they were due last, where they are so many that the checks themselves are suspect. */
export function findSuspects(watches: readonly Watch[], now: number): readonly Watch[] {
  const active = watches.filter(({ isPaused }) => !isPaused);
  if (active.length < LEAST_FOR_PROBER) return [];
  const unchecked = active.filter(
    ({ last, everyMs }) => last?.verdict === "inconclusive" && now - last.at <= everyMs + LONGEST_RUN_MS,
  );
  return unchecked.length * 2 >= active.length ? unchecked : [];
}

/** One alert for all of them: it is more likely that nothing can be checked from here than that all of them broke. */
export function proberAlert(suspects: readonly Watch[], of: number): Alert {
  const isFiring = suspects.length > 0;
  return {
    kind: "prober",
    target: "watches",
    state: isFiring ? "firing" : "resolved",
    severity: "warn",
    summary: isFiring
      ? `prober suspect: ${suspects.length} of ${of} watches could not be checked`
      : "the watches can be checked again",
    evidence: suspects
      .slice(0, 20)
      .map((watch) => cut(`${nameOf(watch)}: ${withoutPasswords(watch.last?.line ?? "")}`, 500)),
    next: "/watches",
  };
}

type Saying = Pick<Alert, "state" | "summary"> & {
  readonly evidence?: readonly string[];
  readonly since?: number;
};

function targetAlert(watch: Watch, saying: Saying): Alert {
  return alertOf(watch, saying, { kind: `watch.${watch.check.command}`, severity: watch.severity });
}

function uncheckedAlert(watch: Watch, saying: Saying): Alert {
  return alertOf(watch, saying, { kind: "watch.inconclusive", severity: "warn" });
}

function alertOf(
  watch: Watch,
  { state, summary, evidence = [], since }: Saying,
  { kind, severity }: Pick<Alert, "kind" | "severity">,
): Alert {
  return {
    kind: cut(kind, 64),
    target: cut(targetOf(watch.check), 200),
    state,
    severity,
    summary: cut(withoutPasswords(summary) || "no words", 300),
    evidence: evidence.slice(0, 20).map((line) => cut(withoutPasswords(line), 500)),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    // Two watches of one page may want different things of it.
    labels: { watch: String(watch.id) },
    next: cut(withoutPasswords(watch.check.words), 300),
  };
}

function withoutFiring(watch: Watch): Watch {
  const { firing: _, ...rest } = watch;
  return rest;
}

/** What a line says besides its measurements, which are others each time. */
function withoutMeasures(line: string): string {
  return line
    .replaceAll(/(?<![\p{L}\d.])\d+(?:\.\d+)?\s?(?:ms|s|min|h|d|days?|%|B|[KMGTP]iB)(?![\p{L}\d])/gu, "#")
    .replaceAll(/(?<![\d.])\d+\.\d+(?![\d.])/gu, "#");
}
