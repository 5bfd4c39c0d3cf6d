import { readFile } from "node:fs/promises";
import { BOUNDS } from "../../src/intent/zones.ts";
import type { GeneratedDocument } from "./document.ts";
import { recordExplain } from "./recording.ts";
import { withSection } from "./section.ts";

/** docs/intent.md: the bounds of the zones, and a text explained. The rest is written by hand. */
export const intent: GeneratedDocument = {
  path: "docs/intent.md",
  async render() {
    const text = await readFile(new URL("../intent.md", import.meta.url), "utf8");
    return withSection(withSection(text, "zones", zoneTable()), "explain", await recordExplain());
  },
};

function zoneTable(): string {
  const rows = Object.entries(BOUNDS).map(
    ([effect, { fire, lead, ask }]) => `| \`${effect}\` | ${fire} | ${lead} | ${ask} |`,
  );
  return [
    "| effect | done from a score of | with a lead of | asked about from |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
}
