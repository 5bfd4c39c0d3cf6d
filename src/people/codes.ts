import { scryptSync, timingSafeEqual } from "node:crypto";
import type { Access } from "../sdk/role.ts";
import type { Database, Row } from "../storage/index.ts";

/** Fills bytes with what nobody can foretell, and gives them back. */
export type Random = (into: Uint8Array) => Uint8Array;

/** A pairing code as it is shown once, to whoever passes it on. */
export interface PairingCode {
  /** As people write it: `483-201`. */
  readonly code: string;
  readonly role: Access;
  /** Unix ms. */
  readonly expires: number;
}

/** A code that somebody gave, found among those that are kept. */
export interface KeptCode {
  readonly n: number;
  readonly role: Access;
  readonly madeBy: string;
}

/** How long a code lets somebody in, and how far back tries count. */
export const HOUR_MS = 60 * 60 * 1000;

/** So many wrong tries, by all strangers together, and no code that was open meanwhile lets anybody in. */
const TRIES_A_CODE = 20;
const KEPT_AFTERWARDS_MS = 24 * HOUR_MS;
const CODES = 1_000_000;

/** The pairing codes of `people.db`. All are called within a commit. */
export interface Codes {
  /** Makes one that is valid for an hour; `isFirst` is the one that the terminal shows while there is no owner. */
  make(role: Access, madeBy: string, isFirst: boolean): PairingCode & { readonly n: number };
  isOpen(n: number): boolean;
  /** The open code of these six digits. */
  match(digits: string): KeptCode | undefined;
  /** Whether one that is not out of date yet was used up by this person. */
  wasUsedBy(digits: string, person: string): boolean;
  use(n: number, person: string): void;
  /** Counts a wrong try against all open codes; whether that has made them void. */
  miss(): boolean;
  /** Voids the codes for the first owner. */
  voidFirst(): void;
}

/**
 * Keeps codes as salted scrypt hashes: six digits are soon tried through by whoever reads the file, and this makes that
 * take longer than a code is valid on an ordinary machine. Codes that are open together share their salt, so that
 * comparing with all of them costs one hash.
 */
export function createCodes(db: Database, { now, random }: { now: () => number; random: Random }): Codes {
  const OPEN = "used_at IS NULL AND void_at IS NULL AND expires > ?";
  const open = db.prepare(`SELECT n, salt, hash, role, made_by FROM code WHERE ${OPEN} ORDER BY n`);
  const one = db.prepare(`SELECT 1 FROM code WHERE n = ? AND ${OPEN}`);
  const usedBy = db.prepare("SELECT salt, hash FROM code WHERE used_by = ? AND expires > ?");
  const insert = db.prepare(
    "INSERT INTO code (salt, hash, role, is_first, made_by, expires) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const use = db.prepare("UPDATE code SET used_at = ?, used_by = ? WHERE n = ?");
  const count = db.prepare(`UPDATE code SET tries = tries + 1 WHERE ${OPEN}`);
  const worn = db.prepare(`SELECT 1 FROM code WHERE tries >= ? AND ${OPEN} LIMIT 1`);
  const voidOpen = db.prepare(`UPDATE code SET void_at = ? WHERE ${OPEN}`);
  const voidFirst = db.prepare(`UPDATE code SET void_at = ? WHERE is_first = 1 AND ${OPEN}`);
  const forget = db.prepare("DELETE FROM code WHERE expires < ?");

  /** The rows whose code these digits are. Looks at every row, so that the time it takes tells nothing. */
  const equal = (digits: string, rows: readonly Row[]): readonly Row[] => {
    const hashes = new Map<string, Uint8Array>();
    return rows.filter(({ salt, hash }) => {
      const key = Buffer.from(salt as Uint8Array).toString("hex");
      const given = hashes.get(key) ?? hashOf(digits, salt as Uint8Array);
      hashes.set(key, given);
      return timingSafeEqual(given, hash as Uint8Array);
    });
  };

  return {
    make(role, madeBy, isFirst) {
      forget.run(now() - KEPT_AFTERWARDS_MS);
      const others = open.all(now());
      const salt = (others[0]?.["salt"] as Uint8Array | undefined) ?? random(new Uint8Array(16));
      let digits = draw(random);
      while (equal(digits, others).length > 0) digits = draw(random);
      const expires = now() + HOUR_MS;
      const { lastInsertRowid } = insert.run(
        salt,
        hashOf(digits, salt),
        role,
        isFirst ? 1 : 0,
        madeBy,
        expires,
      );
      return {
        n: Number(lastInsertRowid),
        code: `${digits.slice(0, 3)}-${digits.slice(3)}`,
        role,
        expires,
      };
    },
    isOpen: (n) => one.get(n, now()) !== undefined,
    match(digits) {
      const [row] = equal(digits, open.all(now()));
      // The table takes no other roles.
      return row && { n: Number(row["n"]), role: row["role"] as Access, madeBy: String(row["made_by"]) };
    },
    wasUsedBy: (digits, person) => equal(digits, usedBy.all(person, now())).length > 0,
    use: (n, person) => void use.run(now(), person, n),
    miss() {
      count.run(now());
      if (!worn.get(TRIES_A_CODE, now())) return false;
      voidOpen.run(now(), now());
      return true;
    },
    voidFirst: () => void voidFirst.run(now(), now()),
  };
}

function hashOf(digits: string, salt: Uint8Array): Uint8Array {
  return scryptSync(digits, salt, 32);
}

/** Six digits, each as likely as any other. */
function draw(random: Random): string {
  const bytes = new Uint8Array(4);
  // Numbers above the last whole million would make small ones likelier.
  const limit = 2 ** 32 - (2 ** 32 % CODES);
  for (;;) {
    random(bytes);
    const number = new DataView(bytes.buffer).getUint32(0);
    if (number < limit) return String(number % CODES).padStart(6, "0");
  }
}
