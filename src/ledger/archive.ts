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

/** What an envelope is found by: ids are looked up within their conversation. */
export interface LetterKey {
  readonly peer: string;
  readonly corr: string;
  readonly id: string;
}

/** The record of all that came and went; nothing in it ever changes but that a task gets its outcome. */
export interface Archive {
  /** Keeps an envelope; `undefined` when this peer's envelope of this id is already there. */
  add(direction: number, peer: string, letter: Letter): number | undefined;
  /** The row number of an envelope. */
  find(direction: number, key: LetterKey): number | undefined;
  /** The row number of a person's words. */
  findWords(id: string): number | undefined;
  read(n: number): StoredLetter;
  setOutcome(n: number, answer: number): void;
  outcomeOf(n: number): number | undefined;
}

export function createArchive(db: Database, now: () => number): Archive {
  const insert = db.prepare(
    `INSERT INTO message (direction, peer, id, kind, corr, reply_to, at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const byKey = db.prepare("SELECT n FROM message WHERE corr = ? AND id = ? AND peer = ? AND direction = ?");
  const ofPeople = db.prepare("SELECT n FROM message WHERE id = ? AND peer = 'people' AND direction = 0");
  const byN = db.prepare("SELECT n, peer, body FROM message WHERE n = ?");
  const setOutcome = db.prepare("UPDATE message SET outcome = ? WHERE n = ?");
  const outcome = db.prepare("SELECT outcome FROM message WHERE n = ?");
  return {
    add(direction, peer, { message, text }) {
      const id = idToBytes(message.message_id);
      const corr = message.corr === undefined ? id : idToBytes(message.corr);
      const replyTo = message.reply_to === null ? null : idToBytes(message.reply_to);
      const added = insert.run(direction, peer, id, message.type, corr, replyTo, now(), text);
      return added.changes === 1 ? Number(added.lastInsertRowid) : undefined;
    },
    find(direction, { peer, corr, id }) {
      const row = byKey.get(idToBytes(corr), idToBytes(id), peer, direction);
      return row ? Number(row["n"]) : undefined;
    },
    findWords(id) {
      const row = ofPeople.get(idToBytes(id));
      return row ? Number(row["n"]) : undefined;
    },
    read(n) {
      const row = byN.get(n);
      if (!row) throw new Error(`the ledger has no envelope ${n}`);
      return toStoredLetter(row);
    },
    setOutcome: (n, answer) => void setOutcome.run(answer, n),
    outcomeOf(n) {
      const answer = outcome.get(n)?.["outcome"] ?? undefined;
      return answer === undefined ? undefined : Number(answer);
    },
  };
}

/** What an envelope is found by when it is answered: an answer belongs to its question's conversation. */
export function keyOfAnswered(peer: string, answer: VoxMessage): LetterKey {
  return { peer, corr: answer.corr ?? answer.message_id, id: answer.reply_to ?? answer.message_id };
}

/** The envelope in a row of `message`. */
export function toStoredLetter(row: Row): StoredLetter {
  const text = String(row["body"]);
  const parsed = parseEnvelope(JSON.parse(text));
  if (typeof parsed === "string") throw new Error(`the ledger holds a damaged envelope: ${parsed}`);
  return { n: Number(row["n"]), peer: String(row["peer"]), message: parsed.message, text };
}
