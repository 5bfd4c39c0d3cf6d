import { z } from "zod";
import type { Address } from "./chat-name.ts";
import type { TelegramDatabase } from "./store.ts";

/** Words that have no reply yet. */
export interface AskedRow {
  readonly request: string;
  readonly address: Address;
  /** The message that asked; replies in groups answer it. */
  readonly message?: number;
  /** Unix ms. */
  readonly at: number;
  /** The message that shows how far the work is; `sending` while nobody knows whether it exists. */
  readonly progress?: number | "sending";
}

/** Who waits for a reply, durable. */
export interface Asked {
  /** Notes words once. */
  add(row: Omit<AskedRow, "progress">): void;
  find(request: string): AskedRow | undefined;
  all(): AskedRow[];
  progress(request: string, progress: number | "sending" | undefined): void;
  remove(request: string): void;
  move(from: number, to: number): void;
  prune(before: number): void;
}

const Row = z.object({
  request: z.string(),
  chat: z.number(),
  topic: z.number().nullable(),
  message: z.number().nullable(),
  at: z.number(),
  progress: z.number().nullable(),
  progress_state: z.enum(["sending", "shown"]).nullable(),
});

export function createAsked(db: TelegramDatabase): Asked {
  const insert = db.prepare(
    "INSERT OR IGNORE INTO asked (request, chat, topic, message, at) VALUES (?, ?, ?, ?, ?)",
  );
  const find = db.prepare("SELECT * FROM asked WHERE request = ?");
  const all = db.prepare("SELECT * FROM asked ORDER BY at");
  const progress = db.prepare("UPDATE asked SET progress = ?, progress_state = ? WHERE request = ?");
  const remove = db.prepare("DELETE FROM asked WHERE request = ?");
  const move = db.prepare("UPDATE asked SET chat = ?, topic = NULL, message = NULL WHERE chat = ?");
  const prune = db.prepare("DELETE FROM asked WHERE at < ?");

  return {
    add({ request, address: { chat, topic = null }, message = null, at }) {
      insert.run(request, chat, topic, message, at);
    },
    find(request) {
      const row = find.get(request);
      return row && rowOf(row);
    },
    all: () => all.all().map(rowOf),
    progress(request, shown) {
      const state = shown === undefined ? null : shown === "sending" ? "sending" : "shown";
      progress.run(typeof shown === "number" ? shown : null, state, request);
    },
    remove: (request) => void remove.run(request),
    move: (from, to) => void move.run(to, from),
    prune: (before) => void prune.run(before),
  };
}

function rowOf(row: unknown): AskedRow {
  const { request, chat, topic, message, at, progress, progress_state: state } = Row.parse(row);
  const shown = state === "sending" ? "sending" : (progress ?? undefined);
  return {
    request,
    address: { chat, ...(topic === null ? {} : { topic }) },
    ...(message === null ? {} : { message }),
    at,
    ...(shown === undefined ? {} : { progress: shown }),
  };
}
