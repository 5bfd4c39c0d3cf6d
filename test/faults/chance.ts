/** Chances that are the same in every run with one seed. */
export interface Chance {
  /** A number from 0 to 1, without 1. */
  next(): number;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  pick<T>(from: readonly T[]): T;
  /** The same things in another order. */
  shuffled<T>(these: readonly T[]): readonly T[];
}

/** Mulberry32: small, and good enough to spread faults. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new Error("there is nothing to pick from");
      return from[between(0, from.length - 1)] as T;
    },
    shuffled: (these) =>
      these
        .map((one) => ({ one, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one),
  };
}
