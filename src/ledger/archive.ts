import type { VoxMessage } from "../envelope/index.ts";
import { idToBytes, parseEnvelope } from "../envelope/index.ts";
import type { Database, Row } from "../storage/index.ts";

/** An envelope with the text that travels, as one value. */
export interface Letter {
  readonly message: VoxMessage;
  /** The envelope's canonical JSON. */
  readonly text: string;
}

/** An envelope as it stands in the ledger. */
export interface StoredLetter extends Letter {
  readonly n: number;
  readonly peer: string;
}

/** The record of all that came and went; nothing is ever changed in it. */
export interface Archive {
  /** Keeps an envelope; `undefined` when this peer's envelope of this id is already there. */
  add(direction: number, peer: string, letter: Letter): number | undefined;
  /** The row number of an envelope. */
  find(direction: number, peer: string, id: string): number | undefined;
  read(n: number): StoredLetter;
}

export function createArchive(db: Database, now: () => number): Archive {
  const insert = db.prepare(
    `INSERT INTO message (direction, peer, id, kind, corr, reply_to, at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const byId = db.prepare("SELECT n FROM message WHERE id = ? AND peer = ? AND direction = ?");
  const byN = db.prepare("SELECT n, peer, body FROM message WHERE n = ?");
  return {
    add(direction, peer, { message, text }) {
      const corr = idToBytes(message.corr ?? message.message_id);
      const replyTo = message.reply_to === null ? null : idToBytes(message.reply_to);
      const id = idToBytes(message.message_id);
      const added = insert.run(direction, peer, id, message.type, corr, replyTo, now(), text);
      return added.changes === 1 ? Number(added.lastInsertRowid) : undefined;
    },
    find(direction, peer, id) {
      const row = byId.get(idToBytes(id), peer, direction);
      return row ? Number(row["n"]) : undefined;
    },
    read(n) {
      const row = byN.get(n);
      if (!row) throw new Error(`the ledger has no envelope ${n}`);
      return toStoredLetter(row);
    },
  };
}

/** The envelope in a row of `message`. */
export function toStoredLetter(row: Row): StoredLetter {
  const text = String(row["body"]);
  const parsed = parseEnvelope(JSON.parse(text));
  if (typeof parsed === "string") throw new Error(`the ledger holds a damaged envelope: ${parsed}`);
  return { n: Number(row["n"]), peer: String(row["peer"]), message: parsed.message, text };
}
