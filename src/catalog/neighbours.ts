import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { failure, isFailure, readRegularFile, type FailureValue } from "../envelope/index.ts";
import { readAgent, type AgentFolder } from "./agent-folder.ts";
import type { Known } from "./known.ts";
import { AgentManifest } from "./manifest.ts";
import { didYouMean, shownPath } from "./suggest.ts";
import { readTree, type Tree } from "./tree.ts";

const Neighbour = AgentManifest.pick({ id: true, name: true });
/** Of its children a master knows also which offer their commands together, and which do not start by themselves. */
const Child = AgentManifest.pick({ id: true, name: true, pool: true }).extend({
  autostart: z.boolean().optional(),
});

const MOST_CHILDREN = 1000;

/** Whom an agent knows: its master, which the root does not have, and its children. Nobody else. */
export const Neighbours = z.strictObject({
  master: Neighbour.strict().nullable(),
  children: z.array(Child.strict()).max(MOST_CHILDREN, `names more than ${MOST_CHILDREN} children`),
});
export type Neighbours = z.output<typeof Neighbours>;

/** The file beside agent.yml that says whom an agent knows where the others' folders are not. */
export const NEIGHBOURS_FILE = "neighbours.json";

/** An agent with whom it knows. */
export interface AgentPlace {
  readonly folder: AgentFolder;
  readonly neighbours: Neighbours;
}

/** Whom an agent knows by the manifests of the whole tree. */
export function neighboursOf({ manifest }: AgentFolder, agents: readonly AgentFolder[]): Neighbours {
  const master = agents.find((other) => other.manifest.id === manifest.master_id);
  return {
    master: master === undefined ? null : asNeighbour(master),
    children: agents.filter((other) => other.manifest.master_id === manifest.id).map(asChild),
  };
}

function asNeighbour({ manifest: { id, name } }: AgentFolder): z.output<typeof Neighbour> {
  return { id, name };
}

function asChild(child: AgentFolder): z.output<typeof Child> {
  const { pool, autostart } = child.manifest;
  return {
    ...asNeighbour(child),
    ...(pool === undefined ? {} : { pool }),
    ...(autostart ? {} : { autostart }),
  };
}

/**
 * Finds one agent, by its name or as the root, and whom it knows: by the others' manifests where all of them are in the
 * folder, else by its own neighbours.json. E_NOT_FOUND for a name that nobody has, E_MANIFEST for what does not fit.
 */
export async function findPlace(
  rolesDir: string,
  { name, known }: { readonly name: string | undefined; readonly known: Known },
): Promise<AgentPlace | FailureValue> {
  const tree = await readTree(rolesDir, known);
  const folder = tree.agents.find(({ manifest }) =>
    name === undefined ? manifest.master_id === "" : manifest.name === name,
  );
  if (folder === undefined) return explainAbsence(tree, { rolesDir, name, known });
  const written = await readNeighbours(folder);
  if (isWhole(tree, folder, written)) return { folder, neighbours: neighboursOf(folder, tree.agents) };
  if (isFailure(written)) return written;
  if (written !== undefined) return { folder, neighbours: written };
  if (tree.agents.length > 1) return problemsOf(tree);
  const file = shownPath(join(folder.dir, NEIGHBOURS_FILE));
  const text = `${file} is missing, and so are the folders of the other agents: run \`voxtree provision\` where the whole tree is, and bring the file along.`;
  return failure("E_MANIFEST", text);
}

/** Whether the manifests that are here say it all. Who knows somebody whose folder is not here stands alone or with a few. */
function isWhole(
  { agents, problems }: Tree,
  { manifest }: AgentFolder,
  written: Neighbours | FailureValue | undefined,
): boolean {
  if (problems.length > 0) return false;
  if (agents.length === 1) return manifest.master_id === "" && written === undefined;
  if (written === undefined || isFailure(written)) return true;
  const ids = new Set(agents.map((agent) => agent.manifest.id));
  return [...(written.master === null ? [] : [written.master]), ...written.children].every(({ id }) =>
    ids.has(id),
  );
}

async function explainAbsence(
  tree: Tree,
  { rolesDir, name, known }: { rolesDir: string; name: string | undefined; known: Known },
): Promise<FailureValue> {
  if (name === undefined) {
    if (tree.problems.length > 0) return problemsOf(tree);
    return failure("E_MANIFEST", `There is no agent in ${shownPath(rolesDir)}.`);
  }
  // Its manifest may be what is wrong.
  const dir = join(rolesDir, name);
  const own = basename(dir) === name && existsSync(dir) ? await readAgent(dir, known) : undefined;
  if (isFailure(own)) return own;
  const names = tree.agents.map(({ manifest }) => manifest.name);
  const others = names.length === 0 ? "" : `; the agents are ${names.join(", ")}`;
  const where = shownPath(rolesDir);
  return failure("E_NOT_FOUND", `There is no agent ${name} in ${where}${didYouMean(name, names)}${others}.`);
}

function problemsOf({ problems }: Tree): FailureValue {
  return failure("E_MANIFEST", problems.map(({ text }) => text).join("\n"));
}

/** What neighbours.json of an agent says; undefined where there is none. E_MANIFEST when it cannot be, by the agent's own manifest. */
async function readNeighbours(folder: AgentFolder): Promise<Neighbours | FailureValue | undefined> {
  const path = join(folder.dir, NEIGHBOURS_FILE);
  const refuse = (what: string): FailureValue =>
    failure(
      "E_MANIFEST",
      `${shownPath(path)} ${what}: run \`voxtree provision\` where the whole tree is, and bring the file along.`,
    );
  const text = readIfThere(path, (error) => refuse(`cannot be read (${error.code ?? error.message})`));
  if (text === undefined || isFailure(text)) return text;
  const value = parseJson(text);
  if (value === undefined) return refuse("is not JSON");
  const parsed = Neighbours.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = issue?.path.map(String).join(".") ?? "";
    return refuse(`does not fit${at && ` at ${at}`} (${issue?.message})`);
  }
  const wrong = contradictionIn(parsed.data, folder.manifest);
  return wrong === undefined ? parsed.data : refuse(wrong);
}

/** Whether a text has the shape of a neighbours.json. */
export function isNeighbours(text: string): boolean {
  return Neighbours.safeParse(parseJson(text)).success;
}

function readIfThere(
  path: string,
  refuse: (error: NodeJS.ErrnoException) => FailureValue,
): string | undefined | FailureValue {
  try {
    return readRegularFile(path);
  } catch (error) {
    const given = error as NodeJS.ErrnoException;
    return given.code === "ENOENT" ? undefined : refuse(given);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function contradictionIn({ master, children }: Neighbours, self: AgentManifest): string | undefined {
  if (master === null && self.master_id !== "")
    return `names no master, and agent.yml has master_id ${self.master_id}`;
  if (master !== null && self.master_id === "") return "names a master, and agent.yml is the root's";
  if (master !== null && master.id !== self.master_id)
    return `names the master ${master.id}, and agent.yml ${self.master_id}`;
  const seen: { id: string; name: string }[] = [{ id: self.id, name: self.name }];
  for (const one of [...(master === null ? [] : [master]), ...children]) {
    const twin = seen.find(({ id, name }) => id === one.id || name === one.name);
    if (twin === seen[0]) return `names ${self.name} itself`;
    if (twin !== undefined) return `names ${one.name} and ${twin.name}, which have one id or one name`;
    seen.push(one);
  }
  return undefined;
}
