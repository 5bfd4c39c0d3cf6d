import { idFromPartsAt } from "../../envelope/index.ts";
import type { AgentAtWork, MountScope } from "../../sdk/capability.ts";
import { DUE, dropEntry, type Entry, keepEntry, listEntries, readDueKey, readEntry } from "./entries.ts";
import { countBetween, nextAfter } from "./rhythm.ts";

/** What a tick works with. */
export interface TickParts extends Pick<MountScope, "own" | "agent"> {
  readonly now: number;
  readonly raise: AgentAtWork["raise"];
}

/** One tick raises so many, so that it never holds the agent up for long; the rest is due at the next. */
const MOST_AT_ONCE = 100;

/**
 * Raises what is due, each due time once: the event and the next due time become durable together, and the event's id is
 * made of what is due and when, so that the same one is not taken twice.
 */
export function tick(parts: TickParts): void {
  const { own, now } = parts;
  for (let n = 0; n < MOST_AT_ONCE; n++) {
    const [text = ""] = own.first(DUE) ?? [];
    const due = readDueKey(text);
    if (!due || due.at > now) return;
    const entry = readEntry(own, due.role, due.key);
    // A call that began before the last tick may have put back what that one moved on.
    if (!entry || entry.isPaused || entry.nextAt !== due.at) own.delete(text);
    else raise(entry, parts);
  }
}

function raise(entry: Entry, { own, now, agent, raise: hand }: TickParts): void {
  const { role, key, event, payload, nextAt, cause, rhythm, since } = entry;
  const beat = rhythm && { rhythm, since };
  const missed = beat ? countBetween(beat, nextAt, now) : 0;
  hand({
    id: idFromPartsAt(nextAt, agent.id, role, key, cause.id),
    role,
    event,
    payload: { ...payload, key, dueAt: new Date(nextAt).toISOString(), lateMs: now - nextAt, missed },
    cause,
  });
  const next = beat && nextAfter(beat, now);
  if (next === undefined) dropEntry(own, entry);
  else keepEntry(own, { ...entry, nextAt: next });
}

/** Where the wall clock was set back, what comes at a steady distance does not wait until it is where it was. */
export function catchUp({ own, now }: Pick<TickParts, "own" | "now">): void {
  for (const entry of listEntries(own)) {
    const everyMs = entry.rhythm && "everyMs" in entry.rhythm ? entry.rhythm.everyMs : undefined;
    if (everyMs === undefined || entry.nextAt - now <= everyMs) continue;
    keepEntry(own, { ...entry, since: now, nextAt: now + everyMs });
  }
}
