import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asTwin } from "../../src/catalog/edit-manifest.ts";

const TREE = join(import.meta.dirname, "../fixtures/trees/faults/roles");

/** Who can be part of a world, children before their masters; `web-2` is another `web`, of the same pool. */
export const NAMES = ["web", "web-2", "db", "dns", "ops", "root"] as const;
export type Name = (typeof NAMES)[number];

/** Their ids, as their manifests have them. */
export const IDS: ReadonlyMap<string, string> = new Map([
  ["root", "019ad200-0000-7000-8000-000000000001"],
  ["ops", "019ad200-0000-7000-8000-000000000002"],
  ["web", "019ad200-0000-7000-8000-000000000003"],
  ["db", "019ad200-0000-7000-8000-000000000004"],
  ["dns", "019ad200-0000-7000-8000-000000000005"],
  ["web-2", "019ad200-0000-7000-8000-000000000006"],
]);

/** What the roles of the tree offer. */
export type Command = "look" | "change" | "find" | "store" | "resolve" | "hang" | "poison" | "blunder";

/** Copies the role files of these agents, and of nobody else: whoever is not there is not known either. */
export async function copyRoles(rolesDir: string, names: readonly Name[]): Promise<void> {
  for (const name of names) {
    await cp(join(TREE, name === "web-2" ? "web" : name), join(rolesDir, name), { recursive: true });
    if (name !== "web-2") continue;
    const path = join(rolesDir, name, "agent.yml");
    const text = await readFile(path, "utf8");
    await writeFile(path, asTwin(text, { id: IDS.get(name) ?? "", name, pool: "web" }));
  }
}
