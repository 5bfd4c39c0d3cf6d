import type { Row } from "./vocabulary.ts";

/** Several texts that ask for the same, as one: the sum of their vectors, which should score `target`. */
interface Group {
  readonly row: Row;
  readonly target: number;
}

/**
 * The largest number of things that each may have of its own, when all together may have `most`; at least 1.
 * `counts` says how many each would like.
 */
export function fairShare(counts: readonly number[], most: number): number {
  const wanted = Math.max(1, ...counts);
  let share = 1;
  while (share < wanted && counts.reduce((sum, count) => sum + Math.min(count, share + 1), 0) <= most)
    share++;
  return share;
}

/**
 * Brings the texts of one command down to `most` groups of texts that are alike. The first text and those that are least
 * like the ones chosen before begin a group each; every other text joins the one it is most like. A group of m texts counts
 * as the mean of them m times over (their sum by √m, whose score should be √m), so that each still teaches its words.
 * `scratch` has a place for every feature, all 0, and is left so.
 */
export function condense(texts: readonly Row[], most: number, scratch: Float64Array): Group[] {
  if (texts.length <= most) return texts.map((row) => ({ row, target: 1 }));
  const likeness = new Float64Array(texts.length).fill(-1);
  const groupOf = new Int32Array(texts.length);
  const seeds: number[] = [];
  for (let seed = 0; seeds.length < most; seed = leastOf(likeness)) {
    const row = texts[seed];
    if (!row) break;
    for (let i = 0; i < row.ids.length; i++) scratch[row.ids[i] ?? 0] = row.values[i] ?? 0;
    for (const [i, text] of texts.entries()) {
      const alike = i === seed ? Infinity : product(text, scratch);
      if (alike <= (likeness[i] ?? 0)) continue;
      likeness[i] = alike;
      groupOf[i] = seeds.length;
    }
    for (const id of row.ids) scratch[id] = 0;
    seeds.push(seed);
  }
  return seeds.map((_, group) =>
    sumOf(
      texts.filter((_, i) => groupOf[i] === group),
      scratch,
    ),
  );
}

function leastOf(values: Float64Array): number {
  return values.reduce((least, value, i) => (value < (values[least] ?? 0) ? i : least), 0);
}

function product({ ids, values }: Row, dense: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < ids.length; i++) sum += (dense[ids[i] ?? 0] ?? 0) * (values[i] ?? 0);
  return sum;
}

function sumOf(texts: readonly Row[], scratch: Float64Array): Group {
  const target = Math.sqrt(texts.length);
  const ids = new Int32Array(texts.reduce((sum, text) => sum + text.ids.length, 0));
  let size = 0;
  for (const text of texts) {
    for (let i = 0; i < text.ids.length; i++) {
      const id = text.ids[i] ?? 0;
      // Every value of a vector is more than 0.
      if (scratch[id] === 0) ids[size++] = id;
      scratch[id] = (scratch[id] ?? 0) + (text.values[i] ?? 0) / target;
    }
  }
  const row = { ids: ids.slice(0, size), values: new Float64Array(size) };
  for (let i = 0; i < size; i++) {
    const id = ids[i] ?? 0;
    row.values[i] = scratch[id] ?? 0;
    scratch[id] = 0;
  }
  return { row, target };
}
