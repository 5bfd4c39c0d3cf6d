import type { Capabilities, Failure, Store } from "#sdk";
import { z } from "zod";

/** Something that a person wants to be reminded of. Times are Unix ms. */
export const Reminder = z.object({
  id: z.int(),
  /** Whose it is, as `request.askedBy` tells them. */
  owner: z.string(),
  text: z.string(),
  dueAt: z.int(),
  /** The request that is told when it is due. */
  requestId: z.string(),
  /** The zone in which its owner reads times. */
  zone: z.string(),
  /** When it was shown; left out until then. */
  toldAt: z.int().optional(),
});
export type Reminder = z.output<typeof Reminder>;

const MOST_OPEN = 200;
const PREFIX = "reminder ";
const COUNTER = "last id";

/** Everything that is not over, in the order in which it is due. */
export function listReminders(store: Store): readonly Reminder[] {
  return store
    .list(PREFIX)
    .flatMap(([, value]) => Reminder.safeParse(value).data ?? [])
    .sort((a, b) => a.dueAt - b.dueAt || a.id - b.id);
}

export function readReminder(store: Store, id: number): Reminder | undefined {
  return Reminder.safeParse(store.get(`${PREFIX}${id}`)).data;
}

export function keepReminder(store: Store, reminder: Reminder): void {
  store.set(`${PREFIX}${reminder.id}`, reminder);
}

/** A number that no reminder has had before. */
export function nextId(store: Store): number {
  const id = z.int().catch(0).parse(store.get(COUNTER)) + 1;
  store.set(COUNTER, id);
  return id;
}

/** Somebody else's is not there, so that nobody learns what others want to be reminded of. */
export function findOwn(store: Store, wanted: number, askedBy: string): Reminder | Failure {
  const reminder = readReminder(store, wanted);
  if (reminder?.owner === askedBy) return reminder;
  return {
    failure: "E_NOT_FOUND",
    text: `You have no open reminder ${wanted}. /reminders lists those that you have.`,
  };
}

export function refuseOneMore(store: Store, askedBy: string): Failure | undefined {
  if (listReminders(store).filter(({ owner }) => owner === askedBy).length < MOST_OPEN) return undefined;
  const text = `You have ${MOST_OPEN} open reminders, and there cannot be more. /reminders lists them; cancel some first.`;
  return { failure: "E_TOO_MANY", text };
}

/** Forgets a reminder: nothing more will come. */
export function end(
  reminder: Reminder,
  {
    store,
    schedule,
    letGo,
  }: {
    readonly store: Store;
    readonly schedule: Pick<Capabilities["schedule"], "cancel">;
    readonly letGo: (requestId: string) => void;
  },
): void {
  store.delete(`${PREFIX}${reminder.id}`);
  schedule.cancel(dueKey(reminder));
  schedule.cancel(overKey(reminder));
  letGo(reminder.requestId);
}

/** The key by which it is put down for when it is due. */
export function dueKey({ id }: Pick<Reminder, "id">): string {
  return `due ${id}`;
}

/** The key by which its end is put down, once it was shown. */
export function overKey({ id }: Pick<Reminder, "id">): string {
  return `over ${id}`;
}
