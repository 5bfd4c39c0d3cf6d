import { readFile } from "node:fs/promises";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import type { GeneratedDocument } from "./document.ts";
import { withSection } from "./section.ts";

/** docs/operating.md: the table of exit codes. The rest is written by hand. */
export const operating: GeneratedDocument = {
  path: "docs/operating.md",
  async render() {
    const text = await readFile(new URL("../operating.md", import.meta.url), "utf8");
    const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
    return withSection(text, "exit codes", ["| code | meaning |", "|---|---|", ...rows].join("\n"));
  },
};
