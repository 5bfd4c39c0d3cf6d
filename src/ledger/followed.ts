import { idToBytes } from "../envelope/index.ts";
import type { Database } from "../storage/index.ts";
import type { Archive, Letter, StoredLetter } from "./archive.ts";
import { keyOfAnswered } from "./archive.ts";
import { DIRECTION } from "./schema.ts";

/** What a child's notice met. */
export type NoticeFate =
  /** It belongs to what `cause` asked of this agent, on whose behalf the child was asked. */
  | { readonly kind: "new"; readonly cause: StoredLetter }
  | { readonly kind: "duplicate" }
  /** Nothing that it could belong to was asked of this child, or it is forgotten. */
  | { readonly kind: "unasked" };

/** Requests on which something will follow after their answer. They are kept, however old they are. */
export interface Followed {
  keep(n: number): void;
  letGo(n: number): void;
  has(n: number): boolean;
  /** The row of a followed request, by its id. */
  find(id: string): number | undefined;
  /** More will follow on what a child was asked: so it will on the request that made this agent ask. */
  keepCause(peer: string, answer: Letter): void;
  /** Records a child's notice, and finds whom it is for. */
  takeNotice(peer: string, letter: Letter): NoticeFate;
}

export function createFollowed(db: Database, archive: Archive): Followed {
  const insert = db.prepare("INSERT INTO followed (n, id) VALUES (?, ?) ON CONFLICT DO NOTHING");
  const remove = db.prepare("DELETE FROM followed WHERE n = ?");
  // Every task asks at its end whether it is among them, so they stand in memory, too: there are few.
  const rows = new Map<string, number>();
  const ids = new Map<number, string>();
  const note = (n: number): string => {
    const id = archive.idOf(n);
    rows.set(id, n);
    ids.set(n, id);
    return id;
  };
  for (const { n } of db.prepare("SELECT n FROM followed").all()) note(Number(n));

  const keep = (n: number): void => void insert.run(n, idToBytes(note(n)));

  /** The row of the request on whose behalf a child was asked what this message belongs to. */
  const causeOf = (peer: string, { message }: Letter): number | undefined => {
    const key = keyOfAnswered(peer, message);
    const asked = archive.find(DIRECTION.out, key);
    const cause = asked === undefined ? null : archive.read(asked).message.reply_to;
    return cause === null ? undefined : archive.findIncoming(key.corr, cause);
  };

  return {
    keep,
    letGo(n) {
      remove.run(n);
      rows.delete(ids.get(n) ?? "");
      ids.delete(n);
    },
    has: (n) => ids.has(n),
    find: (id) => rows.get(id),
    keepCause(peer, answer) {
      const n = causeOf(peer, answer);
      if (n !== undefined) keep(n);
    },
    takeNotice(peer, letter) {
      const n = causeOf(peer, letter);
      if (n === undefined) return { kind: "unasked" };
      if (archive.add(DIRECTION.in, peer, letter) === undefined) return { kind: "duplicate" };
      return { kind: "new", cause: archive.read(n) };
    },
  };
}
