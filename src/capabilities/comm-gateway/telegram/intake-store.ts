import { z } from "zod";
import { idToBytes } from "../../../envelope/ids.ts";
import type { TelegramDatabase } from "./store.ts";
import { Pressed, Words } from "./updates.ts";

const Body = z.discriminatedUnion("kind", [Words, Pressed]);
type Body = z.output<typeof Body>;

/** Something that came in and is not yet handed over. */
export interface Stored {
  readonly n: number;
  readonly body: Body;
  /** Whether what the same person sends next may belong to it. */
  readonly opens: boolean;
}

/** Longer than Telegram keeps what was not confirmed (24 h). */
const CLAIMED_MS = 3 * 24 * 3_600_000;

/** What came in: in the order of its coming, until it is handed over, and remembered for a while after that. */
export interface IntakeStore {
  /** Claims an id; false when it is claimed already. */
  claim(id: string, at: number): boolean;
  add(body: Body, as: { readonly at: number; readonly opens: boolean; readonly joins: boolean }): number;
  /** The newest row of a chat, if what comes next may belong to it. */
  openEnd(chat: string): Stored | undefined;
  /** Nothing more belongs to it. */
  shut(n: number): void;
  /** The oldest row of a chat with all that belongs to it. */
  next(chat: string): readonly Stored[];
  remove(rows: readonly Stored[]): void;
  /** Chats that have rows. */
  chats(): readonly string[];
  /** Forgets claims that no repeat can come for any more. */
  forget(now: number): void;
}

export function createIntakeStore(db: TelegramDatabase): IntakeStore {
  const claim = db.prepare("INSERT INTO claimed (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING");
  const forget = db.prepare("DELETE FROM claimed WHERE at < ?");
  const add = db.prepare("INSERT INTO intake (id, chat, at, opens, joins, body) VALUES (?, ?, ?, ?, ?, ?)");
  const newest = db.prepare("SELECT n, opens, body FROM intake WHERE chat = ? ORDER BY n DESC LIMIT 1");
  const shut = db.prepare("UPDATE intake SET opens = 0 WHERE n = ?");
  const oldest = db.prepare(
    `SELECT n, opens, body FROM intake WHERE chat = :chat AND n < coalesce(
       (SELECT n FROM intake WHERE chat = :chat AND joins = 0 ORDER BY n LIMIT 1 OFFSET 1), 9e18)
     ORDER BY n`,
  );
  const remove = db.prepare("DELETE FROM intake WHERE n = ?");
  const chats = db.prepare("SELECT DISTINCT chat FROM intake");
  const read = (row: Record<string, unknown>): Stored => ({
    n: Number(row["n"]),
    opens: row["opens"] === 1,
    body: Body.parse(JSON.parse(String(row["body"]))),
  });

  return {
    claim: (id, at) => claim.run(idToBytes(id), at).changes === 1,
    add: (body, { at, opens, joins }) =>
      Number(
        add.run(idToBytes(body.id), body.chat, at, Number(opens), Number(joins), JSON.stringify(body))
          .lastInsertRowid,
      ),
    openEnd(chat) {
      const row = newest.get(chat);
      return row?.["opens"] === 1 ? read(row) : undefined;
    },
    shut: (n) => void shut.run(n),
    next: (chat) => oldest.all({ chat }).map(read),
    remove: (rows) =>
      db.commit(() => {
        for (const { n } of rows) remove.run(n);
      }),
    chats: () => chats.all().map((row) => String(row["chat"])),
    forget: (now) => void forget.run(now - CLAIMED_MS),
  };
}
