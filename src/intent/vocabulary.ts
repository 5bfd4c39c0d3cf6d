import type { FeatureVector } from "./features.ts";

/** A sparse vector over the features of a vocabulary, which are numbered from 0. */
export interface Row {
  readonly ids: Int32Array;
  readonly values: Float64Array;
}

/** The features that somebody has learnt, numbered in the order in which they came. */
export interface Vocabulary {
  readonly size: number;
  idOf(hash: number): number | undefined;
  /** A text's vector by the features' numbers; features that are new get the next ones. */
  learn(vector: FeatureVector): Row;
}

export function createVocabulary(): Vocabulary {
  const ids = new Map<number, number>();
  return {
    get size() {
      return ids.size;
    },
    idOf: (hash) => ids.get(hash),
    learn({ hashes, values }) {
      const numbers = new Int32Array(hashes.length);
      for (let i = 0; i < hashes.length; i++) {
        const hash = hashes[i] ?? 0;
        let id = ids.get(hash);
        if (id === undefined) ids.set(hash, (id = ids.size));
        numbers[i] = id;
      }
      return { ids: numbers, values };
    },
  };
}
