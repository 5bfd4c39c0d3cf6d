/** The name of Redis among the containers. */
export const REDIS = "redis";

/** An agent as docker-compose.yml shows it. */
export interface ComposedAgent {
  readonly name: string;
  /** Its folder as a path from docker-compose.yml. */
  readonly folder: string;
  readonly isRoot: boolean;
  /** Whether it speaks in the war room. */
  readonly isWarRoom: boolean;
  /** Whether it starts with the others. */
  readonly autostart: boolean;
}

/** Where everything is in a container; the Dockerfile makes the same places. */
const HOME = "/voxtree";
const DATA = "/var/lib/voxtree";
const HEALTH_PORT = 8787;

/** A container has no curl. */
const IS_WELL = `fetch('http://127.0.0.1:${HEALTH_PORT}/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;

const HEAD = `# Written by \`voxtree provision\` from the agents' folders, and written anew by it: changes of your own
# go into docker-compose.override.yml, which Docker Compose reads as well.
# Each agent sees its own folder, its own memory and, through Redis, its neighbours; no other agent's name resolves.
`;

const AGENT = (build: string): string => `x-agent: &agent
  build: ${JSON.stringify(build)}
  restart: unless-stopped
  init: true
  stop_grace_period: 20s
  read_only: true
  tmpfs: [/tmp]
  cap_drop: [ALL]
  security_opt: ["no-new-privileges:true"]
  depends_on:
    ${REDIS}:
      condition: service_healthy
  healthcheck:
    test:
      - CMD
      - node
      - -e
      - ${JSON.stringify(IS_WELL)}
    interval: 30s
    timeout: 5s
    start_period: 30s
    retries: 3

# Settings; those that are passed on come from the environment or from .env beside this file.
x-environment: &environment
  REDIS_URL: redis://${REDIS}:6379
  VOXTREE_DATA_DIR: ${DATA}
  VOXTREE_HEALTH_PORT: "${HEALTH_PORT}"
${["VOXTREE_LOG_LEVEL", "VOXTREE_KEEP_DAYS", "VOXTREE_DURABILITY", "TZ", "NET_ALLOW"]
  .map((name) => `  ${name}: \${${name}:-}\n`)
  .join("")}`;

/** Durable, and full is full: a queue that forgets what it holds would only be noticed by its silence. */
const redisOf = (agents: readonly ComposedAgent[]): string => `  ${REDIS}:
    image: redis:7.4-alpine
    command: [redis-server, --appendonly, "yes", --appendfsync, everysec, --save, "", --maxmemory-policy, noeviction, --proto-max-bulk-len, 4mb]
    restart: unless-stopped
    user: ${REDIS}
    read_only: true
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    healthcheck:
      test: [CMD, redis-cli, -e, ping]
      interval: 5s
      timeout: 3s
      retries: 12
    networks: [${agents.map(({ name }) => name).join(", ")}]
    volumes:
      - ${REDIS}:/data
`;

/** Who talks to Telegram holds the bot's token; nobody else does. */
const BOT = ["TELEGRAM_BOT_TOKEN", "TELEGRAM_API_ROOT", "WAR_ROOM_CHAT"];

function environmentOf({ isRoot, isWarRoom }: ComposedAgent): string {
  const own = [...(isRoot || isWarRoom ? BOT : []), ...(isRoot ? ["TELEGRAM_ALLOWED_USERS"] : [])];
  if (own.length === 0) return "    environment: *environment\n";
  const lines = own.map((name) => `      ${name}: \${${name}:-}\n`).join("");
  return `    environment:\n      <<: *environment\n${lines}`;
}

const agentOf = (agent: ComposedAgent): string => {
  const { name, folder, isRoot, autostart } = agent;
  return `  ${name}:
    <<: *agent
${isRoot ? "    # `docker compose attach " + name + "` is the chat; Ctrl-P Ctrl-Q leaves it.\n" : ""}${
    isRoot ? "    command: [start]\n    stdin_open: true\n    tty: true\n" : `    command: [agent, ${name}]\n`
  }${autostart ? "" : `    # It starts when it is named: docker compose up -d ${name}\n    profiles: [${name}]\n`}${environmentOf(agent)}    networks: [${name}]
    volumes:
      - ${JSON.stringify(`${folder}:${HOME}/roles/${folder.slice(folder.lastIndexOf("/") + 1)}:ro`)}
      - ${name}:${DATA}
`;
};

/** The text of docker-compose.yml: Redis, and each agent a container with a network of its own. */
export function composeText({
  build,
  agents,
}: {
  /** The folder of the Dockerfile as a path from docker-compose.yml. */
  readonly build: string;
  readonly agents: readonly ComposedAgent[];
}): string {
  const names = agents.map(({ name }) => name);
  const listed = (all: readonly string[]): string => all.map((name) => `  ${name}:\n`).join("");
  return [
    HEAD,
    AGENT(build),
    `services:\n${[redisOf(agents), ...agents.map(agentOf)].join("\n")}`,
    `networks:\n${listed(names)}`,
    `volumes:\n${listed([REDIS, ...names])}`,
  ].join("\n");
}
