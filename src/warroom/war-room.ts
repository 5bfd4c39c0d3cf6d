import { randomBytes } from "node:crypto";
import { type Clock, describeError, failure, type FailureValue, isFailure } from "../envelope/index.ts";
import type { Log } from "../sdk/context.ts";
import type { Markup } from "../sdk/markup.ts";
import { type Database, openDatabase } from "../storage/index.ts";
import { type Acts, createActs } from "./acts.ts";
import { createIncidentBook } from "./book.ts";
import { createButtons } from "./buttons.ts";
import { createDelivery } from "./delivery.ts";
import { numberOf } from "./incident.ts";
import { createIntake } from "./intake.ts";
import { createMessages } from "./messages.ts";
import { type IncidentView, openIncidents, renderDetails, renderOverview, viewOf } from "./overview.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { createPace } from "./pace.ts";
import { createPlaces } from "./places.ts";
import type { AlertReader, Room } from "./ports.ts";
import { MIGRATIONS } from "./schema.ts";
import { createIncidentStore } from "./store.ts";
import { lookAfter } from "./upkeep.ts";

export interface WarRoomParts {
  /** The file incidents.db. */
  readonly path: string;
  readonly reader: AlertReader;
  /** In the order in which they are tried: the topic, the general topic, the owner's private chat. */
  readonly rooms: readonly Room[];
  /** IANA time zone of the messages. */
  readonly zone: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly durability?: "normal" | "full";
  /** Gives that many random bytes; default is the system's. */
  readonly random?: (bytes: number) => Uint8Array;
}

/** Alerts become incidents here, and incidents messages that people answer. */
export interface WarRoom extends Acts {
  /** What is open, the worst first. */
  open(): readonly IncidentView[];
  /** The same for people. */
  overview(zone: string): Markup;
  /** One incident with all that happened to it; `id` as people write it. */
  details(id: string, zone: string): { readonly view: IncidentView; readonly text: Markup } | undefined;
  /** Looks at everything now; resolves when all is sent that may be sent by now. */
  wake(): Promise<void>;
  /** What keeps alerts from people, in words; undefined when nothing does. */
  trouble(): string | undefined;
  /** Ends the work that is under way, and closes the file. */
  close(): Promise<void>;
}

const EVERY_MS = 1000;
const UNREADABLE_TOO_LONG_MS = 60_000;

/** Opens the war room and starts its work; fails with E_LEDGER when its file cannot be opened. */
export function openWarRoom(parts: WarRoomParts): WarRoom | FailureValue {
  const { path, durability = "normal" } = parts;
  const db = openDatabase({ path, migrations: MIGRATIONS, durability });
  if (isFailure(db)) return db;
  try {
    return createWarRoom(db, parts);
  } catch (error) {
    db.close();
    return failure("E_LEDGER", `${path} is damaged: ${(error as Error).message}`);
  }
}

function createWarRoom(db: Database, parts: WarRoomParts): WarRoom {
  const { reader, rooms, zone, clock, log } = parts;
  const store = createIncidentStore(db);
  const messages = createMessages(db);
  const buttons = createButtons(db, parts.random ?? randomBytes);
  const book = createIncidentBook(store, messages);
  const intake = createIntake({ db, store, book, reader, clock, log });
  const places = createPlaces(rooms, clock.monotonic);
  const pace = createPace(db);
  const delivery = createDelivery({ store, messages, buttons, places, pace, zone, clock, log });
  store.transaction(() => {
    messages.recover();
    messages.moveInto(rooms.map(({ name }) => name));
  });

  let isClosed = false;
  let stopTimer: (() => void) | undefined;
  let unreadableSince: number | undefined;
  let defect: string | undefined;

  // Sending does not wait for streams that do not answer, nor the streams for a chat that does not.
  const taking = oneAtATime(async () => {
    try {
      await intake.takeAll();
      unreadableSince = undefined;
    } catch (error) {
      if (unreadableSince === undefined)
        log.warn("alerts cannot be read; they wait", { error: String(error) });
      unreadableSince ??= clock.monotonic();
    }
  });

  const sending = oneAtATime(async () => {
    try {
      store.transaction(() => lookAfter({ store, messages, book }, clock.now()));
      await delivery.sendAll();
      defect = undefined;
    } catch (error) {
      if (defect === undefined)
        log.error("the war room's incidents cannot be kept", { error: describeError(error) });
      defect = "the war room's file cannot be written; see its log";
    }
  });

  const wake = async (): Promise<void> => {
    const sent = sending.run();
    await taking.run();
    await Promise.all([sent, sending.run()]);
  };

  const turn = (): void => {
    if (isClosed) return;
    stopTimer = clock.after(EVERY_MS, turn);
    void wake();
  };

  const describe = (n: number, inZone: string): { view: IncidentView; text: Markup } | undefined => {
    const incident = store.find(n);
    if (!incident) return undefined;
    const text = renderDetails(incident, { history: store.transitionsOf(n), zone: inZone, now: clock.now() });
    return { view: viewOf(incident), text };
  };

  const acts = createActs({
    store,
    messages,
    book,
    buttons,
    now: clock.now,
    describe: (incident, inZone) =>
      renderDetails(incident, { history: store.transitionsOf(incident.n), zone: inZone, now: clock.now() }),
    onActed: () => void sending.run(),
  });
  turn();

  return {
    ...acts,
    open: () => openIncidents(store).map(viewOf),
    overview: (inZone) =>
      renderOverview(openIncidents(store), {
        zone: inZone,
        now: clock.now(),
        last: store.find(store.nextNumber() - 1),
      }),
    details(id, inZone) {
      const n = numberOf(id);
      return n === undefined ? undefined : describe(n, inZone);
    },
    wake,
    trouble() {
      const isUnreadable =
        unreadableSince !== undefined && clock.monotonic() - unreadableSince >= UNREADABLE_TOO_LONG_MS;
      return defect ?? delivery.trouble() ?? (isUnreadable ? "the agents' alerts cannot be read" : undefined);
    },
    async close() {
      isClosed = true;
      stopTimer?.();
      delivery.stop();
      await Promise.all([taking.stop(), sending.stop()]);
      db.close();
    },
  };
}
