import { dirname, join, relative, sep } from "node:path";
import { isNeighbours, NEIGHBOURS_FILE, neighboursOf, type AgentFolder } from "../catalog/index.ts";
import { failure, type FailureValue } from "../envelope/index.ts";
import { composeText, REDIS } from "./compose.ts";

/** A file as it must stand. */
export interface ProvisionedFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  /** Whether a text was written here before; another is somebody's own, and not overwritten. */
  readonly isOurs: (text: string) => boolean;
}

export interface ProvisionParts {
  /** A tree without problems. */
  readonly agents: readonly AgentFolder[];
  /** Absolute path of the agents' folder; docker-compose.yml stands beside it. */
  readonly rolesDir: string;
  /** Absolute path of the folder with the Dockerfile. */
  readonly projectDir: string;
}

/** What a tree needs so that its agents can run apart: a neighbours.json each, and one docker-compose.yml. */
export function provisionFiles(parts: ProvisionParts): readonly ProvisionedFile[] | FailureValue {
  const { agents } = parts;
  const taken = agents.find(({ manifest }) => manifest.name === REDIS);
  if (taken) {
    const text = `${join(taken.dir, "agent.yml")}: beside an agent called ${REDIS} there is no name left for Redis itself; choose another, such as ${REDIS}-watch`;
    return failure("E_MANIFEST", text);
  }
  return [
    ...agents.map((agent) => ({
      path: join(agent.dir, NEIGHBOURS_FILE),
      text: `${JSON.stringify(neighboursOf(agent, agents), null, 2)}\n`,
      isOurs: isNeighbours,
    })),
    composeFile(parts),
  ];
}

function composeFile({ agents, rolesDir, projectDir }: ProvisionParts): ProvisionedFile {
  const dir = dirname(rolesDir);
  const text = composeText({
    build: fromHere(dir, projectDir),
    agents: agents.map(({ dir: folder, roles, manifest: { name, master_id: master, autostart } }) => ({
      name,
      folder: fromHere(dir, folder),
      isRoot: master === "",
      isWarRoom: roles.some(({ requires }) => requires.includes("incidents")),
      autostart,
    })),
  });
  const mark = text.slice(0, text.indexOf("\n"));
  return { path: join(dir, "docker-compose.yml"), text, isOurs: (there) => there.startsWith(mark) };
}

/** As Compose takes it for a path, and not for a volume's name. */
function fromHere(dir: string, path: string): string {
  const way = relative(dir, path).split(sep).join("/");
  return way === "" ? "." : way.startsWith("../") ? way : `./${way}`;
}
