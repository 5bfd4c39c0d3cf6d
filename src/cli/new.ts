import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { withRole } from "../catalog/edit-manifest.ts";
import { readTree, type AgentFolder } from "../catalog/index.ts";
import { refuseAgentName } from "../catalog/manifest.ts";
import { ANY_CAPABILITY } from "../catalog/known.ts";
import { CHAT_NAMES } from "../catalog/shape.ts";
import { asName, didYouMean, shownPath } from "../catalog/suggest.ts";
import { failure, isFailure, replaceFile, type FailureValue, type Ids } from "../envelope/index.ts";
import { manifestText, roleText, testText } from "./new-files.ts";
import { poolOfTwins, writeTwin } from "./new-twin.ts";

/** What was written, and the command by which it can be asked at once. */
export interface Written {
  /** As people should read them. */
  readonly files: readonly string[];
  readonly command: string;
  /** The agent that has it, and whom that one answers to; the root to nobody. */
  readonly agent: string;
  readonly master?: string;
}

const NAME = /^[a-z][a-z0-9-]*$/;
const SCHEMA = join(import.meta.dirname, "../../schemas/agent.schema.json");

/**
 * Writes a new agent with a first role of its name, and that role's test. Without a master it answers to the root;
 * in an empty folder it is the root. With `like` it has that agent's roles, settings and master instead, and shares
 * what is asked with it in a pool. E_USAGE for a bad or taken name or pool, E_NOT_FOUND for an unknown master or agent.
 */
export async function newAgent(wanted: {
  readonly rolesDir: string;
  readonly name: string;
  readonly master?: string | undefined;
  readonly like?: string | undefined;
  readonly pool?: string | undefined;
  readonly ids: Ids;
}): Promise<Written | FailureValue> {
  const { rolesDir, name, ids } = wanted;
  const bad =
    refuseName("agent", name) ?? (wanted.pool === undefined ? undefined : refuseName("pool", wanted.pool));
  if (bad) return bad;
  await mkdir(rolesDir, { recursive: true });
  const { agents } = await readTree(rolesDir, ANY_CAPABILITY);
  const taken = agents.find(({ manifest }) => manifest.name === name);
  if (taken) return failure("E_USAGE", `There is an agent ${name} already, in ${shownPath(taken.dir)}.`);
  const dir = join(rolesDir, name);
  if (wanted.like !== undefined) return newTwin({ ...wanted, like: wanted.like, dir, agents });
  const master = findMaster(agents, wanted.master);
  if (isFailure(master)) return master;
  if (master === undefined && wanted.pool !== undefined) {
    return failure("E_USAGE", "The first agent is the root, which is in no pool: leave --pool out.");
  }

  const taking = await takeFolder(dir);
  if (isFailure(taking)) return taking;
  const manifest = join(dir, "agent.yml");
  const schema = relative(dir, SCHEMA).split(sep).join("/");
  const id = ids.next();
  const { pool } = wanted;
  await writeFile(manifest, manifestText({ id, name, master: master?.manifest, role: name, schema, pool }));
  const role = await writeRole({ dir, role: name, agents });
  if (isFailure(role)) return role;
  return { ...role, files: [shownPath(manifest), ...role.files], ...placeOf(name, master) };
}

async function newTwin(wanted: {
  readonly name: string;
  readonly dir: string;
  readonly like: string;
  readonly master?: string | undefined;
  readonly pool?: string | undefined;
  readonly ids: Ids;
  readonly agents: readonly AgentFolder[];
}): Promise<Written | FailureValue> {
  const { name, dir, agents, ids } = wanted;
  const like = findAgent(agents, wanted.like);
  if (isFailure(like)) return like;
  const pool = poolOfTwins(like, { master: wanted.master, pool: wanted.pool }, agents);
  if (isFailure(pool)) return pool;
  const taking = await takeFolder(dir);
  if (isFailure(taking)) return taking;
  const files = await writeTwin({ id: ids.next(), name, dir, like, pool });
  const command = like.roles.flatMap(({ commands }) => commands.map((one) => one.name))[0];
  return { files, command: command ?? "help", ...placeOf(name, masterOf(like, agents)) };
}

function placeOf(agent: string, master: AgentFolder | undefined): Pick<Written, "agent" | "master"> {
  return { agent, ...(master === undefined ? {} : { master: master.manifest.name }) };
}

function masterOf({ manifest }: AgentFolder, agents: readonly AgentFolder[]): AgentFolder | undefined {
  return agents.find((other) => other.manifest.id === manifest.master_id);
}

async function takeFolder(dir: string): Promise<FailureValue | void> {
  const made = await mkdir(dir).then(() => true, refuseTaken);
  if (!made)
    return failure("E_USAGE", `${shownPath(dir)} exists already: choose another name, or remove it.`);
}

/**
 * Writes a new role of an agent and its test, and adds it to the agent's allow-list.
 * E_USAGE for a bad or taken name, E_NOT_FOUND for an unknown agent.
 */
export async function newRole(wanted: {
  readonly rolesDir: string;
  readonly agent: string;
  readonly role: string;
}): Promise<Written | FailureValue> {
  const { rolesDir, role } = wanted;
  const bad = refuseName("role", role);
  if (bad) return bad;
  const { agents } = await readTree(rolesDir, ANY_CAPABILITY);
  const agent = findAgent(agents, wanted.agent);
  if (isFailure(agent)) return agent;
  const written = await writeRole({ dir: agent.dir, role, agents });
  if (isFailure(written)) return written;
  const manifest = join(agent.dir, "agent.yml");
  await replaceFile(manifest, withRole(await readFile(manifest, "utf8"), role));
  const files = [...written.files, shownPath(manifest)];
  return { ...written, files, ...placeOf(agent.manifest.name, masterOf(agent, agents)) };
}

async function writeRole(wanted: {
  readonly dir: string;
  readonly role: string;
  readonly agents: readonly AgentFolder[];
}): Promise<Pick<Written, "files" | "command"> | FailureValue> {
  const { dir, role, agents } = wanted;
  const command = freeCommand(role, agents);
  const title = role.replaceAll("-", " ");
  const files = [
    { file: join(dir, `${role}.ts`), text: roleText({ command, title }) },
    { file: join(dir, `${role}.test.ts`), text: testText({ name: role, command, title }) },
  ];
  for (const { file, text } of files) {
    const made = await writeFile(file, text, { flag: "wx" }).then(() => true, refuseTaken);
    if (!made) {
      const where = `${basename(dirname(file))}/${basename(file)}`;
      return failure("E_USAGE", `${where} exists already: choose another name, or remove it.`);
    }
  }
  return { files: files.map(({ file }) => shownPath(file)), command };
}

/** A name for the role's first command that nobody in the tree has. */
function freeCommand(role: string, agents: readonly AgentFolder[]): string {
  const taken = new Set(
    agents.flatMap(({ roles }) => roles.flatMap(({ commands }) => commands.map(({ name }) => name))),
  );
  const name = asName(role, "_");
  const isFree = (candidate: string): boolean => !taken.has(candidate) && !CHAT_NAMES.has(candidate);
  let candidate = name;
  for (let n = 2; !isFree(candidate); n += 1) candidate = `${name}_${n}`;
  return candidate;
}

function findMaster(
  agents: readonly AgentFolder[],
  name: string | undefined,
): AgentFolder | undefined | FailureValue {
  if (name !== undefined) return findAgent(agents, name);
  const root = agents.find(({ manifest }) => manifest.master_id === "");
  if (root !== undefined || agents.length === 0) return root;
  return failure("E_NOT_FOUND", `There is no root yet: name the master by --master. ${listed(agents)}`);
}

function findAgent(agents: readonly AgentFolder[], name: string): AgentFolder | FailureValue {
  const found = agents.find(({ manifest }) => manifest.name === name);
  const names = agents.map(({ manifest }) => manifest.name);
  return (
    found ?? failure("E_NOT_FOUND", `There is no agent ${name}${didYouMean(name, names)}. ${listed(agents)}`)
  );
}

function listed(agents: readonly AgentFolder[]): string {
  if (agents.length === 0) return "There are no agents yet: make one by `voxtree new agent <name>`.";
  return `The agents are ${agents.map(({ manifest }) => manifest.name).join(", ")}.`;
}

function refuseName(kind: "agent" | "role" | "pool", name: string): FailureValue | undefined {
  const isSpeltWell = NAME.test(name);
  const taken = isSpeltWell && kind === "agent" ? refuseAgentName(name) : undefined;
  if (isSpeltWell && taken === undefined) return undefined;
  const better = asName(name, "-");
  const mend =
    taken ?? (better === "" ? "use a to z, 0 to 9 and -, beginning with a letter" : `try ${better}`);
  return failure(
    "E_USAGE",
    `"${name}" cannot be the name of ${kind === "agent" ? "an agent" : `a ${kind}`}: ${mend}.`,
  );
}

/** False for what exists already; anything else is thrown on. */
function refuseTaken(error: NodeJS.ErrnoException): false {
  if (error.code === "EEXIST") return false;
  throw error;
}
