import { failure, type FailureValue } from "../envelope/index.ts";
import type { Markup } from "../sdk/markup.ts";
import type { IncidentBook } from "./book.ts";
import type { Buttons } from "./buttons.ts";
import { type Incident, nameOf, numberOf, stateOf, type Transition } from "./incident.ts";
import { type Messages, REPEAT_MS } from "./messages.ts";
import type { IncidentStore } from "./store.ts";
import { moment, oneLine } from "./words.ts";

/** What came of what somebody did to an incident. */
export interface Acted {
  /** "A-142 acked". */
  readonly text: string | Markup;
  /** "A-142". */
  readonly incident: string;
  /** Whether the incident's message shows it as well, so that nobody needs to be told in the chat. */
  readonly isShown: boolean;
}

/** Who does it, as people see them, and the zone of times in the answer. */
export interface Actor {
  readonly by: string;
  readonly zone: string;
}

/** What people do to incidents. A failure is E_NOT_FOUND or E_BAD_PARAMS. */
export interface Acts {
  ack(id: string, actor: Actor): Acted | FailureValue;
  /** It makes no sound for so long, and says so when that is over and it still fires. */
  silence(id: string, forMs: number, actor: Actor): Acted | FailureValue;
  unsilence(id: string, actor: Actor): Acted | FailureValue;
  /** Does what a button of a message stands for. */
  press(token: string, actor: Actor): Acted | FailureValue;
}

export interface ActsParts {
  readonly store: IncidentStore;
  readonly messages: Messages;
  readonly book: IncidentBook;
  readonly buttons: Buttons;
  readonly now: () => number;
  readonly describe: (incident: Incident, zone: string) => Markup;
  /** Something is to be sent. */
  readonly onActed: () => void;
}

const HOUR_MS = 3_600_000;
const SILENCE_MS = { "silence 1h": HOUR_MS, "silence 4h": 4 * HOUR_MS } as const;
const SHORTEST_SILENCE_MS = 60_000;
const LONGEST_SILENCE_MS = 30 * 24 * HOUR_MS;
/** Two silences that end so close to each other are one that was asked for twice. */
const SAME_END_MS = 60_000;
const MOST_NAME = 100;

export function createActs(parts: ActsParts): Acts {
  const { store, messages, book, buttons, now, describe, onActed } = parts;

  const find = (id: string): Incident | FailureValue => {
    const n = numberOf(id);
    const incident = n === undefined ? undefined : store.find(n);
    return (
      incident ??
      failure("E_NOT_FOUND", `There is no incident ${oneLine(id, 40)}; /alerts lists what is open.`)
    );
  };

  const answer = ({ n }: Incident, text: string): Acted => ({
    text: `A-${n} ${text}`,
    incident: `A-${n}`,
    isShown: (messages.find(n)?.place ?? null) !== null,
  });

  /** Nothing was done: whoever asked is told why, since no message changes. */
  const decline = (incident: Incident, text: string): Acted => ({
    ...answer(incident, text),
    isShown: false,
  });

  /** Applies one change to an incident, and to what it stands for. */
  const change = (before: Incident, next: Partial<Incident>, what: Omit<Transition, "at">): Incident => {
    const at = now();
    const incident = { ...before, ...next, changedAt: at };
    const transitions = [{ ...what, at }];
    book.keep(before, { incident, transitions }, at);
    for (const member of store.membersOf(before.n)) {
      if (member.resolvedAt === null)
        store.save({ incident: { ...member, ...next, changedAt: at }, transitions });
    }
    book.settle(at);
    return incident;
  };

  const ack = (incident: Incident, { by, zone }: Actor): Acted => {
    const at = now();
    if (incident.ack !== null) {
      const { ack } = incident;
      return decline(incident, `already acked by ${ack.by} at ${moment(ack.at, at, zone)}`);
    }
    if (incident.resolvedAt !== null && !incident.isFlapping) {
      return decline(incident, `is resolved since ${moment(incident.resolvedAt, at, zone)}: nothing to ack`);
    }
    return answer(change(incident, { ack: { by, at } }, { what: "acked", by, note: "" }), "acked");
  };

  const silence = (incident: Incident, forMs: number, { by, zone }: Actor): Acted => {
    const at = now();
    if (incident.resolvedAt !== null && !incident.isFlapping) {
      return decline(
        incident,
        `is resolved since ${moment(incident.resolvedAt, at, zone)}: nothing to silence`,
      );
    }
    const until = at + forMs;
    const end = moment(until, at, zone);
    const { silence } = incident;
    if (silence !== null && silence.until > at && Math.abs(silence.until - until) < SAME_END_MS) {
      return decline(incident, `already silenced until ${moment(silence.until, at, zone)} by ${silence.by}`);
    }
    const note = `until ${new Date(until).toISOString()}`;
    const silenced = change(incident, { silence: { by, at, until } }, { what: "silenced", by, note });
    return answer(silenced, `silenced until ${end}`);
  };

  const unsilence = (incident: Incident, { by }: Actor): Acted => {
    if (incident.silence === null) return decline(incident, "is not silenced");
    const heard = change(incident, { silence: null }, { what: "unsilenced", by, note: "" });
    messages.setRepeat(heard.n, now() + REPEAT_MS[heard.severity]);
    return answer(
      heard,
      `is heard again; it ${stateOf(heard) === "resolved" ? "is resolved" : "still fires"}`,
    );
  };

  const press = (token: string, actor: Actor): Acted | FailureValue => {
    const button = buttons.find(token);
    const incident = button && store.find(button.incident);
    if (!incident) {
      return failure("E_NOT_FOUND", "This button belongs to nothing any more; /alerts lists what is open.");
    }
    const { action } = button;
    if (action === "ack") return ack(incident, actor);
    if (action === "unsilence") return unsilence(incident, actor);
    if (action === "details") {
      return { text: describe(incident, actor.zone), incident: nameOf(incident), isShown: false };
    }
    return silence(incident, SILENCE_MS[action], actor);
  };

  const act = (actor: Actor, work: (actor: Actor) => Acted | FailureValue): Acted | FailureValue => {
    // Names are chosen by who bears them.
    const by = oneLine(actor.by, MOST_NAME) || "somebody";
    const acted = store.transaction(() => work({ ...actor, by }));
    onActed();
    return acted;
  };
  const onIncident =
    (id: string, work: (incident: Incident, actor: Actor) => Acted) =>
    (actor: Actor): Acted | FailureValue => {
      const incident = find(id);
      return "failure" in incident ? incident : work(incident, actor);
    };

  return {
    ack: (id, actor) => act(actor, onIncident(id, ack)),
    silence(id, forMs, actor) {
      if (forMs < SHORTEST_SILENCE_MS || forMs > LONGEST_SILENCE_MS) {
        return failure("E_BAD_PARAMS", "A silence lasts from 1 minute to 30 days: say for example 2 h.");
      }
      return act(
        actor,
        onIncident(id, (incident, who) => silence(incident, forMs, who)),
      );
    },
    unsilence: (id, actor) => act(actor, onIncident(id, unsilence)),
    press: (token, actor) => act(actor, (who) => press(token, who)),
  };
}
