import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { untilHealthy } from "../support/health.ts";
import { importsBelow } from "../support/import-graph.ts";
import { closedPort, openSite, startProcess, type Running } from "../support/program.ts";
import { redisServer } from "../support/redis-binary.ts";

const PROJECT = join(import.meta.dirname, "../..");
const STOPPED_WITHIN_MS = 10_000;

const Healthcheck = z.looseObject({ test: z.tuple([z.literal("CMD")], z.string()) });
/** What this test reads of docker-compose.yml; the rest is Docker's to judge. */
const Compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      command: z.array(z.string()),
      environment: z.record(z.string(), z.string()).default({}),
      networks: z.array(z.string()),
      volumes: z.array(z.string()),
      healthcheck: Healthcheck,
      stop_grace_period: z.string().optional(),
    }),
  ),
  networks: z.record(z.string(), z.null()),
  volumes: z.record(z.string(), z.null()),
});
type Container = z.output<typeof Compose>["services"][string];

const { services, networks, volumes } = Compose.parse(
  parse(readFileSync(join(PROJECT, "docker-compose.yml"), "utf8"), { merge: true }),
);
const { redis, ...agents } = services;
if (!redis) throw new Error("docker-compose.yml has no redis");

/** The Dockerfile's instructions: what each is, and its words. */
const instructions = readFileSync(join(PROJECT, "Dockerfile"), "utf8")
  .split("\n")
  .filter((line) => /^[A-Z]+ /.test(line))
  .map((line) => ({ what: line.slice(0, line.indexOf(" ")), rest: line.slice(line.indexOf(" ") + 1) }));
const only = (what: string): string => instructions.find((each) => each.what === what)?.rest ?? "";
const copies = instructions
  .filter(({ what }) => what === "COPY")
  .map(({ rest }) => {
    const words = rest.split(" ");
    return { sources: words.slice(0, -1), target: words.at(-1) ?? "" };
  });

test("the image holds a Node of one minor version and what the Dockerfile copies, and runs as nobody special", () => {
  expect(only("FROM")).toMatch(/^node:24\.\d+-slim$/);
  expect(only("WORKDIR")).toBe("/voxtree");
  expect(only("USER")).toBe("node");
  expect(copies).toEqual([
    { sources: ["package.json", "package-lock.json", ".npmrc"], target: "./" },
    { sources: ["bin"], target: "./bin" },
    { sources: ["src"], target: "./src" },
  ]);
  // The builder is sent nothing else: no ledger, no .env, no other agent's roles.
  const sent = readFileSync(join(PROJECT, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => /^[^#]/.test(line));
  expect(sent).toEqual(["*", ...copies.flatMap(({ sources }) => sources).map((source) => `!${source}`)]);
});

test("what src/ imports is installed without the tools of development", () => {
  const { dependencies } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const wanted = importsBelow("src").filter(({ isLibrary, to }) => isLibrary && !to.startsWith("node:"));
  // A role's author writes tests against it; it is not loaded by what runs.
  const missing = wanted.filter(
    ({ to, from }) => !(to in dependencies) && !from.startsWith("src/sdk/testing/"),
  );
  expect(missing).toEqual([]);
});

test("Redis is durable, refuses rather than forgets, and is published nowhere", () => {
  const { command, ...rest } = redis;
  const settings = Object.fromEntries(
    command.flatMap((word, i) => (word.startsWith("--") ? [[word.slice(2), command[i + 1]]] : [])),
  );
  expect(settings).toEqual({
    appendonly: "yes",
    appendfsync: "everysec",
    save: "",
    "maxmemory-policy": "noeviction",
    "proto-max-bulk-len": "4mb",
  });
  expect(rest).toMatchObject({ image: "redis:7.4-alpine", volumes: ["redis:/data"], user: "redis" });
  expect(rest).not.toHaveProperty("ports");
});

test("each agent stands alone: its network, its memory, its folder, no rights", () => {
  expect(Object.keys(networks)).toEqual(Object.keys(agents));
  expect(redis.networks).toEqual(Object.keys(agents));
  expect(Object.keys(volumes)).toEqual(["redis", ...Object.keys(agents)]);
  for (const [name, agent] of Object.entries(agents)) {
    expect(agent).toMatchObject({
      build: ".",
      restart: "unless-stopped",
      init: true,
      read_only: true,
      tmpfs: ["/tmp"],
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      depends_on: { redis: { condition: "service_healthy" } },
      networks: [name],
      stop_grace_period: "20s",
      environment: { REDIS_URL: "redis://redis:6379", VOXTREE_DATA_DIR: "/var/lib/voxtree" },
    });
    expect(agent).not.toHaveProperty("ports");
  }
  expect(agents["root"]).toMatchObject({ stdin_open: true, tty: true });
});

/** What Compose would do: `${NAME:-default}` is what the environment says, or the default. */
function interpolate(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, byDefault: string) => env[name] || byDefault,
  );
}

/** One container as a process: the image's files, its own mounts, its own environment. */
async function startContainer(
  container: Container,
  { dir, redisPort, env }: { dir: string; redisPort: number; env: Readonly<Record<string, string>> },
): Promise<{ running: Running; port: number; healthy: () => Promise<unknown> }> {
  const home = join(dir, "voxtree");
  for (const { sources, target } of copies) {
    for (const source of sources) {
      const to =
        target.endsWith("/") && target !== "./" ? join(home, target, source) : join(home, basename(source));
      cpSync(join(PROJECT, source), to, { recursive: true });
    }
  }
  symlinkSync(join(PROJECT, "node_modules"), join(home, "node_modules"));
  const port = await closedPort();
  const places = new Map([[only("WORKDIR"), home]]);
  for (const volume of container.volumes) {
    const [from = "", to = ""] = volume.split(":");
    const place = to.replace(only("WORKDIR"), home);
    if (from.startsWith("./")) cpSync(join(PROJECT, from), place, { recursive: true });
    else places.set(to, join(dir, from));
  }
  const mapped = (text: string): string =>
    [...places]
      .reduce((so, [there, here]) => so.replaceAll(there, here), interpolate(text, env))
      .replace("redis://redis:6379", `redis://127.0.0.1:${redisPort}`)
      .replaceAll(container.environment["VOXTREE_HEALTH_PORT"] ?? "none", String(port));
  const settings = Object.fromEntries(
    Object.entries(container.environment).map(([name, value]) => [name, mapped(value)]),
  );
  const [, ...entry] = JSON.parse(only("ENTRYPOINT")) as string[];
  const running = startProcess(process.execPath, [...entry, ...container.command], {
    dataDir: settings["VOXTREE_DATA_DIR"] ?? "",
    cwd: home,
    env: settings,
  });
  const [, , ...check] = container.healthcheck.test;
  return { running, port, healthy: () => promisify(execFile)(process.execPath, check.map(mapped)) };
}

test(
  "the containers' commands, started as processes under what they mount, are one tree",
  { timeout: 180_000 },
  async () => {
    await using stack = new AsyncDisposableStack();
    const dir = mkdtempSync(join(tmpdir(), "voxtree-compose-"));
    stack.defer(() => rmSync(dir, { recursive: true, force: true }));
    await using site = await openSite();

    const redisPort = await closedPort();
    const [, ...words] = redis.command;
    mkdirSync(join(dir, "redis"));
    const server = startProcess(
      redisServer(),
      [...words, "--port", String(redisPort), "--bind", "127.0.0.1", "--dir", join(dir, "redis")],
      { dataDir: dir },
    );
    stack.use(server);
    await server.until(/Ready to accept connections/);
    const [, cli = "", ...ping] = redis.healthcheck.test;
    const found = basename(redisServer()).replace("server", "cli");
    expect(cli).toBe("redis-cli");
    await promisify(execFile)(join(dirname(redisServer()), found), ["-p", String(redisPort), ...ping]);

    const env = { NET_ALLOW: "127.0.0.0/8" };
    const started = await Promise.all(
      Object.entries(agents).map(async ([name, container]) => {
        const own = join(dir, name);
        mkdirSync(own);
        const one = await startContainer(container, { dir: own, redisPort, env });
        stack.use(one.running);
        return [name, one] as const;
      }),
    );
    for (const [name, { port, healthy }] of started) {
      expect(await untilHealthy(port, ({ health }) => health["transport"] === "up")).toMatchObject({
        status: 200,
        health: { agent: name, state: "ACTIVE", degraded: 0 },
      });
      await healthy();
    }

    const root = new Map(started).get("root")?.running;
    root?.write(`is ${site.url}/asked up?\n`);
    await root?.until(/asked answers 200/);

    const at = performance.now();
    const ends = await Promise.all(started.map(([, { running }]) => running.kill("SIGTERM")));
    expect(performance.now() - at).toBeLessThan(STOPPED_WITHIN_MS);
    expect(ends.map(({ code, err }) => ({ code, err }))).toEqual(started.map(() => ({ code: 0, err: "" })));
  },
);
