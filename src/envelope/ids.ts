import { createHash, randomFillSync } from "node:crypto";
import { parse, stringify, v5, v7 } from "uuid";

/** Where ids come from. Injected, so that tests can make them repeatable. */
export interface Ids {
  /** A fresh UUIDv7, later than every one before it from the same source. */
  next(): string;
}

/**
 * Ids by UUIDv7 (RFC 9562): sortable by time, so a row's key says when it was made. `now` is in Unix ms;
 * while it stands still or goes backwards, ids keep the latest time that it gave.
 */
export function createIds(now: () => number, random: (into: Uint8Array) => Uint8Array = createRandom()): Ids {
  const bytes = new Uint8Array(16);
  let lastMs = 0;
  let sequence = 0;
  return {
    next() {
      const ms = Math.max(lastMs, Math.floor(now()));
      random(bytes);
      // Within one millisecond the 32-bit counter keeps the order; it starts low, so it cannot run over.
      sequence = ms === lastMs ? sequence + 1 : (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) >>> 0;
      lastMs = ms;
      return v7({ msecs: ms, seq: sequence, random: bytes });
    },
  };
}

/**
 * A UUIDv5 from parts: the same parts give the same id, so that a repeat can be told from something new.
 * `namespace` is a UUID.
 */
export function idFromParts(namespace: string, ...parts: readonly string[]): string {
  // As JSON, since any plain separator could stand in a part: ("a", "b") and ("a,b") must differ.
  return v5(JSON.stringify(parts), namespace);
}

/**
 * A UUIDv7 from a moment (Unix ms) and parts: the same give the same id, and `timeOfId` tells the moment. For what has
 * no id of its own but was made at a known time.
 */
export function idFromPartsAt(ms: number, ...parts: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest();
  return v7({ msecs: ms, seq: hash.readUInt32BE(0), random: hash.subarray(8, 24) });
}

/**
 * The 16 bytes of a UUID, as ledgers store it.
 * @throws {TypeError} for what is not a UUID: AEE allows other ids, so check a neighbour's first.
 */
export function idToBytes(id: string): Uint8Array {
  return parse(id);
}

/**
 * The UUID of 16 stored bytes, in lower case.
 * @throws {TypeError} when the bytes are not those of a UUID.
 */
export function idFromBytes(bytes: Uint8Array): string {
  return stringify(bytes);
}

const UUID =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}-(?:0{4}-){3}0{12}|f{8}-(?:f{4}-){3}f{12})$/;

/** Whether a value is the text of a UUID (RFC 9562) in lower case: what `idToBytes` takes and ledgers keep. */
export function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Unix ms at which a UUIDv7 was made; `undefined` for any other kind of id. */
export function timeOfId(id: string): number | undefined {
  return UUID_V7.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}

/** Randomness drawn from the system 256 ids at a time: one system call for each id would cost more than the id. */
function createRandom(): (into: Uint8Array) => Uint8Array {
  const pool = new Uint8Array(4096);
  let used = pool.length;
  return (into) => {
    if (used + into.length > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    into.set(pool.subarray(used, used + into.length));
    used += into.length;
    return into;
  };
}
