import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { GeneratedDocument } from "./document.ts";
import { withSection } from "./section.ts";

const PATIENCE_MS = 240_000;

/** docs/telegram.md: what is said and seen there. The rest is written by hand. */
export const telegram: GeneratedDocument = {
  path: "docs/telegram.md",
  async render() {
    const text = await readFile(new URL("../telegram.md", import.meta.url), "utf8");
    const player = fileURLToPath(new URL("telegram-life.ts", import.meta.url));
    const played = await promisify(execFile)(process.execPath, [player], { timeout: PATIENCE_MS });
    const scenes = JSON.parse(played.stdout) as Readonly<Record<string, string>>;
    return Object.entries(scenes).reduce(
      (so, [name, said]) => withSection(so, name, `\`\`\`text\n${said}\n\`\`\``),
      text,
    );
  },
};
