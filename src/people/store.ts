import type { Access } from "../sdk/role.ts";
import type { Database, Row } from "../storage/index.ts";
import type { Identity, KnownPerson, Person } from "./person.ts";

/** What was changed about who may use the bot. */
export type Change = "let in" | "role" | "name" | "removed" | "invited" | "codes void";

/** A line of the record that is only ever added to. */
export interface RecordEntry {
  /** Unix ms. */
  readonly at: number;
  /** Who did it: `terminal:<user>`, `code of <who made it>`, or the setting. */
  readonly by: string;
  readonly change: Change;
  /** The id of the person whom it concerns. */
  readonly person?: string;
  readonly was?: string;
  readonly becomes?: string;
}

/** Persons, their identities and the record of `people.db`. Each write is one statement; what belongs together stands in `commit`. */
export interface PeopleStore {
  /** Runs `change` as one commit. What it throws undoes it and is thrown on. */
  commit<T>(change: () => T): T;
  find(channel: string, userId: string): Person | undefined;
  /** Whose identity it is, also of somebody who was removed. */
  everKnown(channel: string, userId: string): string | undefined;
  /** All who are not removed, in the order in which they were let in. */
  list(): readonly KnownPerson[];
  hasOtherOwner(id: string): boolean;
  hasOwner(): boolean;
  insert(person: Person, identity: Identity): void;
  /** Lets somebody in again who was removed. */
  restore(person: Person): void;
  setRole(id: string, role: Access): void;
  setName(id: string, name: string): void;
  remove(id: string, at: number): void;
  note(entry: RecordEntry): void;
  /** The newest entries of the record, newest first. */
  record(limit: number): readonly RecordEntry[];
}

/** Prepares every statement, so that a file without the tables fails here. */
export function createPeopleStore(db: Database): PeopleStore {
  const person = "person.id, person.name, role, language, zone, since";
  const find = db.prepare(
    `SELECT ${person} FROM identity JOIN person ON person.id = identity.person
     WHERE channel = ? AND user_id = ? AND removed_at IS NULL`,
  );
  const everKnown = db.prepare("SELECT person FROM identity WHERE channel = ? AND user_id = ?");
  const all = db.prepare(`SELECT ${person} FROM person WHERE removed_at IS NULL ORDER BY since, id`);
  const identities = db.prepare(
    "SELECT channel, user_id, name FROM identity WHERE person = ? ORDER BY channel, user_id",
  );
  const owner = db.prepare(
    "SELECT 1 FROM person WHERE role = 'owner' AND removed_at IS NULL AND id <> ? LIMIT 1",
  );
  const insertPerson = db.prepare(
    "INSERT INTO person (id, name, role, language, zone, since) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const insertIdentity = db.prepare(
    "INSERT INTO identity (channel, user_id, person, name) VALUES (?, ?, ?, ?)",
  );
  const restore = db.prepare(
    "UPDATE person SET name = ?, role = ?, since = ?, removed_at = NULL WHERE id = ?",
  );
  const setRole = db.prepare("UPDATE person SET role = ? WHERE id = ?");
  const setName = db.prepare("UPDATE person SET name = ? WHERE id = ?");
  const remove = db.prepare("UPDATE person SET removed_at = ? WHERE id = ?");
  const note = db.prepare(
    "INSERT INTO record (at, by, change, person, was, becomes) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const record = db.prepare(
    "SELECT at, by, change, person, was, becomes FROM record ORDER BY n DESC LIMIT ?",
  );

  return {
    commit: db.commit,
    find(channel, userId) {
      const row = find.get(channel, userId);
      return row && toPerson(row);
    },
    everKnown: (channel, userId) => textOf(everKnown.get(channel, userId)?.["person"]),
    list: () =>
      all.all().map((row) => ({
        ...toPerson(row),
        identities: identities.all(String(row["id"])).map(toIdentity),
      })),
    hasOtherOwner: (id) => owner.get(id) !== undefined,
    hasOwner: () => owner.get("") !== undefined,
    insert({ id, name, role, language, zone, since }, identity) {
      insertPerson.run(id, name, role, language ?? null, zone ?? null, since);
      insertIdentity.run(identity.channel, identity.userId, id, identity.name);
    },
    restore: ({ id, name, role, since }) => void restore.run(name, role, since, id),
    setRole: (id, role) => void setRole.run(role, id),
    setName: (id, name) => void setName.run(name, id),
    remove: (id, at) => void remove.run(at, id),
    note: ({ at, by, change, person: id, was, becomes }) =>
      void note.run(at, by, change, id ?? null, was ?? null, becomes ?? null),
    record: (limit) => record.all(limit).map(toEntry),
  };
}

function toPerson({ id, name, role, language, zone, since }: Row): Person {
  return {
    id: String(id),
    name: String(name),
    // The table takes no other.
    role: String(role) as Access,
    ...(language === null ? {} : { language: String(language) }),
    ...(zone === null ? {} : { zone: String(zone) }),
    since: Number(since),
  };
}

function toIdentity({ channel, user_id, name }: Row): Identity {
  return { channel: String(channel), userId: String(user_id), name: String(name) };
}

function toEntry({ at, by, change, person, was, becomes }: Row): RecordEntry {
  return {
    at: Number(at),
    by: String(by),
    change: String(change) as Change,
    ...(person === null ? {} : { person: String(person) }),
    ...(was === null ? {} : { was: String(was) }),
    ...(becomes === null ? {} : { becomes: String(becomes) }),
  };
}

function textOf(value: Row[string] | undefined): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}
