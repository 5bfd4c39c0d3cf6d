/**
 * Writes the documents that are made from the code: `npm run docs`.
 * A new one is a file in docs/generate/ and a line in the list below.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { GeneratedDocument } from "./generate/document.ts";
import { failures } from "./generate/failures.ts";
import { intent } from "./generate/intent.ts";
import { operating } from "./generate/operating.ts";
import { readme } from "./generate/readme.ts";
import { schema } from "./generate/schema.ts";
import { settings } from "./generate/settings.ts";
import { telegram } from "./generate/telegram.ts";

/** Every generated document. Several may stand in one file, each in a section of its own. */
export const DOCUMENTS: readonly GeneratedDocument[] = [
  failures,
  intent,
  operating,
  readme,
  schema,
  settings,
  telegram,
];

if (import.meta.main) {
  for (const document of DOCUMENTS) {
    const file = fileURLToPath(new URL(`../${document.path}`, import.meta.url));
    const text = await document.render();
    const isSame = (await readFile(file, "utf8").catch(() => "")) === text;
    if (!isSame) await writeFile(file, text);
    console.log(`${isSame ? "unchanged" : "written  "} ${document.path}`);
  }
}
