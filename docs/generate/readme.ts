import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { loadRole, readTree } from "../../src/catalog/index.ts";
import { ANY_CAPABILITY } from "../../src/catalog/known.ts";
import { settingsTable } from "../../src/settings.ts";
import type { CommandAnnouncement } from "../../src/sdk/announcement.ts";
import type { GeneratedDocument } from "./document.ts";
import { record, SHIPPED, withoutChance } from "./recording.ts";
import { sectionOf, withSection } from "./section.ts";

const root = new URL("../../", import.meta.url);

/** README.md: its runs of the program, its role, its commands and its settings. The rest is written by hand. */
export const readme: GeneratedDocument = {
  path: "README.md",
  async render() {
    const text = await readFile(new URL("README.md", root), "utf8");
    const { conversation, ask, refusal } = await record();
    const sections = {
      conversation: unlessSame(text, "conversation", conversation),
      role: await roleOfPage(),
      commands: await commandTable(),
      refusal: unlessSame(text, "refusal", refusal),
      ask: unlessSame(text, "ask", ask),
      settings: settingsTable(),
    };
    return Object.entries(sections).reduce((so, [name, body]) => withSection(so, name, body), text);
  },
};

/**
 * What was recorded, or what stands there already where only chance tells the two apart: the figures that are shown were measured
 * together, and a document does not change each time it is made.
 */
function unlessSame(text: string, name: string, recorded: string): string {
  const standing = sectionOf(text, name);
  return withoutChance(standing) === withoutChance(recorded) ? standing : recorded;
}

/** The role that docs/writing-a-role.md builds. */
async function roleOfPage(): Promise<string> {
  const page = await readFile(new URL("docs/writing-a-role.md", root), "utf8");
  const found = /^`roles\/weather\/weather\.ts`\n\n(```ts\n.*?^```)$/ms.exec(page)?.[1];
  if (found === undefined) throw new Error("docs/writing-a-role.md does not show roles/weather/weather.ts.");
  return found;
}

/** A table of the commands of the agents that ship. */
async function commandTable(): Promise<string> {
  const { agents } = await readTree(fileURLToPath(new URL("roles", root)), ANY_CAPABILITY);
  const rows = SHIPPED.map(async (name) => {
    const agent = agents.find(({ manifest }) => manifest.name === name);
    const roles = await Promise.all((agent?.roles ?? []).map(loadRole));
    return roles
      .flatMap((role) => ("announcements" in role ? role.announcements : []))
      .map(
        (command) => `| \`/${command.name}\` | ${name} | ${descriptionOf(command)} | ${exampleOf(command)} |`,
      );
  });
  const head = ["| command | agent | what it does | for example |", "|---|---|---|---|"];
  return [...head, ...(await Promise.all(rows)).flat()].join("\n");
}

function descriptionOf({ description }: CommandAnnouncement): string {
  return (typeof description === "string" ? description : description["en"]) ?? "";
}

function exampleOf({ prompts }: CommandAnnouncement): string {
  return (Array.isArray(prompts) ? prompts : prompts["en"])?.[0] ?? "";
}
