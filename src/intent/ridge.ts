import type { FeatureVector } from "./features.ts";
import type { Row, Vocabulary } from "./vocabulary.ts";

/** What one class is taught by: the score that a text with this vector should have for it; for all others it should have 0. */
export interface Sample {
  readonly row: Row;
  /** The class, from 0 to the number of classes - 1. */
  readonly label: number;
  readonly target: number;
}

/** What was learnt. */
export interface LinearModel {
  /** The score of every class for one text. */
  score(vector: FeatureVector): Float64Array;
}

const RIDGE = 0.5;
/** Weights below this change no score by a hundredth, and are most of the table. */
const NEGLIGIBLE = 1e-3;

/**
 * Kernel ridge regression with the linear kernel: α = (K + 0.5·I)⁻¹ Y by Cholesky, which takes n³/6 steps for n samples and
 * then at most n² for each class; fewer where samples of one class stand together. α is folded into one weight for each
 * feature and class when the feature is first met: most never are.
 */
export function fitRidge(
  samples: readonly Sample[],
  classCount: number,
  vocabulary: Vocabulary,
): LinearModel {
  const columns = columnsOf(samples, vocabulary.size);
  const alpha = solve(cholesky(kernel(samples.length, columns)), samples, classCount);
  const table = createWeights(vocabulary.size, (id) => fold(columns, id, { alpha, classCount }));
  return {
    score({ hashes, values }) {
      const scores = new Float64Array(classCount);
      for (let i = 0; i < hashes.length; i++) {
        const id = vocabulary.idOf(hashes[i] ?? 0);
        if (id !== undefined) table.addTo(scores, id, values[i] ?? 0);
      }
      return scores;
    },
  };
}

/**
 * The weights that are not negligible, one feature's behind the other's; `weightsOf` gives a feature's for all classes, and
 * is asked once.
 */
function createWeights(featureCount: number, weightsOf: (id: number) => Float64Array) {
  const starts = new Int32Array(featureCount).fill(-1);
  const ends = new Int32Array(featureCount);
  let classes = new Int32Array(1024);
  let weights = new Float64Array(1024);
  let size = 0;
  const add = (id: number): void => {
    const dense = weightsOf(id);
    if (size + dense.length > classes.length) {
      const more = Math.max(2 * classes.length, size + dense.length);
      classes = copyOf(classes, new Int32Array(more));
      weights = copyOf(weights, new Float64Array(more));
    }
    starts[id] = size;
    for (let label = 0; label < dense.length; label++) {
      const weight = dense[label] ?? 0;
      if (Math.abs(weight) < NEGLIGIBLE) continue;
      classes[size] = label;
      weights[size++] = weight;
    }
    ends[id] = size;
  };
  return {
    addTo(scores: Float64Array, id: number, value: number): void {
      if (starts[id] === -1) add(id);
      const [of, by] = [classes, weights];
      const end = ends[id] ?? 0;
      for (let at = starts[id] ?? 0; at < end; at++) {
        const label = of[at] ?? 0;
        scores[label] = (scores[label] ?? 0) + value * (by[at] ?? 0);
      }
    },
  };
}

function copyOf<T extends Int32Array | Float64Array>(from: T, into: T): T {
  into.set(from);
  return into;
}

/** By feature: from starts[id] to starts[id + 1] stand the samples that have it, in order, and what it weighs in each. */
interface Columns {
  readonly starts: Int32Array;
  readonly samples: Int32Array;
  readonly values: Float64Array;
}

function columnsOf(rows: readonly Sample[], featureCount: number): Columns {
  const starts = new Int32Array(featureCount + 1);
  for (const { row } of rows) for (const id of row.ids) starts[id + 1] = (starts[id + 1] ?? 0) + 1;
  for (let id = 0; id < featureCount; id++) starts[id + 1] = (starts[id + 1] ?? 0) + (starts[id] ?? 0);
  const next = starts.slice();
  const samples = new Int32Array(starts[featureCount] ?? 0);
  const values = new Float64Array(samples.length);
  for (const [sample, { row }] of rows.entries()) {
    for (let i = 0; i < row.ids.length; i++) {
      const id = row.ids[i] ?? 0;
      const at = next[id] ?? 0;
      samples[at] = sample;
      values[at] = row.values[i] ?? 0;
      next[id] = at + 1;
    }
  }
  return { starts, samples, values };
}

/** The rows of K + 0.5·I; only the lower triangle is filled in. */
function kernel(size: number, { starts, samples, values }: Columns): Float64Array[] {
  const rows = Array.from({ length: size }, (_, i) => new Float64Array(size).fill(RIDGE, i, i + 1));
  for (let id = 0; id + 1 < starts.length; id++) {
    const start = starts[id] ?? 0;
    for (let i = start; i < (starts[id + 1] ?? 0); i++) {
      const row = rows[samples[i] ?? 0] ?? NOTHING;
      const value = values[i] ?? 0;
      for (let j = start; j <= i; j++) {
        const at = samples[j] ?? 0;
        row[at] = (row[at] ?? 0) + value * (values[j] ?? 0);
      }
    }
  }
  return rows;
}

/** Turns the lower triangle of a positive definite matrix into its Cholesky factor, in place. */
function cholesky(rows: Float64Array[]): Float64Array[] {
  for (const [i, row] of rows.entries()) {
    for (let j = 0; j <= i; j++) {
      const other = rows[j] ?? NOTHING;
      const rest = (row[j] ?? 0) - dot(row, other, j);
      row[j] = i === j ? Math.sqrt(rest) : rest / (other[j] ?? 1);
    }
  }
  return rows;
}

/** The product of two rows' first `length` numbers. Four sums side by side, since each addition waits for the one before. */
function dot(a: Float64Array, b: Float64Array, length: number): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  let k = 0;
  for (; k + 3 < length; k += 4) {
    first += (a[k] ?? 0) * (b[k] ?? 0);
    second += (a[k + 1] ?? 0) * (b[k + 1] ?? 0);
    third += (a[k + 2] ?? 0) * (b[k + 2] ?? 0);
    fourth += (a[k + 3] ?? 0) * (b[k + 3] ?? 0);
  }
  for (; k < length; k++) first += (a[k] ?? 0) * (b[k] ?? 0);
  return first + second + third + fourth;
}

/** Solves L·Lᵀ·α = Y for all classes at once: row `i` of α holds what sample `i` means to each class. */
function solve(
  lower: readonly Float64Array[],
  samples: readonly Sample[],
  classCount: number,
): Float64Array[] {
  const alpha = samples.map(({ label, target }) =>
    new Float64Array(classCount).fill(target, label, label + 1),
  );
  // On the way down a row holds nothing yet for the classes of later samples.
  const reach = new Int32Array(samples.length);
  let last = 0;
  for (const [i, { label }] of samples.entries()) reach[i] = last = Math.max(last, label + 1);
  for (const [i, row] of alpha.entries()) {
    const factors = lower[i] ?? NOTHING;
    subtract(row, { rows: alpha, factors, from: 0, to: i, reach });
    divide(row, factors[i] ?? 1);
  }
  const whole = new Int32Array(samples.length).fill(classCount);
  const factors = new Float64Array(samples.length);
  for (let i = samples.length - 1; i >= 0; i--) {
    const row = alpha[i] ?? NOTHING;
    for (let k = i + 1; k < samples.length; k++) factors[k] = lower[k]?.[i] ?? 0;
    subtract(row, { rows: alpha, factors, from: i + 1, to: samples.length, reach: whole });
    divide(row, lower[i]?.[i] ?? 1);
  }
  return alpha;
}

/** Takes rows from a row, each as often as its factor says; four at a time, since the row is read and written for each. */
function subtract(
  row: Float64Array,
  of: {
    readonly rows: readonly Float64Array[];
    readonly factors: Float64Array;
    readonly from: number;
    readonly to: number;
    /** How much of each row there is; never less than of the one before. */
    readonly reach: Int32Array;
  },
): void {
  const { rows, factors, from, to, reach } = of;
  let k = from;
  for (; k + 3 < to; k += 4) {
    const a = rows[k] ?? NOTHING;
    const b = rows[k + 1] ?? NOTHING;
    const c = rows[k + 2] ?? NOTHING;
    const d = rows[k + 3] ?? NOTHING;
    const fa = factors[k] ?? 0;
    const fb = factors[k + 1] ?? 0;
    const fc = factors[k + 2] ?? 0;
    const fd = factors[k + 3] ?? 0;
    const end = reach[k + 3] ?? 0;
    for (let at = 0; at < end; at++) {
      row[at] =
        (row[at] ?? 0) - (fa * (a[at] ?? 0) + fb * (b[at] ?? 0) + (fc * (c[at] ?? 0) + fd * (d[at] ?? 0)));
    }
  }
  for (; k < to; k++) {
    const one = rows[k] ?? NOTHING;
    const factor = factors[k] ?? 0;
    const end = reach[k] ?? 0;
    for (let at = 0; at < end; at++) row[at] = (row[at] ?? 0) - factor * (one[at] ?? 0);
  }
}

function divide(row: Float64Array, by: number): void {
  for (let at = 0; at < row.length; at++) row[at] = (row[at] ?? 0) / by;
}

const NOTHING = new Float64Array(0);

/** One feature's weight for every class. */
function fold(
  { starts, samples, values }: Columns,
  id: number,
  { alpha, classCount }: { readonly alpha: readonly Float64Array[]; readonly classCount: number },
): Float64Array {
  const weights = new Float64Array(classCount);
  for (let i = starts[id] ?? 0; i < (starts[id + 1] ?? 0); i++) {
    const row = alpha[samples[i] ?? 0] ?? NOTHING;
    const value = values[i] ?? 0;
    for (let label = 0; label < classCount; label++) {
      weights[label] = (weights[label] ?? 0) + value * (row[label] ?? 0);
    }
  }
  return weights;
}
