import { z } from "zod";
import type { Store } from "../../sdk/capability.ts";
import type { Planned } from "./contract.ts";

const Rhythm = z.union([
  z.strictObject({ zone: z.string(), everyMs: z.int().positive() }),
  z.strictObject({ zone: z.string(), cron: z.string() }),
]);

/** What is put down for later, as it is kept. Times are Unix ms. */
export const Entry = z.strictObject({
  role: z.string(),
  key: z.string(),
  event: z.string(),
  payload: z.record(z.string(), z.unknown()),
  rhythm: Rhythm.optional(),
  since: z.int(),
  nextAt: z.int(),
  isPaused: z.boolean(),
  /** The request by which it was put down. */
  cause: z.strictObject({ id: z.string(), askedBy: z.string(), language: z.string(), zone: z.string() }),
});
export type Entry = z.output<typeof Entry>;

/** What stands first among these is due first. */
export const DUE = "due/";

const DIGITS = 15;

function entryKey(role: string, key: string): string {
  return `entry/${role}/${key}`;
}

function dueKey({ role, key, nextAt }: Entry): string {
  return `${DUE}${String(Math.max(0, nextAt)).padStart(DIGITS, "0")}/${role}/${key}`;
}

/** Which entry is due when, as its key says; undefined for what is no such key. */
export function readDueKey(
  text: string,
): { readonly at: number; readonly role: string; readonly key: string } | undefined {
  const [, at, role = "", key = ""] = /^due\/(\d+)\/([^/]+)\/(.*)$/s.exec(text) ?? [];
  return at === undefined ? undefined : { at: Number(at), role, key };
}

/** What cannot be read any more (an older form) is as good as gone. */
export function readEntry(store: Pick<Store, "get">, role: string, key: string): Entry | undefined {
  return Entry.safeParse(store.get(entryKey(role, key))).data;
}

/** Keeps an entry, in place of what stood under its key. */
export function keepEntry(store: Store, entry: Entry): void {
  const before = readEntry(store, entry.role, entry.key);
  if (before) store.delete(dueKey(before));
  store.set(entryKey(entry.role, entry.key), entry);
  if (!entry.isPaused) store.set(dueKey(entry), null);
}

export function dropEntry(store: Store, entry: Entry): void {
  store.delete(entryKey(entry.role, entry.key));
  store.delete(dueKey(entry));
}

/** The entries of one role, or of all, in the order of their keys. */
export function listEntries(store: Pick<Store, "list">, role?: string, prefix = ""): readonly Entry[] {
  const of = role === undefined ? "entry/" : entryKey(role, prefix);
  return store.list(of).flatMap(([, value]) => Entry.safeParse(value).data ?? []);
}

export function toPlanned({ key, event, payload, rhythm, nextAt, isPaused }: Entry): Planned {
  const base = { key, event, payload, isPaused, nextAt: new Date(nextAt).toISOString() };
  return rhythm ? { ...base, rhythm } : base;
}
