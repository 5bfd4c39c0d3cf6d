import { randomFillSync } from "node:crypto";
import { parse, stringify, v5, v7 } from "uuid";

/** Where ids come from. Injected, so that tests can make them repeatable. */
export interface Ids {
  /** A fresh UUIDv7, later than every one before it from the same source. */
  next(): string;
}

/** Ids by UUIDv7 (RFC 9562): sortable by time, so a row's key says when it was made. `now` is in Unix ms. */
export function createIds(now: () => number, random: (into: Uint8Array) => Uint8Array = fillRandom): Ids {
  const bytes = new Uint8Array(16);
  let lastMs = 0;
  let sequence = 0;
  return {
    next() {
      const ms = Math.max(lastMs, now());
      random(bytes);
      // Within one millisecond the 32-bit counter keeps the order; it starts low, so it cannot run over.
      sequence = ms === lastMs ? sequence + 1 : (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) >>> 0;
      lastMs = ms;
      return v7({ msecs: ms, seq: sequence, random: bytes });
    },
  };
}

/** A UUIDv5 from parts: the same parts give the same id, so that a repeat can be told from something new. */
export function idFromParts(namespace: string, ...parts: readonly string[]): string {
  return v5(parts.join("\u0000"), namespace);
}

/** The 16 bytes of a UUID, as ledgers store it. */
export function idToBytes(id: string): Uint8Array {
  return parse(id);
}

/** The UUID of 16 stored bytes. */
export function idFromBytes(bytes: Uint8Array): string {
  return stringify(bytes);
}

/** Unix ms at which a UUIDv7 was made; `undefined` for any other kind of id. */
export function timeOfId(id: string): number | undefined {
  return id[14] === "7" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}

function fillRandom(into: Uint8Array): Uint8Array {
  return randomFillSync(into);
}
