import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { examine } from "../../src/cli/doctor.ts";
import { checkClock } from "../../src/cli/doctor/clock.ts";
import { checkFolder, checkDisk, judgeSpace } from "../../src/cli/doctor/disk.ts";
import type { CheckScope } from "../../src/cli/doctor/finding.ts";
import { checkNode } from "../../src/cli/doctor/node.ts";
import { checkRoles } from "../../src/cli/doctor/roles.ts";
import { checkRunning } from "../../src/cli/doctor/running.ts";
import { checkSettings } from "../../src/cli/doctor/settings.ts";
import { runProgram } from "../../src/cli/program.ts";
import { failure, isFailure } from "../../src/envelope/failures.ts";
import { lockFolder } from "../../src/storage/index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "voxtree-doctor-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOON = Date.UTC(2026, 5, 1, 12);

function scope(more: Partial<CheckScope> = {}): CheckScope {
  return {
    config: configOf(join(folder, "data")),
    rolesDir: join(folder, "roles"),
    known: new Map([["net", { rootOnly: false }]]),
    nodeVersion: "24.1.0",
    clock: { wallMs: () => NOON + 5_000, monotonicMs: () => 5_000, startedAtMs: NOON },
    ...more,
  };
}

function configOf(dataDir: string) {
  return {
    dataDir,
    logLevel: "warn",
    keepDays: 30,
    durability: "normal",
    zone: "Europe/Berlin",
    netAllow: [],
  } as const;
}

function writeAgent(
  name: string,
  { id, master, roles }: { id: string; master: string; roles: Record<string, string> },
) {
  const dir = join(folder, "roles", name);
  mkdirSync(dir, { recursive: true });
  const names = Object.keys(roles).join(", ");
  writeFileSync(
    join(dir, "agent.yml"),
    `id: ${id}\nname: ${name}\nmaster_id: "${master}"\nroles: [${names}]\n`,
  );
  for (const [role, text] of Object.entries(roles)) writeFileSync(join(dir, `${role}.ts`), text);
}

const ROOT = "0190b3a0-0000-7000-8000-000000000001";
const GOOD =
  'import { defineRole } from "#sdk";\nexport default defineRole({ commands: { ping: { description: "Answer", run: () => ({ text: "pong" }) } } });\n';

describe("the doctor's look at Node", () => {
  it("is content with 24 and newer, and not with less", () => {
    expect(checkNode(scope())).toEqual([{ name: "node", state: "ok", text: "24.1.0" }]);
    expect(checkNode(scope({ nodeVersion: "22.9.0" }))).toMatchObject([{ state: "fail" }]);
  });
});

describe("the doctor's look at the settings", () => {
  it("repeats what is wrong with them, and looks at nothing that hangs on them", async () => {
    const config = failure("E_CONFIG", 'VOXTREE_KEEP_DAYS="x" in the environment: expected a number');
    expect(checkSettings(scope({ config }))).toEqual([
      {
        name: "settings",
        state: "fail",
        text: config.text,
        remedy: "Correct it in the environment or in .env.",
      },
    ]);
    expect(await checkFolder(scope({ config }))).toEqual([]);
    expect(await checkDisk(scope({ config }))).toEqual([]);
  });
});

describe("the doctor's look at the data folder", () => {
  it("finds one that is there, and leaves nothing in it", async () => {
    mkdirSync(join(folder, "data"));
    expect(await checkFolder(scope())).toEqual([
      { name: "data folder", state: "ok", text: join(folder, "data") },
    ]);
    expect(readdirSync(join(folder, "data"))).toEqual([]);
  });

  it("finds that one can be made, and does not make it", async () => {
    const config = configOf(join(folder, "a", "b"));
    expect(await checkFolder(scope({ config }))).toEqual([
      {
        name: "data folder",
        state: "ok",
        text: `${join(folder, "a", "b")} is not there yet and can be made`,
      },
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("refuses a file in its place, or above it", async () => {
    writeFileSync(join(folder, "data"), "");
    const text = `${join(folder, "data")} is not a folder`;
    expect(await checkFolder(scope())).toMatchObject([{ state: "fail", text }]);
    const config = configOf(join(folder, "data", "below"));
    expect(await checkFolder(scope({ config }))).toMatchObject([{ state: "fail", text }]);
  });

  it("refuses one where nothing can be written", async () => {
    // /proc cannot be written by anybody, root included.
    expect(await checkFolder(scope({ config: configOf("/proc") }))).toMatchObject([
      { state: "fail", text: expect.stringMatching(/^\/proc cannot be written \(E[A-Z]+\)$/) },
    ]);
    expect(await checkFolder(scope({ config: configOf("/proc/voxtree") }))).toMatchObject([
      {
        state: "fail",
        text: expect.stringMatching(/^\/proc\/voxtree cannot be made in \/proc \(E[A-Z]+\)$/),
      },
    ]);
  });
});

describe("the doctor's look at the disk", () => {
  it("reads the room of the real file system", async () => {
    expect(await checkDisk(scope())).toMatchObject([
      { name: "disk", text: expect.stringMatching(/^\d+ MiB/) },
    ]);
  });

  it.each([
    [
      { freeBytes: 10_000_000_000, inodes: 1_000_000, freeInodes: 900_000 },
      "ok",
      "9536 MiB, 900000 inodes free",
    ],
    [
      { freeBytes: 300_000_000, inodes: 1_000_000, freeInodes: 900_000 },
      "warn",
      "286 MiB, 900000 inodes free",
    ],
    [{ freeBytes: 10_000_000, inodes: 1_000_000, freeInodes: 900_000 }, "fail", "9 MiB, 900000 inodes free"],
    [
      { freeBytes: 10_000_000_000, inodes: 1_000_000, freeInodes: 5_000 },
      "warn",
      "9536 MiB, 5000 inodes free",
    ],
    [{ freeBytes: 10_000_000_000, inodes: 1_000_000, freeInodes: 12 }, "fail", "9536 MiB, 12 inodes free"],
    [{ freeBytes: 10_000_000_000, inodes: 0, freeInodes: 0 }, "ok", "9536 MiB free"],
  ] as const)("judges %j as %s", (room, state, text) => {
    expect(judgeSpace(room)).toMatchObject({ name: "disk", state, text });
  });
});

describe("the doctor's look at the clock", () => {
  it("tells the time in the zone that is set", () => {
    expect(checkClock(scope())).toEqual([
      { name: "clock", state: "ok", text: "2026-06-01 14:00:05 in Europe/Berlin" },
    ]);
  });

  it("does not believe a year long past or far ahead", () => {
    for (const wallMs of [0, Date.UTC(2150, 0)]) {
      const clock = { wallMs: () => wallMs, monotonicMs: () => 0, startedAtMs: wallMs };
      expect(checkClock(scope({ clock }))).toMatchObject([{ state: "fail" }]);
    }
  });

  it("notices that it jumped", () => {
    const clock = { wallMs: () => NOON + 65_000, monotonicMs: () => 5_000, startedAtMs: NOON };
    expect(checkClock(scope({ clock }))).toMatchObject([
      { state: "warn", text: "jumped by 60000 ms since this process started" },
    ]);
  });
});

describe("the doctor's look at the roles", () => {
  it("counts what is well", async () => {
    writeAgent("root", { id: ROOT, master: "", roles: { ping: GOOD } });
    expect(await checkRoles(scope())).toEqual([{ name: "roles", state: "ok", text: "1 agents, 1 roles" }]);
  });

  it("names file, line, reason and mend of a disabled role", async () => {
    const broken = GOOD.replace("defineRole({", 'defineRole({\n  requires: ["nett"],');
    writeAgent("root", { id: ROOT, master: "", roles: { ping: GOOD, web: broken } });
    expect(await checkRoles(scope())).toEqual([
      {
        name: "roles",
        state: "fail",
        text: expect.stringMatching(
          /^root\.web is disabled: root\/web\.ts:3 .*nett.* \(E_ROLE_CAPABILITY\)$/,
        ),
        remedy: expect.stringContaining("net"),
      },
    ]);
  });

  it("tells of agents that are no tree, and of none at all", async () => {
    mkdirSync(join(folder, "roles", "web"), { recursive: true });
    expect(await checkRoles(scope())).toMatchObject([{ name: "agents", state: "fail" }]);
    rmSync(join(folder, "roles", "web"), { recursive: true });
    expect(await checkRoles(scope())).toMatchObject([
      { name: "agents", state: "fail", text: `there are none in ${join(folder, "roles")}` },
    ]);
    rmSync(join(folder, "roles"), { recursive: true });
    expect(await checkRoles(scope())).toMatchObject([{ name: "agents", state: "fail" }]);
  });
});

describe("the doctor's look at who runs", () => {
  const OPS = "0190b3a0-0000-7000-8000-000000000002";
  const WEB = "0190b3a0-0000-7000-8000-000000000003";
  const LAB = "0190b3a0-0000-7000-8000-000000000004";
  const AWAY = "0190b3a0-0000-7000-8000-000000000005";

  function prepare(): Partial<CheckScope> {
    const dataDir = join(folder, "data");
    writeAgent("root", { id: ROOT, master: "", roles: {} });
    for (const [name, id] of [
      ["ops", OPS],
      ["web", WEB],
      ["lab", LAB],
      ["away", AWAY],
    ] as const)
      writeAgent(name, { id, master: ROOT, roles: {} });
    appendFileSync(join(folder, "roles/lab/agent.yml"), "autostart: false\n");
    // Away never ran here; gone has left the tree.
    for (const name of ["root", "ops", "web", "lab", "gone"]) {
      mkdirSync(join(dataDir, name), { recursive: true });
      writeFileSync(join(dataDir, name, "ledger.db"), "");
    }
    return { config: { ...configOf(dataDir), redisUrl: "redis://127.0.0.1:1" } };
  }

  function run(agent: string): Disposable {
    const lock = lockFolder(join(folder, "data", agent));
    if (isFailure(lock)) throw new Error(lock.text);
    return lock;
  }

  it("warns of the agents of the data folder that do not run, with what starts them", async () => {
    const more = prepare();
    using _web = run("web");
    expect(await checkRunning(scope(more))).toEqual([
      {
        name: "running",
        state: "warn",
        text: "not running: ops, root",
        remedy: `Start what should run here: \`npm run agent -- ops\`, \`npm start\`. One that was moved to another machine is missed here until its folder is taken out of ${join(folder, "data")}.`,
      },
    ]);
  });

  it("is content when all of them run, and has nothing to say where all are one process", async () => {
    const more = prepare();
    using _root = run("root");
    using _ops = run("ops");
    using _web = run("web");
    expect(await checkRunning(scope(more))).toEqual([
      { name: "running", state: "ok", text: "ops, root, web" },
    ]);
    expect(await checkRunning(scope({ config: configOf(join(folder, "data")) }))).toEqual([]);
  });

  it("is one of the checks", async () => {
    const { config } = prepare();
    const findings = await examine(scope(config === undefined ? {} : { config }));
    expect(findings).toContainEqual(expect.objectContaining({ name: "running", state: "warn" }));
  });
});

describe("the doctor", () => {
  it("goes on when a check breaks", async () => {
    const checkTeeth = (): never => {
      throw new Error("no mirror");
    };
    expect(await examine(scope(), [checkTeeth, checkNode])).toEqual([
      { name: "checkTeeth", state: "fail", text: "could not be checked: no mirror" },
      { name: "node", state: "ok", text: "24.1.0" },
    ]);
  });

  async function runDoctor(...argv: string[]) {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    cpSync(fileURLToPath(new URL("../../package.json", import.meta.url)), join(folder, "package.json"));
    const env = { TZ: "UTC" };
    const exitCode = await runProgram(["doctor", ...argv], {
      stdin,
      stdout,
      stderr,
      env,
      projectDir: folder,
    });
    const read = (stream: PassThrough): string => String(stream.read() ?? "");
    return { exitCode, out: read(stdout), err: read(stderr) };
  }

  it("exits with 0 when all is well", async () => {
    writeAgent("root", { id: ROOT, master: "", roles: { ping: GOOD } });
    const { exitCode, out, err } = await runDoctor();
    expect(out.split("\n").map((line) => line.slice(0, 13))).toEqual([
      "✅ node       ",
      "✅ settings   ",
      "✅ data folder",
      "✅ disk       ",
      "✅ clock      ",
      "✅ ledgers    ",
      "✅ roles      ",
      "",
    ]);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  });

  it("exits with 1 when something is not, in JSON too", async () => {
    writeFileSync(join(folder, ".env"), "VOXTREE_KEEPDAYS=3\n");
    const { exitCode, out } = await runDoctor("--json", "--roles", join(folder, "nowhere"));
    expect(exitCode).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      isHealthy: false,
      checks: [
        { name: "node", state: "ok" },
        { name: "settings", state: "fail", text: expect.stringContaining("did you mean VOXTREE_KEEP_DAYS?") },
        { name: "clock", state: "ok" },
        { name: "agents", state: "fail" },
      ],
    });
  });
});
