import { type Incident, CALM_MS, resolve, SEEN_ENOUGH_MS, stateOf, type Transition } from "./incident.ts";
import type { IncidentBook } from "./book.ts";
import { type Messages, REPEAT_MS } from "./messages.ts";
import type { IncidentStore } from "./store.ts";

export interface UpkeepParts {
  readonly store: IncidentStore;
  readonly messages: Messages;
  readonly book: IncidentBook;
}

/** What time alone does to incidents: silences end, flapping calms, reminders come due. Within a transaction. */
export function lookAfter({ store, messages, book }: UpkeepParts, now: number): void {
  const change = (before: Incident, next: Partial<Incident>, what: Transition["what"]): Incident => {
    const incident = { ...before, ...next, changedAt: now };
    book.keep(before, { incident, transitions: [{ at: now, what, by: null, note: "" }] }, now);
    return incident;
  };
  const say = (incident: Incident, note: "silence over" | "steady"): void => {
    if (incident.storm !== null || incident.isFlapping) return;
    messages.setRepeat(incident.n, now + REPEAT_MS[incident.severity]);
    if (messages.find(incident.n)?.place) messages.addNote(incident.n, note);
  };

  for (const live of store.live()) {
    let incident = live;
    if (incident.resolvedAt === null && incident.silence !== null && incident.silence.until <= now) {
      incident = change(incident, { silence: null }, "silence over");
      say(incident, "silence over");
    }
    if (incident.isFlapping && now - incident.turnedAt >= CALM_MS) {
      const recent = incident.recent.slice(-1);
      incident = change(incident, { isFlapping: false, recent }, "steady");
      if (stateOf(incident) === "firing") say(incident, "steady");
    }
    if (incident.hasNoEnd && stateOf(incident) === "acked" && now - incident.seenAt >= SEEN_ENOUGH_MS) {
      book.keep(incident, resolve(incident, now, { now, note: "it did not come again" }), now);
    }
  }
  book.settle(now);
  for (const n of messages.repeatsDue(now)) {
    const incident = store.find(n);
    const isWaited = incident && stateOf(incident) === "firing" && incident.storm === null;
    messages.setRepeat(n, isWaited ? now + REPEAT_MS[incident.severity] : null);
    if (isWaited && !incident.isFlapping && messages.find(n)?.place) messages.addNote(n, "repeat");
  }
}
