import type { AeeEnvelope, VoxMessage } from "../envelope/index.ts";
import { idFromBytes, idToBytes, toVox } from "../envelope/index.ts";
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

/** The record of all that came and went; nothing in it ever changes but that a request gets its answer. */
export interface Archive {
  /** Keeps an envelope; `undefined` when this peer's envelope of this id is already there. */
  add(direction: number, peer: string, letter: Letter): number | undefined;
  /** The row number of an envelope. */
  find(direction: number, key: LetterKey): number | undefined;
  /** The row number of what came under an id, whoever sent it. */
  findIncoming(corr: string, id: string): number | undefined;
  /** The row number of a person's words. */
  findWords(id: string): number | undefined;
  idOf(n: number): string;
  read(n: number): StoredLetter;
  /** Notes which envelope answers a request, one that came or one that went. */
  setOutcome(n: number, answer: number): void;
  outcomeOf(n: number): number | undefined;
}

export function createArchive(db: Database, now: () => number): Archive {
  const insert = db.prepare(
    `INSERT INTO message (direction, peer, id, kind, corr, reply_to, at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const byKey = db.prepare("SELECT n FROM message WHERE corr = ? AND id = ? AND peer = ? AND direction = ?");
  const incoming = db.prepare("SELECT n FROM message WHERE corr = ? AND id = ? AND direction = 0");
  const ofPeople = db.prepare("SELECT n FROM message WHERE id = ? AND peer = 'people' AND direction = 0");
  const byN = db.prepare("SELECT n, peer, body FROM message WHERE n = ?");
  const id = db.prepare("SELECT id FROM message WHERE n = ?");
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
    findIncoming(corr, id) {
      const row = incoming.get(idToBytes(corr), idToBytes(id));
      return row ? Number(row["n"]) : undefined;
    },
    findWords(id) {
      const row = ofPeople.get(idToBytes(id));
      return row ? Number(row["n"]) : undefined;
    },
    idOf: (n) => idFromBytes(id.get(n)?.["id"] as Uint8Array),
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
  // It was checked when it came in, by the rules of that day: today's may be stricter, and it is still what happened.
  const message = toVox(JSON.parse(text) as AeeEnvelope);
  if (!message) throw new Error(`the ledger holds something that is no envelope, in row ${String(row["n"])}`);
  return { n: Number(row["n"]), peer: String(row["peer"]), message, text };
}
