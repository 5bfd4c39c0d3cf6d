/**
 * Builds src/intent/background.json: `node scripts/build-background.ts <hwu64.json>`.
 * The argument is the HWU64 data set as JSON: `{train: {intent: [text, …]}, test: {intent: [text, …]}}`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { extractEntities } from "../src/intent/extract.ts";
import { hashFeatures } from "../src/intent/features.ts";
import { normalise } from "../src/intent/normalise.ts";

const FEATURES = 5000;
const RECORD_BYTES = 6;
const Texts = z.record(z.string(), z.array(z.string()));
const Hwu64 = z.object({ train: Texts, test: Texts });

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error("usage: node scripts/build-background.ts <hwu64.json>");
  process.exitCode = 2;
} else {
  const { train, test } = Hwu64.parse(JSON.parse(readFileSync(path, "utf8")));
  const texts = [...Object.values(train).flat(), ...Object.values(test).flat()];
  const table = countFeatures(texts);
  writeFileSync(
    new URL("../src/intent/background.json", import.meta.url),
    `${JSON.stringify(table, null, 2)}\n`,
  );
  console.log(`${FEATURES} features of ${texts.length} texts`);
}

/** The commonest features of the texts as src/intent/background.ts reads them; the same texts give the same table. */
function countFeatures(texts: readonly string[]): { texts: number; features: string } {
  const counts = new Map<number, number>();
  for (const text of texts) {
    const [whole = []] = normalise(text, extractEntities(text));
    const { words, characters } = hashFeatures(whole);
    for (const hash of [...words, ...characters]) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const commonest = [...counts].sort(([a, m], [b, n]) => n - m || a - b).slice(0, FEATURES);
  const view = new DataView(new ArrayBuffer(commonest.length * RECORD_BYTES));
  for (const [i, [hash, count]] of commonest.sort(([a], [b]) => a - b).entries()) {
    view.setInt32(i * RECORD_BYTES, hash, true);
    view.setUint16(i * RECORD_BYTES + 4, count, true);
  }
  return { texts: texts.length, features: Buffer.from(view.buffer).toString("base64") };
}
