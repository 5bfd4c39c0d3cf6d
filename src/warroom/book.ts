import {
  type Changed,
  fire,
  type Incident,
  isSame,
  open,
  RANK,
  resolve,
  stateOf,
  type Transition,
} from "./incident.ts";
import { type Messages, REPEAT_MS } from "./messages.ts";
import { type Severity, type Signal, stormFingerprint } from "./signal.ts";
import type { IncidentStore } from "./store.ts";

/** Brings alerts and what else happens into incidents, and says what is to be shown of it. All within a transaction. */
export interface IncidentBook {
  take(signal: Signal, now: number): void;
  /** Stores what happened to an incident, and whatever follows from it. */
  keep(before: Incident, changed: Changed, now: number): void;
  /** Brings storms up to what has become of their members; the last thing in a transaction. */
  settle(now: number): void;
}

/** So long a first message waits for others of the same cause, and for a trouble that is over at once. */
const WAIT_MS: Readonly<Record<Severity, number>> = { crit: 10_000, warn: 30_000, info: 30_000 };
/** More than this many of one cause within a while are told as one. */
const STORM = { more: 5, withinMs: 30_000 } as const;
const MOST_LISTED = 2000;

export function createIncidentBook(store: IncidentStore, messages: Messages): IncidentBook {
  /** Storms are brought up to date once a transaction, however many of their members change in it. */
  const stale = new Set<number>();

  const create = (signal: Signal, now: number): void => {
    const changed = open(store.nextNumber(), signal, now);
    store.insert(changed, now);
    const { n } = changed.incident;
    messages.create(n, { until: now + WAIT_MS[signal.severity], waitMs: WAIT_MS[signal.severity] });
    if (signal.severity !== "info") gather(changed.incident, now);
  };

  /** Puts a new incident to the storm of its cause, where there is one or now begins one. */
  const gather = (incident: Incident, now: number): void => {
    const { cause } = incident;
    const standing = store.newest(stormFingerprint(cause));
    if (standing && standing.resolvedAt === null) {
      join(incident, standing.n, now);
      stale.add(standing.n);
      return;
    }
    if (store.countOf(cause, now - STORM.withinMs) <= STORM.more) return;
    const members = store
      .unshownOf(cause, now - STORM.withinMs)
      .filter(({ severity }) => severity !== "info");
    if (members.length < 2) return;
    const storm = open(store.nextNumber(), stormSignal(incident, members, now), now);
    store.insert(storm, now);
    // Its members have waited already.
    messages.create(storm.incident.n, { until: now, waitMs: 0 });
    for (const member of members) join(member, storm.incident.n, now);
  };

  const join = (member: Incident, storm: number, now: number): void => {
    const gathered: Transition = { at: now, what: "gathered", by: null, note: `A-${storm}` };
    store.save({ incident: { ...member, storm }, transitions: [gathered] });
  };

  /** Brings a storm up to what its members are. */
  const refresh = (n: number, now: number): void => {
    const before = store.find(n);
    const members = store.membersOf(n);
    const [first] = members;
    if (!before || !first) return;
    const signal = stormSignal(first, members, now);
    if (signal.state === "firing") keep(before, fire(before, signal, now), now);
    else if (before.resolvedAt === null) {
      const said = { ...before, summary: signal.summary, evidence: [] };
      keep(before, resolve(said, now, { now, note: "every one of them is over" }), now);
    }
  };

  const keep: IncidentBook["keep"] = (before, changed, now) => {
    store.save(changed);
    const { incident } = changed;
    const isQuiet =
      before.isFlapping &&
      incident.isFlapping &&
      before.ack === incident.ack &&
      before.silence === incident.silence;
    // While it flaps its message stays as it is.
    if (!isQuiet) messages.touch(incident.n);
    if (incident.storm !== null) {
      stale.add(incident.storm);
      return;
    }
    const isAgain = before.resolvedAt !== null && incident.resolvedAt === null;
    const isWorse = incident.severity === "crit" && before.severity !== "crit";
    if (incident.isFlapping || stateOf(incident) !== "firing" || !(isAgain || isWorse)) return;
    messages.setRepeat(incident.n, now + REPEAT_MS[incident.severity]);
    // An edit makes no sound; where there is no message yet, the message itself will say it.
    if (messages.find(incident.n)?.place) messages.addNote(incident.n, isAgain ? "again" : "worse");
  };

  return {
    keep,
    settle(now) {
      for (const storm of stale) refresh(storm, now);
      stale.clear();
    },
    take(signal, now) {
      const known = store.newest(signal.fingerprint);
      const at = Math.min(signal.at, now);
      if (signal.state === "firing") {
        if (known && isSame(known, at)) keep(known, fire(known, signal, now), now);
        else create(signal, now);
      } else if (known && known.resolvedAt === null) {
        keep(known, resolve(known, at, { now, note: signal.summary }), now);
      }
    },
  };
}

function stormSignal(of: Incident, members: readonly Incident[], now: number): Signal {
  const firing = members.filter(({ resolvedAt }) => resolvedAt === null);
  const group = of.labels["group"];
  const kinds = [...new Set(members.map(({ kind }) => kind))];
  const worst = [...(firing.length > 0 ? firing : members)].sort(
    (a, b) => RANK[a.severity] - RANK[b.severity],
  )[0];
  return {
    fingerprint: stormFingerprint(of.cause),
    cause: `storm of ${of.cause}`,
    kind: "storm",
    agent: few([...new Set(members.map(({ agent }) => agent))]),
    target: group === undefined ? of.agent : `group ${group}`,
    labels: {},
    state: firing.length > 0 ? "firing" : "resolved",
    severity: worst?.severity ?? "warn",
    summary: `${firing.length} of ${members.length} firing at once (${few(kinds)})`,
    evidence: firing.slice(0, MOST_LISTED).map(({ n, summary }) => `A-${n} ${summary}`),
    next: `/incident A-${of.n} tells about the first`,
    vantage: null,
    since: Math.min(...members.map(({ since }) => since)),
    at: now,
    count: 0,
    hasNoEnd: false,
  };
}

function few(names: readonly string[]): string {
  return `${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`;
}
