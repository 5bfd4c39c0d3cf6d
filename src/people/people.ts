import { join } from "node:path";
import type { FailureValue } from "../envelope/index.ts";
import { createIds, failure, isFailure } from "../envelope/index.ts";
import type { Access } from "../sdk/role.ts";
import type { Database } from "../storage/index.ts";
import { openDatabase } from "../storage/index.ts";
import { createCodes, type PairingCode, type Random } from "./codes.ts";
import type { Door } from "./door.ts";
import { createDoor } from "./knock.ts";
import { cleanName, type KnownPerson, type Person } from "./person.ts";
import { MIGRATIONS } from "./schema.ts";
import { createPeopleStore, type RecordEntry } from "./store.ts";

/** Who may use the bot, and how they came to. Several processes may have the file open at once. */
export interface People extends Door, Disposable {
  /**
   * The code by which the first owner is let in: fresh at the first call of a process, then the same while it is valid.
   * Undefined once there is an owner.
   */
  ownerCode(): PairingCode | undefined;
  /**
   * Lets in by the settings (TELEGRAM_ALLOWED_USERS) whoever was never known before, as operators, and gives those back.
   * Never makes an owner: that is done by pairing or `voxtree people` alone. Who was removed stays out.
   */
  seed(channel: string, userIds: readonly string[]): readonly Person[];
  /** All who are let in, the longest known first. */
  list(): readonly KnownPerson[];
  /** What was changed, by whom, newest first. */
  record(limit: number): readonly RecordEntry[];
  /** A code that lets one person in within an hour. */
  invite(role: Access, by: string): PairingCode;
  /** Gives a person another role. E_NOT_FOUND, or E_LAST_OWNER when nobody else would be owner. */
  setRole(which: string, role: Access, by: string): KnownPerson | FailureValue;
  /** Calls a person something else. E_NOT_FOUND, or E_BAD_PARAMS for a name without anything to read. */
  rename(which: string, name: string, by: string): KnownPerson | FailureValue;
  /** Shuts a person out, from their next words on. E_NOT_FOUND, or E_LAST_OWNER. */
  remove(which: string, by: string): KnownPerson | FailureValue;
  close(): void;
}

export interface PeopleOptions {
  /** See `peoplePath`. */
  readonly path: string;
  /** Unix ms. */
  readonly now: () => number;
  /** From a source that nobody can foretell: codes are made of it. */
  readonly random: Random;
  /** Called when too many wrong tries have made the open codes void: `ownerCode` has another one. */
  readonly onVoid?: () => void;
  /** Opens what is there and changes nothing. */
  readonly readOnly?: boolean;
}

/** Where the people of a data folder stand: with the root, who alone talks to them. */
export function peoplePath(dataDir: string): string {
  return join(dataDir, "root", "people.db");
}

/** Opens `people.db`, or fails with E_LEDGER. */
export function openPeople(options: PeopleOptions): People | FailureValue {
  const { path, readOnly = false } = options;
  // Written seldom, and a removal that a power cut takes back would let somebody in again.
  const db = openDatabase({ path, migrations: MIGRATIONS, durability: "full", readOnly });
  if (isFailure(db)) return db;
  try {
    const found = String(db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]);
    if (found !== "ok") throw new Error(found);
    return createPeople(db, options);
  } catch (error) {
    db.close();
    return failure(
      "E_LEDGER",
      `${path} is damaged: ${(error as Error).message}. Put a back-up of it in its place, or take it away and pair anew.`,
    );
  }
}

function createPeople(db: Database, options: PeopleOptions): People {
  const { now, random, onVoid = () => undefined } = options;
  const ids = createIds(now);
  const store = createPeopleStore(db);
  const codes = createCodes(db, { now, random });
  const door = createDoor({ db, store, codes, ids, now, onVoid });
  let first: ReturnType<typeof codes.make> | undefined;

  /** Changes the one person who is meant, within a commit. */
  const change = (
    which: string,
    work: (person: KnownPerson) => KnownPerson | FailureValue,
  ): KnownPerson | FailureValue =>
    store.commit(() => {
      const person = pick(store.list(), which);
      return isFailure(person) ? person : work(person);
    });
  const isLastOwner = ({ id, role }: Person): boolean => role === "owner" && !store.hasOtherOwner(id);

  return {
    ...door,
    ownerCode: () =>
      store.commit(() => {
        if (store.hasOwner()) return undefined;
        if (!first || !codes.isOpen(first.n)) {
          codes.voidFirst();
          first = codes.make("owner", "start", true);
        }
        const { code, role, expires } = first;
        return { code, role, expires };
      }),
    seed: (channel, userIds) =>
      store.commit(() =>
        userIds.flatMap((userId) => {
          if (store.everKnown(channel, userId) !== undefined) return [];
          const person: Person = { id: ids.next(), name: userId, role: "operator", since: now() };
          store.insert(person, { channel, userId, name: userId });
          store.note({
            at: now(),
            by: "settings",
            change: "let in",
            person: person.id,
            becomes: person.role,
          });
          return [person];
        }),
      ),
    list: store.list,
    record: store.record,
    invite: (role, by) =>
      store.commit(() => {
        const { code, expires } = codes.make(role, by, false);
        store.note({ at: now(), by, change: "invited", becomes: role });
        return { code, role, expires };
      }),
    setRole: (which, role, by) =>
      change(which, (person) => {
        if (person.role === role) return person;
        if (isLastOwner(person)) return lastOwner(person);
        store.setRole(person.id, role);
        if (role === "owner") codes.voidFirst();
        store.note({ at: now(), by, change: "role", person: person.id, was: person.role, becomes: role });
        return { ...person, role };
      }),
    rename: (which, given, by) =>
      change(which, (person) => {
        const name = cleanName(given);
        if (name === "") return failure("E_BAD_PARAMS", "A name must have something to read.");
        store.setName(person.id, name);
        store.note({ at: now(), by, change: "name", person: person.id, was: person.name, becomes: name });
        return { ...person, name };
      }),
    remove: (which, by) =>
      change(which, (person) => {
        if (isLastOwner(person)) return lastOwner(person);
        store.remove(person.id, now());
        store.note({ at: now(), by, change: "removed", person: person.id, was: person.role });
        return person;
      }),
    close: db.close,
    [Symbol.dispose]: db.close,
  };
}

function lastOwner({ name }: Person): FailureValue {
  return failure(
    "E_LAST_OWNER",
    `${name} is the only owner: make somebody else owner first, by \`voxtree people role <name or id> owner\`.`,
  );
}

/** Fewer characters of an id's end could be meant as a name. */
const SHORTEST_END = 6;

/** The one person who is meant by an id, a channel's id, a name, or the end of an id; a whole id wins over names that look like one. */
function pick(people: readonly KnownPerson[], which: string): KnownPerson | FailureValue {
  const wanted = which.trim().toLowerCase();
  const fits = ({ id, name, identities }: KnownPerson): boolean =>
    name.toLowerCase() === wanted ||
    identities.some(({ userId }) => userId.toLowerCase() === wanted) ||
    (wanted.length >= SHORTEST_END && id.endsWith(wanted));
  const whole = people.find(
    ({ id, identities }) =>
      id === wanted ||
      identities.some(({ channel, userId }) => `${channel}:${userId}`.toLowerCase() === wanted),
  );
  const found = whole ? [whole] : people.filter(fits);
  const [person] = found;
  if (!person) {
    return failure(
      "E_NOT_FOUND",
      `Nobody who is let in is called ${which}: \`voxtree people\` lists who there is.`,
    );
  }
  if (found.length > 1) {
    const names = found.flatMap(({ identities }) =>
      identities.map(({ channel, userId }) => `${channel}:${userId}`),
    );
    return failure("E_NOT_FOUND", `${which} may be any of ${names.join(", ")}: say which of these.`);
  }
  return person;
}
