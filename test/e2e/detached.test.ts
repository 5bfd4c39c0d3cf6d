import { openSync, closeSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { untilHealthy } from "../support/health.ts";
import { closedPort, PROGRAM, settingsFor, startProcess } from "../support/program.ts";
import { startRedis } from "../support/redis.ts";
import { createDataFolder } from "../support/wire-process.ts";

const PROJECT = join(import.meta.dirname, "../..");
const STOPPED_WITHIN_MS = 10_000;

test.concurrent("where nobody can write to it, it runs until it is told to stop, and says so", async () => {
  using folder = createDataFolder();
  const port = await closedPort();
  const options = { dataDir: folder.dir, env: { VOXTREE_HEALTH_PORT: String(port) }, isDetached: true };
  await using running = startProcess(process.execPath, [PROGRAM, "start"], options);
  const { health } = await untilHealthy(port);
  expect(health).toMatchObject({
    agent: "root",
    state: "ACTIVE",
    transport: "local",
    degraded: 0,
    pid: running.pid,
  });
  const told = await running.untilTold(/\n/);
  expect(told).toContain("Nobody can write to this process");
  expect(told).toContain("docker compose attach root");
  const at = performance.now();
  expect(await running.kill("SIGTERM")).toEqual({ code: 0, out: "", err: told });
  expect(performance.now() - at).toBeLessThan(STOPPED_WITHIN_MS);
});

test.concurrent("a file is read to its end like a pipe", async () => {
  using folder = createDataFolder();
  const file = join(folder.dir, "lines");
  writeFileSync(file, "thanks\n");
  const input = openSync(file, "r");
  const child = spawn(process.execPath, [PROGRAM, "start"], {
    env: settingsFor({ dataDir: folder.dir }),
    stdio: [input, "pipe", "pipe"],
  });
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => void (out += text));
  const [code] = (await once(child, "close")) as [number | null];
  closeSync(input);
  expect({ code, out }).toEqual({ code: 0, out: "You are welcome.\n" });
});

/** What stands in a unit of systemd: each key with its values in order. */
function readUnit(name: string, instance: string): ReadonlyMap<string, readonly string[]> {
  const unit = new Map<string, string[]>();
  for (const line of readFileSync(join(PROJECT, "deploy", name), "utf8").split("\n")) {
    const [, key, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const text = value.replaceAll("%i", instance).replaceAll("/opt/voxtree", PROJECT);
    unit.set(key, [...(unit.get(key) ?? []), text]);
  }
  return unit;
}

/** Starts what a unit starts, as systemd does: its words without a shell, /dev/null for its input, its own environment. */
function startUnit(
  unit: ReadonlyMap<string, readonly string[]>,
  env: Record<string, string>,
  dataDir: string,
) {
  const [file = "", ...args] = (unit.get("ExecStart")?.[0] ?? "").split(" ");
  const cwd = unit.get("WorkingDirectory")?.[0] ?? "";
  return startProcess(file, args, {
    dataDir,
    env,
    cwd,
    isDetached: unit.get("StandardInput")?.[0] === "null",
  });
}

test.concurrent(
  "the units of systemd start one process, or the root and each agent",
  { timeout: 120_000 },
  async () => {
    await using redis = await startRedis();
    for (const shared of [false, true]) {
      using folder = createDataFolder();
      const ports = [await closedPort(), await closedPort()] as const;
      const envOf = (port: number) => ({
        VOXTREE_HEALTH_PORT: String(port),
        REDIS_URL: shared ? redis.url : "",
      });
      const one = readUnit("voxtree.service", "");
      const web = readUnit("voxtree@.service", "web");
      await using first = startUnit(one, envOf(ports[0]), folder.dir);
      const transport = shared ? "up" : "local";
      const suits = ({ health }: { health: Readonly<Record<string, unknown>> }) =>
        health["transport"] === transport;
      expect(await untilHealthy(ports[0], suits)).toMatchObject({ status: 200, health: { agent: "root" } });
      if (shared) {
        await using second = startUnit(web, envOf(ports[1]), folder.dir);
        expect(await untilHealthy(ports[1], suits)).toMatchObject({ status: 200, health: { agent: "web" } });
        expect(await second.kill("SIGTERM")).toEqual({ code: 0, out: "", err: "" });
      }
      expect(await first.kill("SIGTERM")).toMatchObject({ code: 0, out: "" });
    }
  },
);

test.each(["voxtree.service", "voxtree@.service"])(
  "%s starts again after a crash and gives up no rights it needs",
  (name) => {
    const unit = Object.fromEntries(readUnit(name, "web"));
    expect(unit).toMatchObject({
      Type: ["exec"],
      User: ["voxtree"],
      Environment: ["VOXTREE_DATA_DIR=/var/lib/voxtree"],
      StateDirectory: ["voxtree"],
      Restart: ["on-failure"],
      RestartSec: ["2"],
      TimeoutStopSec: ["20"],
      NoNewPrivileges: ["yes"],
      ProtectSystem: ["strict"],
    });
    // Node compiles while it runs.
    expect(unit).not.toHaveProperty("MemoryDenyWriteExecute");
  },
);
