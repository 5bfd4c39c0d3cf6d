import type { FeatureVector } from "./features.ts";

/** One weight for each feature and class that has one: row `i` holds classes[starts[i]] to classes[starts[i + 1] - 1]. */
export interface LinearWeights {
  readonly rows: ReadonlyMap<number, number>;
  readonly starts: Int32Array;
  readonly classes: Int32Array;
  readonly weights: Float64Array;
}

const RIDGE = 0.5;
/** Weights below this change no score by a hundredth, and are most of the table. */
const NEGLIGIBLE = 1e-3;

/**
 * Kernel ridge regression with the linear kernel: α = (K + 0.5·I)⁻¹ Y by Cholesky, folded into one weight for each feature
 * and class. `labels[i]` is the class of `samples[i]`, from 0 to `classCount` - 1.
 */
export function fitRidge(
  samples: readonly FeatureVector[],
  labels: readonly number[],
  classCount: number,
): LinearWeights {
  const lower = cholesky(kernel(samples), samples.length);
  const byClass = Array.from({ length: classCount }, (_, label) =>
    solve(
      lower,
      Float64Array.from(labels, (own) => (own === label ? 1 : 0)),
    ),
  );
  return fold(samples, byClass);
}

/** The score of every class for one text. */
export function scoreClasses(model: LinearWeights, vector: FeatureVector, classCount: number): Float64Array {
  const scores = new Float64Array(classCount);
  const { rows, starts, classes, weights } = model;
  for (let i = 0; i < vector.hashes.length; i++) {
    const row = rows.get(vector.hashes[i] ?? 0);
    if (row === undefined) continue;
    const value = vector.values[i] ?? 0;
    const end = starts[row + 1] ?? 0;
    for (let at = starts[row] ?? 0; at < end; at++) {
      const label = classes[at] ?? 0;
      scores[label] = (scores[label] ?? 0) + value * (weights[at] ?? 0);
    }
  }
  return scores;
}

/** K + 0.5·I, row after row; only the lower triangle is filled in. */
function kernel(samples: readonly FeatureVector[]): Float64Array {
  const n = samples.length;
  const matrix = new Float64Array(n * n);
  const seen = new Map<number, { readonly samples: number[]; readonly values: number[] }>();
  for (const [i, { hashes, values }] of samples.entries()) {
    for (let f = 0; f < hashes.length; f++) {
      const hash = hashes[f] ?? 0;
      const value = values[f] ?? 0;
      let column = seen.get(hash);
      if (!column) seen.set(hash, (column = { samples: [], values: [] }));
      column.samples.push(i);
      column.values.push(value);
      for (let k = 0; k < column.samples.length; k++) {
        const at = i * n + (column.samples[k] ?? 0);
        matrix[at] = (matrix[at] ?? 0) + value * (column.values[k] ?? 0);
      }
    }
    matrix[i * n + i] = (matrix[i * n + i] ?? 0) + RIDGE;
  }
  return matrix;
}

/** Turns the lower triangle of a positive definite matrix into its Cholesky factor, in place. */
function cholesky(matrix: Float64Array, n: number): Float64Array {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * n + j] ?? 0;
      for (let k = 0, a = i * n, b = j * n; k < j; k++) sum -= (matrix[a + k] ?? 0) * (matrix[b + k] ?? 0);
      matrix[i * n + j] = i === j ? Math.sqrt(sum) : sum / (matrix[j * n + j] ?? 1);
    }
  }
  return matrix;
}

/** Solves L·Lᵀ·x = y; `y` is overwritten with x. */
function solve(lower: Float64Array, y: Float64Array): Float64Array {
  const n = y.length;
  for (let i = 0; i < n; i++) {
    let sum = y[i] ?? 0;
    for (let k = 0; k < i; k++) sum -= (lower[i * n + k] ?? 0) * (y[k] ?? 0);
    y[i] = sum / (lower[i * n + i] ?? 1);
  }
  for (let i = n - 1; i >= 0; i--) {
    const value = (y[i] ?? 0) / (lower[i * n + i] ?? 1);
    y[i] = value;
    for (let k = 0; k < i; k++) y[k] = (y[k] ?? 0) - (lower[i * n + k] ?? 0) * value;
  }
  return y;
}

function fold(samples: readonly FeatureVector[], byClass: readonly Float64Array[]): LinearWeights {
  const dense = new Map<number, Float64Array>();
  for (const [i, { hashes, values }] of samples.entries()) {
    for (let f = 0; f < hashes.length; f++) {
      const hash = hashes[f] ?? 0;
      let row = dense.get(hash);
      if (!row) dense.set(hash, (row = new Float64Array(byClass.length)));
      for (const [label, alpha] of byClass.entries()) {
        row[label] = (row[label] ?? 0) + (values[f] ?? 0) * (alpha[i] ?? 0);
      }
    }
  }
  const rows = new Map<number, number>();
  const starts = new Int32Array(dense.size + 1);
  const classes: number[] = [];
  const weights: number[] = [];
  for (const [hash, row] of dense) {
    for (const [label, weight] of row.entries()) {
      if (Math.abs(weight) < NEGLIGIBLE) continue;
      classes.push(label);
      weights.push(weight);
    }
    rows.set(hash, rows.size);
    starts[rows.size] = classes.length;
  }
  return { rows, starts, classes: Int32Array.from(classes), weights: Float64Array.from(weights) };
}
