import type { Ids } from "../envelope/index.ts";
import type { Database } from "../storage/index.ts";
import { type Codes, HOUR_MS, type KeptCode } from "./codes.ts";
import { type Door, type Knocked, readPairing, type Stranger } from "./door.ts";
import { cleanName, isAtLeast, type Person } from "./person.ts";
import type { PeopleStore } from "./store.ts";
import { words } from "./words.ts";

/** So many wrong codes from one stranger within an hour; then nothing of theirs is answered, a right code neither. */
const TRIES_A_STRANGER = 5;

export interface DoorParts {
  readonly db: Database;
  readonly store: PeopleStore;
  readonly codes: Codes;
  readonly ids: Ids;
  readonly now: () => number;
  /** Called when wrong tries have made all open codes void, and that is durable. */
  readonly onVoid: () => void;
}

/** Makes the door. Each knock is one commit. */
export function createDoor({ db, store, codes, ids, now, onVoid }: DoorParts): Door {
  const tries = db.prepare(
    "SELECT count(*) AS tries FROM wrong_try WHERE channel = ? AND user_id = ? AND at > ?",
  );
  const addTry = db.prepare("INSERT INTO wrong_try (channel, user_id, at) VALUES (?, ?, ?)");
  const forgetTries = db.prepare("DELETE FROM wrong_try WHERE at <= ?");
  const hinted = db.prepare("SELECT 1 FROM hint WHERE channel = ? AND user_id = ? AND at > ?");
  const setHint = db.prepare("INSERT OR REPLACE INTO hint (channel, user_id, at) VALUES (?, ?, ?)");
  const forgetHints = db.prepare("DELETE FROM hint WHERE at <= ?");

  const hint = (channel: string, { userId }: Stranger): Knocked => {
    if (hinted.get(channel, userId, now() - HOUR_MS)) return { kind: "silent" };
    forgetHints.run(now() - HOUR_MS);
    setHint.run(channel, userId, now());
    return { kind: "hint", text: words.hint };
  };

  /** A wrong code: counted for who gave it, and against every code that is open. */
  const refuse = (
    channel: string,
    { userId }: Stranger,
    before: number,
  ): { knocked: Knocked; isVoid: boolean } => {
    forgetTries.run(now() - HOUR_MS);
    addTry.run(channel, userId, now());
    const isVoid = codes.miss();
    if (isVoid) store.note({ at: now(), by: "wrong tries", change: "codes void" });
    return {
      knocked: { kind: "hint", text: words.wrong(TRIES_A_STRANGER - 1 - before) },
      isVoid,
    };
  };

  const letIn = (channel: string, { userId, name: shown }: Stranger, { role, madeBy }: KeptCode): Person => {
    const name = cleanName(shown) || userId;
    const former = store.everKnown(channel, userId);
    const person: Person = { id: former ?? ids.next(), name, role, since: now() };
    if (former === undefined) store.insert(person, { channel, userId, name });
    else store.restore(person);
    store.note({ at: now(), by: `code of ${madeBy}`, change: "let in", person: person.id, becomes: role });
    return person;
  };

  const raise = (person: Person, { role, madeBy }: KeptCode): Person => {
    store.setRole(person.id, role);
    const by = `code of ${madeBy}`;
    store.note({ at: now(), by, change: "role", person: person.id, was: person.role, becomes: role });
    return { ...person, role };
  };

  /** What a right code does for a stranger, or for somebody who is in. */
  const admit = (channel: string, stranger: Stranger, code: KeptCode): Knocked => {
    const known = store.find(channel, stranger.userId);
    if (known && isAtLeast(known.role, code.role)) {
      return { kind: "paired", person: known, text: words.alreadyIn(known.name, known.role) };
    }
    const person = known ? raise(known, code) : letIn(channel, stranger, code);
    codes.use(code.n, person.id);
    if (person.role === "owner") codes.voidFirst();
    return { kind: "paired", person, text: words.welcome(person.name, person.role) };
  };

  const tryCode = (
    channel: string,
    stranger: Stranger,
    digits: string,
  ): { knocked: Knocked; isVoid: boolean } => {
    const code = codes.match(digits);
    if (code) return { knocked: admit(channel, stranger, code), isVoid: false };
    const known = store.find(channel, stranger.userId);
    if (known && codes.wasUsedBy(digits, known.id)) {
      const text = words.welcome(known.name, known.role);
      return { knocked: { kind: "paired", person: known, text }, isVoid: false };
    }
    return refuse(channel, stranger, triesOf(channel, stranger));
  };

  const triesOf = (channel: string, { userId }: Stranger): number =>
    Number(tries.get(channel, userId, now() - HOUR_MS)?.["tries"]);

  return {
    find: store.find,
    isPairing: (text) => readPairing(text) !== undefined,
    knock(channel, stranger) {
      const digits = readPairing(stranger.text) ?? "";
      const { knocked, isVoid } = store.commit(() => {
        if (triesOf(channel, stranger) >= TRIES_A_STRANGER) {
          return { knocked: { kind: "silent" } as const, isVoid: false };
        }
        if (digits === "") return { knocked: hint(channel, stranger), isVoid: false };
        return tryCode(channel, stranger, digits);
      });
      if (isVoid) onVoid();
      return knocked;
    },
  };
}
