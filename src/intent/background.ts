import { z } from "zod";

/**
 * The table as it is shipped: in how many of `texts` everyday sentences the commonest features occur.
 * `features` holds one record of six bytes each, in base64: the hash (int32) and the count (uint16), little-endian.
 */
const BackgroundTable = z.strictObject({ texts: z.int().positive(), features: z.base64() });

/** What a feature weighs, by how common it is in everyday language. */
export interface Background {
  readonly weights: ReadonlyMap<number, number>;
}

const RECORD_BYTES = 6;
const FLOOR = 0.15;
const UNSEEN = 1 + FLOOR;

/** Reads the shipped table. @throws {z.ZodError} when it is not one. */
export function parseBackground(table: unknown): Background {
  const { texts, features } = BackgroundTable.parse(table);
  const bytes = Buffer.from(features, "base64");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const weights = new Map<number, number>();
  for (let at = 0; at + RECORD_BYTES <= bytes.byteLength; at += RECORD_BYTES) {
    const count = view.getUint16(at + 4, true);
    weights.set(view.getInt32(at, true), Math.log((1 + texts) / (1 + count)) / Math.log(1 + texts) + FLOOR);
  }
  return { weights };
}

/** A feature's weight: from 0.15 for one in every text to 1.15 for one that the background does not know. */
export function weightOf(background: Background, hash: number): number {
  return background.weights.get(hash) ?? UNSEEN;
}
