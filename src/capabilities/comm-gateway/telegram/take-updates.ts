import type { Clock } from "../../../envelope/clock.ts";
import type { Log } from "../../../sdk/context.ts";
import type { Self } from "./address.ts";
import { parseChatName } from "./chat-name.ts";
import type { WayOut } from "./intake-ports.ts";
import type { IntakeStore } from "./intake-store.ts";
import { continues, opensJoin } from "./joins.ts";
import type { TelegramDatabase } from "./store.ts";
import { type Pressed, type Reading, readUpdate, updateIdOf, type Words } from "./updates.ts";

export interface TakeParts {
  readonly db: TelegramDatabase;
  readonly store: IntakeStore;
  readonly out: Pick<WayOut, "moved" | "shut" | "opened">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
}

/** Something new that was stored. */
export interface Taken {
  readonly n: number;
  readonly body: Words | Pressed;
  readonly opens: boolean;
}

const FORGET_EVERY_MS = 3_600_000;

/**
 * Makes the door for updates: what a batch holds is durable in one commit, and a repeat is let by once. Returns what is
 * new. Throws when nothing could be stored; then nothing was.
 */
export function createTaking({ db, store, out, clock, log }: TakeParts) {
  let forgottenAt = -Infinity;

  function takeOne(reading: Reading): Taken | undefined {
    switch (reading.kind) {
      case "ignored":
        return undefined;
      case "moved":
        out.moved(reading.from, reading.to);
        return undefined;
      case "membership":
        if (reading.isOpen) out.opened(reading.chatId);
        else out.shut(reading.chatId, `the bot is ${reading.status} there`);
        return undefined;
      case "words":
      case "press":
        return keep(reading);
      default:
        return reading satisfies never;
    }
  }

  function keep(body: Words | Pressed): Taken | undefined {
    const before = store.openEnd(body.chat);
    const joins = before?.body.kind === "words" && body.kind === "words" && continues(before.body, body);
    const isMeant = joins || body.kind === "press" || body.isAddressed;
    if (isMeant && !store.claim(body.id, clock.now())) return undefined;
    // Whatever somebody else says in between ends what could have gone on.
    if (before) store.shut(before.n);
    if (!isMeant) return undefined;
    const address = parseChatName(body.chat);
    if (address) out.opened(address.chat);
    const opens = body.kind === "words" && opensJoin(body);
    const n = store.add(body, { at: clock.now(), opens, joins });
    return { n, body, opens };
  }

  return (updates: readonly unknown[], self: Self): readonly Taken[] => {
    const taken = db.commit(() =>
      updates.flatMap((update) => {
        const reading = readUpdate(update, self);
        if (reading.kind === "ignored") {
          const facts = { update: updateIdOf(update), why: reading.why };
          if (reading.isStrange) log.warn("an update could not be read", facts);
          else log.debug("an update was ignored", facts);
        }
        return takeOne(reading) ?? [];
      }),
    );
    if (clock.now() - forgottenAt >= FORGET_EVERY_MS) {
      forgottenAt = clock.now();
      store.forget(forgottenAt);
    }
    return taken;
  };
}
