import { join } from "node:path";
import type { Agent, AgentRole, DisabledRoleNote, House, PeopleParts } from "../agent/index.ts";
import { createAgent, createHouse, createOwnStore } from "../agent/index.ts";
import type { AgentFolder, AgentPlace } from "../catalog/index.ts";
import { loadRole } from "../catalog/index.ts";
import type { Clock, FailureValue, Ids } from "../envelope/index.ts";
import { failure, isFailure } from "../envelope/index.ts";
import type { CapabilityDefinition, MountedCapability } from "../sdk/capability.ts";
import type { Log } from "../sdk/context.ts";
import type { AgentParts } from "../agent/index.ts";

type Ledger = AgentParts["ledger"];

/** What the agents of this process are made of. */
export interface OrchestratorParts {
  /** In the order in which they start: children before their masters. The last one is the topmost here. */
  readonly places: readonly AgentPlace[];
  readonly dataDir: string;
  readonly keepMs: number;
  readonly capabilities: readonly CapabilityDefinition[];
  readonly transport: AgentParts["transport"];
  readonly openLedger: (path: string, onFailure: (error: Error) => void) => Ledger | FailureValue;
  readonly lockFolder: (folder: string) => { release(): void } | FailureValue;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  readonly logOf: (agent: string) => Log;
  /** The root's way to people, where the root is here. */
  readonly people?: PeopleParts;
  /** A handler of one of the agents has begun. */
  readonly onBegin?: (handler: string) => void;
  /** An agent can no longer write its ledger: the process must end. */
  readonly onFatal: (agent: string, error: Error) => void;
}

/** An agent in the operator's view of the tree. */
export interface HierarchyNode {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly health: "ok" | "degraded";
  /** Its own commands. */
  readonly commands: readonly {
    readonly name: string;
    readonly description: string;
    readonly example?: string;
  }[];
  readonly disabled: readonly DisabledRoleNote[];
  readonly children: readonly HierarchyNode[];
}

/** The agents of this process. */
export interface Orchestrator {
  /** The topmost agent of this process: the root, unless that one runs elsewhere. */
  readonly top: Agent;
  /** The ids of an agent's children. */
  children(id: string): readonly string[];
  hierarchySnapshot(): HierarchyNode;
  /** How many roles of these agents cannot run. */
  degradedRoles(): number;
  /** Raises on_boot, from the leaves up: everything is there. */
  boot(): Promise<void>;
  /** Stops as planned, from the root down, so that what is in work still finds its children. */
  stop(graceMs: number): Promise<void>;
}

interface Member {
  readonly place: AgentPlace;
  readonly agent: Agent;
  readonly roles: readonly AgentRole[];
  readonly lock: { release(): void };
}

const CHILDREN_KNOWN_WITHIN_MS = 5000;

/**
 * Starts the agents of this process. Where all are here, each waits for its children; what runs elsewhere comes when it comes.
 * Nothing is left behind when it fails.
 */
export async function startAgents(parts: OrchestratorParts): Promise<Orchestrator | FailureValue> {
  const members: Member[] = [];
  const house = createHouse();
  for (const place of parts.places) {
    const member = await startMember(place, { ...parts, house }).catch(async (error: unknown) => {
      await stopAll(members, { graceMs: 0, clock: parts.clock });
      throw error;
    });
    if (isFailure(member)) {
      await stopAll(members, { graceMs: 0, clock: parts.clock });
      return member;
    }
    members.push(member);
    if (!parts.transport.isShared) await member.agent.childrenKnown(CHILDREN_KNOWN_WITHIN_MS);
  }
  const top = members.at(-1);
  if (!top) return failure("E_MANIFEST", "No agent starts by itself: set autostart: true in one.");
  return createOrchestrator(members, top, parts.clock);
}

function createOrchestrator(members: readonly Member[], top: Member, clock: Clock): Orchestrator {
  const childrenOf = (id: string): readonly Member[] =>
    members.filter(({ place }) => place.folder.manifest.master_id === id);
  const view = ({ place, agent, roles }: Member): HierarchyNode => ({
    id: agent.self.id,
    name: agent.self.name,
    state: agent.state,
    health: agent.disabled.length > 0 || agent.collisions.length > 0 ? "degraded" : "ok",
    commands: roles.flatMap(({ announcements }) => announcements.map(describe)),
    disabled: agent.disabled,
    children: [...childrenOf(agent.self.id).map(view), ...elsewhere(place, agent)],
  });
  /** Children that run in other processes, as their master knows them. */
  const elsewhere = ({ neighbours }: AgentPlace, agent: Agent): HierarchyNode[] =>
    neighbours.children
      .filter((child) => !members.some(({ place }) => place.folder.manifest.id === child.id))
      .map(({ id, name }) => {
        const seen = agent.children().find((child) => child.name === name);
        const commands = agent.commands().filter((command) => seen?.commands.includes(command.name));
        return {
          id,
          name,
          state:
            seen?.state === "online" && !agent.hasHeard(name) ? "not heard yet" : (seen?.state ?? "offline"),
          health: "ok",
          commands: commands.map(describe),
          disabled: [],
          children: [],
        };
      });
  return {
    top: top.agent,
    children: (id) => childrenOf(id).map(({ agent }) => agent.self.id),
    hierarchySnapshot: () => view(top),
    degradedRoles: () => members.reduce((sum, { agent }) => sum + agent.disabled.length, 0),
    async boot() {
      for (const { agent } of members) await agent.boot();
    },
    stop: (graceMs) => stopAll(members, { graceMs, clock }),
  };
}

/** Stops from the root down, all within one grace. One that cannot stop as planned does not keep the others from it. */
async function stopAll(
  members: readonly Member[],
  { graceMs, clock }: { readonly graceMs: number; readonly clock: Clock },
): Promise<void> {
  const errors: unknown[] = [];
  const until = clock.monotonic() + graceMs;
  for (const { agent, lock } of members.toReversed()) {
    await agent.stop(Math.max(0, until - clock.monotonic())).catch((error: unknown) => errors.push(error));
    lock.release();
  }
  if (errors.length > 0) throw errors[0];
}

async function startMember(
  place: AgentPlace,
  parts: OrchestratorParts & { readonly house: House },
): Promise<Member | FailureValue> {
  const { folder, neighbours } = place;
  const { manifest } = folder;
  const dir = join(parts.dataDir, manifest.name);
  const lock = parts.lockFolder(dir);
  if (isFailure(lock)) return lock;
  const ledger = parts.openLedger(join(dir, "ledger.db"), (error) => parts.onFatal(manifest.name, error));
  if (isFailure(ledger)) {
    lock.release();
    return ledger;
  }
  const log = parts.logOf(manifest.name);
  const { roles, disabled, capabilities } = await loadRoles(folder, { ...parts, ledger }, log);
  for (const note of disabled) {
    log.warn(`the role ${note.role} is disabled: ${note.reason}`, { ...note });
  }
  const { id, name, vantage, concurrency } = manifest;
  const agent = createAgent({
    self: { id, name, ...(vantage === undefined ? {} : { vantage }) },
    master: neighbours.master === null ? undefined : { ...neighbours.master, relation: "master" },
    children: neighbours.children.map((child) => ({ ...child, relation: "child" })),
    concurrency,
    roles,
    disabled,
    capabilities,
    ledger,
    log,
    keepMs: parts.keepMs,
    transport: parts.transport,
    clock: parts.clock,
    ids: parts.ids,
    random: parts.random,
    house: parts.house,
    ...(parts.onBegin ? { onBegin: parts.onBegin } : {}),
    ...(manifest.master_id === "" && parts.people ? { people: parts.people } : {}),
  });
  try {
    await agent.start();
  } catch (error) {
    for (const capability of capabilities.values()) await capability.close();
    lock.release();
    if (!ledger.hasFailed()) throw error;
    return failure("E_LEDGER", `${name} cannot use its ledger: ${(error as Error).message}`);
  }
  return { place, agent, roles, lock };
}

/** Loads an agent's roles and mounts what they require. What does not work disables its role, with the reason. */
async function loadRoles(
  folder: AgentFolder,
  parts: Pick<OrchestratorParts, "capabilities"> & { readonly ledger: Ledger },
  log: Log,
): Promise<{
  roles: readonly AgentRole[];
  disabled: readonly DisabledRoleNote[];
  capabilities: ReadonlyMap<string, MountedCapability>;
}> {
  const roles: AgentRole[] = [];
  const disabled: DisabledRoleNote[] = [...folder.disabled];
  const capabilities = new Map<string, MountedCapability>();
  const { id, name } = folder.manifest;

  const mount = async (capability: string): Promise<string | undefined> => {
    if (capabilities.has(capability)) return undefined;
    const definition = parts.capabilities.find((known) => known.id === capability);
    if (!definition) return `there is no capability ${capability}`;
    const settings = definition.settings.safeParse(folder.manifest.capabilities[capability] ?? {});
    if (!settings.success)
      return `capabilities.${capability} in agent.yml: ${settings.error.issues[0]?.message}`;
    try {
      const own = createOwnStore(parts.ledger.values, capability);
      const mounted = await definition.mount({ agent: { id, name }, settings: settings.data, log, own });
      capabilities.set(capability, mounted);
    } catch (error) {
      return `${capability} could not be mounted: ${(error as Error).message}`;
    }
    return undefined;
  };

  for (const file of folder.roles) {
    const reasons = [];
    for (const capability of file.requires) reasons.push(await mount(capability));
    const reason = reasons.find((one) => one !== undefined);
    if (reason !== undefined) {
      disabled.push({
        role: file.name,
        file: file.file,
        code: "E_ROLE_CAPABILITY",
        reason,
        remedy: "Correct agent.yml.",
      });
      continue;
    }
    const loaded = await loadRole(file);
    if ("announcements" in loaded) roles.push(loaded);
    else disabled.push(loaded);
  }
  return { roles, disabled, capabilities };
}

function describe({ name, description, prompts }: AgentRole["announcements"][number]) {
  const english =
    typeof description === "string"
      ? description
      : (description["en"] ?? Object.values(description)[0] ?? "");
  const examples = Array.isArray(prompts) ? prompts : (prompts["en"] ?? Object.values(prompts)[0] ?? []);
  const [example] = examples;
  return { name, description: english, ...(example === undefined ? {} : { example }) };
}
