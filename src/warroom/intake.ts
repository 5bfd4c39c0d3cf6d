import type { Clock } from "../envelope/index.ts";
import type { Log } from "../sdk/context.ts";
import type { Database } from "../storage/index.ts";
import type { IncidentBook } from "./book.ts";
import type { AlertReader, StreamedAlert } from "./ports.ts";
import { ownSignal, parseSignal } from "./signal.ts";
import type { IncidentStore } from "./store.ts";
import { oneLine } from "./words.ts";

export interface IntakeParts {
  readonly db: Database;
  readonly store: IncidentStore;
  readonly book: IncidentBook;
  readonly reader: AlertReader;
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes alerts out of the agents' streams. */
export interface Intake {
  /** Takes all that is there. Rejects when the streams cannot be read; nothing is lost by that. */
  takeAll(): Promise<void>;
}

const BATCH = 200;
/**
 * So long a hole in the numbers may still be filled: when the streams were lost, an agent may have added newer alerts
 * before it adds all of them again.
 */
const PATIENCE_MS = 30_000;
/** Said again at times, since the streams may forget it: an agent that starts anew goes on from there. */
const CONFIRM_AGAIN_MS = 30_000;
/** No agent can be so far ahead; who claims to be would make its own later alerts old. */
const FURTHEST_AHEAD = 1_000_000;
const MOST_REFUSED_KEPT = 200;

export function createIntake({ db, store, book, reader, clock, log }: IntakeParts): Intake {
  const taken = db.prepare("SELECT taken FROM stream WHERE agent = ?");
  const streams = db.prepare("SELECT agent FROM stream ORDER BY agent");
  const note = db.prepare(
    "INSERT INTO stream (agent, taken) VALUES (?, ?) ON CONFLICT DO UPDATE SET taken = excluded.taken",
  );
  const countRefused = db.prepare("UPDATE stream SET refused = refused + 1 WHERE agent = ?");
  const keepRefused = db.prepare("INSERT INTO refused (agent, seq, at, why, body) VALUES (?, ?, ?, ?, ?)");
  const trimRefused = db.prepare("DELETE FROM refused WHERE n <= (SELECT max(n) FROM refused) - ?");
  const holes = new Map<string, { readonly seq: number; readonly since: number }>();
  const confirmedAt = new Map<string, number>();

  const takenOf = (agent: string): number => Number(taken.get(agent)?.["taken"] ?? 0);

  const refuse = (agent: string, { seq, text }: StreamedAlert, why: string): void => {
    const now = clock.now();
    countRefused.run(agent);
    keepRefused.run(agent, seq, now, why, text.slice(0, 4000));
    trimRefused.run(MOST_REFUSED_KEPT);
    log.warn("an alert could not be read", { agent, seq, why });
    const summary = `an alert of ${agent} could not be read (${oneLine(why, 100)})`;
    const next = `look at what ${agent} is doing; nobody else can write its alerts`;
    book.take(ownSignal("alerts.unreadable", agent, { summary, next, at: now }), now);
  };

  const apply = (agent: string, alert: StreamedAlert): void => {
    try {
      const signal = parseSignal(agent, alert.text);
      if (typeof signal === "string") refuse(agent, alert, signal);
      else store.attempt(() => book.take(signal, clock.now()));
    } catch (error) {
      // A defect here must not keep the alerts behind this one; a file that cannot be written throws again at once.
      refuse(agent, alert, `defect: ${String(error)}`);
    }
  };

  /** Whether the hole before this number is to be waited for. */
  const waitsForHole = (agent: string, next: number): boolean => {
    const hole = holes.get(agent);
    if (hole?.seq === next) return clock.monotonic() - hole.since < PATIENCE_MS;
    holes.set(agent, { seq: next, since: clock.monotonic() });
    return true;
  };

  /** Applies alerts in the order of their numbers; says up to which number they are taken. */
  const takeBatch = (agent: string, alerts: readonly StreamedAlert[]): number =>
    store.transaction(() => {
      const before = takenOf(agent);
      let last = before;
      const inOrder = alerts
        .filter(({ seq }) => Number.isSafeInteger(seq) && seq > before && seq < before + FURTHEST_AHEAD)
        .sort((a, b) => a.seq - b.seq);
      for (const alert of inOrder) {
        if (alert.seq <= last) continue;
        if (alert.seq > last + 1) {
          if (waitsForHole(agent, last + 1)) break;
          tellLost(agent, last + 1, alert.seq - 1);
        }
        holes.delete(agent);
        note.run(agent, alert.seq);
        apply(agent, alert);
        last = alert.seq;
      }
      book.settle(clock.now());
      return last;
    });

  const tellLost = (agent: string, first: number, last: number): void => {
    const now = clock.now();
    const which =
      first === last ? `alert ${first} of ${agent} was` : `alerts ${first} to ${last} of ${agent} were`;
    const summary = `${which} lost before anybody read ${first === last ? "it" : "them"}`;
    log.warn(summary, { agent, first, last });
    const next = `ask ${agent} how its things are`;
    book.take(ownSignal("alerts.lost", agent, { summary, next, at: now }), now);
  };

  const confirm = async (agent: string, seq: number): Promise<void> => {
    await reader.confirm(agent, seq);
    confirmedAt.set(agent, clock.monotonic());
  };

  const takeFrom = async (agent: string): Promise<void> => {
    const before = takenOf(agent);
    let last = before;
    for (;;) {
      const alerts = await reader.read(agent, last, BATCH);
      const next = takeBatch(agent, alerts);
      const isStuck = next === last;
      last = next;
      if (isStuck || alerts.length < BATCH) break;
    }
    const told = confirmedAt.get(agent);
    const isOld = told === undefined || clock.monotonic() - told >= CONFIRM_AGAIN_MS;
    if (last > before || (last > 0 && isOld)) await confirm(agent, last);
  };

  return {
    async takeAll() {
      const known = streams.all().map((row) => String(row["agent"]));
      for (const agent of new Set([...(await reader.agents()), ...known])) await takeFrom(agent);
    },
  };
}
