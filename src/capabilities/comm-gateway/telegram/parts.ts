import { z } from "zod";
import type { Address } from "./chat-name.ts";
import type { Entity } from "./render-telegram.ts";
import type { TelegramDatabase } from "./store.ts";

/** One button as Telegram takes it. */
export interface Key {
  readonly text: string;
  readonly callback_data: string;
}
export type Keyboard = readonly (readonly Key[])[];

/** What a part does when its turn comes. */
export type Content =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly entities: readonly Entity[];
      readonly keyboard?: Keyboard;
      readonly replyTo?: number;
      /** Says that something else is missing: what becomes of it is told to nobody. */
      readonly isNote?: boolean;
    }
  | {
      readonly kind: "document";
      readonly name: string;
      readonly base64: string;
      readonly keyboard?: Keyboard;
      readonly replyTo?: number;
    }
  /** Takes a message's keyboard away. */
  | { readonly kind: "bare" }
  /** Takes a message away. */
  | { readonly kind: "gone" };

export interface Part {
  readonly n: number;
  readonly delivery: string;
  readonly address: Address;
  readonly content: Content;
  /** The message that it changes; undefined where it becomes one of its own. */
  readonly message?: number;
}

export type NewPart = Omit<Part, "n"> & {
  /** The part that it stands in for, in whose place it comes. */
  readonly inPlaceOf?: number;
};

/** The parts of replies, durable. */
export interface Parts {
  /** Adds a part behind all others; gives its number. */
  add(part: NewPart): number;
  /** Notes a delivery of which nothing is to be sent. */
  addNothing(delivery: string, address: Address, fault?: string | null): void;
  isKnown(delivery: string): boolean;
  isOpen(delivery: string): boolean;
  /** The next part of a chat that is ready. */
  next(chat: number): Part | undefined;
  /** A part whose content is still there: it has not ended, or nobody knows how. */
  read(n: number): Part | undefined;
  /** Where a part went. */
  place(n: number): Pick<Part, "address" | "message"> | undefined;
  /** Chats with something ready. */
  openChats(): number[];
  /** Parts whose sending had begun when the process ended. */
  interrupted(): Part[];
  /** Before the call: from here on it may have arrived. */
  sending(n: number, message?: number): void;
  /** It certainly was not applied. */
  ready(n: number): void;
  /** The same, in another form or elsewhere from now on. */
  change(n: number, part: Pick<Part, "address" | "content" | "message">): void;
  sent(n: number, message: number | undefined): void;
  unknown(n: number): void;
  failed(n: number, fault: string): void;
  /** Gives up all that is open for a chat; gives the deliveries that this ends. */
  failChat(chat: number, fault: string): string[];
  /** A chat has another id from now on. */
  move(from: number, to: number): void;
  /** Counts, for health. */
  count(): { readonly open: number; readonly failed: number };
  /** Forgets what ended before a moment. */
  prune(before: number): void;
}

const Place = z.object({ chat: z.number(), topic: z.number().nullable(), message: z.number().nullable() });
const Row = Place.extend({ n: z.number(), delivery: z.string(), content: z.string() });

const COLUMNS = "n, delivery, chat, topic, content, message";
const OPEN = "state IN ('ready', 'sending')";

export function createParts(db: TelegramDatabase, now: () => number): Parts {
  const insert = db.prepare(
    `INSERT INTO part (place, delivery, chat, topic, content, state, message, fault, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`,
  );
  const settlePlace = db.prepare("UPDATE part SET place = n WHERE n = ? AND place = 0");
  const placeOf = db.prepare("SELECT place FROM part WHERE n = ?");
  const known = db.prepare("SELECT 1 FROM part WHERE delivery = ? LIMIT 1");
  const open = db.prepare(`SELECT 1 FROM part WHERE delivery = ? AND ${OPEN} LIMIT 1`);
  const next = db.prepare(
    `SELECT ${COLUMNS} FROM part INDEXED BY part_open WHERE chat = ? AND ${OPEN} AND state = 'ready' ORDER BY place, n LIMIT 1`,
  );
  const read = db.prepare(`SELECT ${COLUMNS} FROM part WHERE n = ? AND content <> ''`);
  const place = db.prepare("SELECT chat, topic, message FROM part WHERE n = ?");
  const openChats = db.prepare(`SELECT DISTINCT chat FROM part WHERE ${OPEN}`);
  const interrupted = db.prepare(`SELECT ${COLUMNS} FROM part WHERE state = 'sending' ORDER BY n`);
  const sending = db.prepare("UPDATE part SET state = 'sending', message = ? WHERE n = ?");
  const ready = db.prepare("UPDATE part SET state = 'ready' WHERE n = ?");
  const change = db.prepare(
    "UPDATE part SET state = 'ready', chat = ?, topic = ?, content = ?, message = ? WHERE n = ?",
  );
  const sent = db.prepare(
    "UPDATE part SET state = 'sent', message = coalesce(?, message), content = '', at = ? WHERE n = ?",
  );
  const unknown = db.prepare("UPDATE part SET state = 'unknown', at = ? WHERE n = ?");
  const failed = db.prepare("UPDATE part SET state = 'failed', fault = ?, content = '', at = ? WHERE n = ?");
  const openOfChat = db.prepare(`SELECT DISTINCT delivery FROM part WHERE chat = ? AND ${OPEN}`);
  const failChat = db.prepare(
    `UPDATE part SET state = 'failed', fault = ?, content = '', at = ? WHERE chat = ? AND ${OPEN}`,
  );
  const move = db.prepare(`UPDATE part SET chat = ?, topic = NULL WHERE chat = ? AND ${OPEN}`);
  const count = db.prepare(
    `SELECT count(*) FILTER (WHERE ${OPEN}) AS open, count(*) FILTER (WHERE state = 'failed') AS failed FROM part`,
  );
  const prune = db.prepare(`DELETE FROM part WHERE at < ? AND NOT ${OPEN}`);

  return {
    add({ delivery, address, content, message = null, inPlaceOf }) {
      const place = inPlaceOf === undefined ? 0 : Number(placeOf.get(inPlaceOf)?.["place"] ?? 0);
      const { chat, topic = null } = address;
      const row = insert.get(
        place,
        delivery,
        chat,
        topic,
        JSON.stringify(content),
        "ready",
        message,
        null,
        now(),
      );
      const n = Number(row?.["n"]);
      settlePlace.run(n);
      return n;
    },
    addNothing(delivery, { chat, topic = null }, fault = null) {
      const state = fault === null ? "sent" : "failed";
      insert.run(0, delivery, chat, topic, "", state, null, fault, now());
    },
    isKnown: (delivery) => known.get(delivery) !== undefined,
    isOpen: (delivery) => open.get(delivery) !== undefined,
    next: (chat) => partOf(next.get(chat)),
    read: (n) => partOf(read.get(n)),
    place(n) {
      const row = place.get(n);
      return row && placeFrom(Place.parse(row));
    },
    openChats: () => openChats.all().map(({ chat }) => Number(chat)),
    interrupted: () => interrupted.all().flatMap((row) => partOf(row) ?? []),
    sending: (n, message) => void sending.run(message ?? null, n),
    ready: (n) => void ready.run(n),
    change: (n, { address, content, message }) =>
      void change.run(address.chat, address.topic ?? null, JSON.stringify(content), message ?? null, n),
    sent: (n, message) => void sent.run(message ?? null, now(), n),
    unknown: (n) => void unknown.run(now(), n),
    failed: (n, fault) => void failed.run(fault, now(), n),
    failChat(chat, fault) {
      const ended = openOfChat.all(chat).map(({ delivery }) => String(delivery));
      failChat.run(fault, now(), chat);
      return ended;
    },
    move: (from, to) => void move.run(to, from),
    count() {
      const row = count.get();
      return { open: Number(row?.["open"]), failed: Number(row?.["failed"]) };
    },
    prune: (before) => void prune.run(before),
  };
}

/** The part of a row; a row's content is our own writing. */
function partOf(row: unknown): Part | undefined {
  if (row === undefined) return undefined;
  const { n, delivery, content, ...place } = Row.parse(row);
  return { n, delivery, content: JSON.parse(content) as Content, ...placeFrom(place) };
}

function placeFrom({ chat, topic, message }: z.output<typeof Place>): Pick<Part, "address" | "message"> {
  return {
    address: { chat, ...(topic === null ? {} : { topic }) },
    ...(message === null ? {} : { message }),
  };
}
