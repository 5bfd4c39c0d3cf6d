import { type Background, weightOf } from "./background.ts";
import { isTypeToken, spellWord, type Words } from "./normalise.ts";

/** A text as a sparse vector of length 1: hashed features and what each weighs. */
export interface FeatureVector {
  readonly hashes: Int32Array;
  readonly values: Float64Array;
}

const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
// A first character keeps the two groups apart.
const WORD_SEED = fnv1a("w", FNV_OFFSET);
const CHARACTER_SEED = fnv1a("c", FNV_OFFSET);
const SHORTEST = 3;
const LONGEST = 5;

/** FNV-1a, 32 bits, over UTF-16 code units. */
function fnv1a(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash;
}

/** The hashed features of a text, each once: words and pairs of words, and pieces of 3 to 5 characters of each `^word$`. */
export function hashFeatures(words: Words): {
  readonly words: Set<number>;
  readonly characters: Set<number>;
} {
  const wordGroup = new Set<number>();
  const characters = new Set<number>();
  for (const [i, word] of words.entries()) {
    const hash = fnv1a(word, WORD_SEED);
    wordGroup.add(hash);
    const next = words[i + 1];
    if (next !== undefined) wordGroup.add(fnv1a(next, fnv1a(" ", hash)));
    if (isTypeToken(word)) characters.add(fnv1a(word, CHARACTER_SEED));
    else addPieces(characters, `^${word}$`);
  }
  return { words: wordGroup, characters };
}

function addPieces(into: Set<number>, word: string): void {
  for (let start = 0; start + SHORTEST <= word.length; start++) {
    let hash = CHARACTER_SEED;
    const end = Math.min(start + LONGEST, word.length);
    for (let i = start; i < end; i++) {
      hash = Math.imul(hash ^ word.charCodeAt(i), FNV_PRIME);
      if (i - start >= SHORTEST - 1) into.add(hash);
    }
  }
}

/**
 * The vector of a text: every feature weighs by how rare it is in the background; both groups are brought to the same
 * length and mixed half and half. Features that nobody knows count in the length, so that strange words make a text less
 * like everything.
 */
export function vectorOf(words: Words, background: Background): FeatureVector {
  const groups = hashFeatures(words);
  const hashes = new Int32Array(groups.words.size + groups.characters.size);
  const values = new Float64Array(hashes.length);
  let at = 0;
  for (const group of [groups.words, groups.characters]) {
    const first = at;
    let square = 0;
    for (const hash of group) {
      const weight = weightOf(background, hash);
      hashes[at] = hash;
      values[at] = weight;
      square += weight * weight;
      at++;
    }
    const scale = Math.SQRT1_2 / Math.sqrt(square || 1);
    for (let i = first; i < at; i++) values[i] = (values[i] ?? 0) * scale;
  }
  return { hashes, values };
}

/** The features' names by their hashes, for showing what decided. */
export function nameFeatures(words: Words): Map<number, string> {
  const names = new Map<number, string>();
  for (const [i, word] of words.entries()) {
    const hash = fnv1a(word, WORD_SEED);
    names.set(hash, spellWord(word));
    const next = words[i + 1];
    if (next !== undefined) names.set(fnv1a(next, fnv1a(" ", hash)), `${spellWord(word)} ${spellWord(next)}`);
    if (isTypeToken(word)) {
      names.set(fnv1a(word, CHARACTER_SEED), `…${spellWord(word)}…`);
      continue;
    }
    const marked = `^${word}$`;
    for (let size = SHORTEST; size <= LONGEST; size++) {
      for (let start = 0; start + size <= marked.length; start++) {
        const piece = marked.slice(start, start + size);
        names.set(fnv1a(piece, CHARACTER_SEED), `…${piece}…`);
      }
    }
  }
  return names;
}
