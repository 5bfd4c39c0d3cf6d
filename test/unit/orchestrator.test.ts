import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createGateway } from "../../src/capabilities/comm-gateway/index.ts";
import type { Channel } from "../../src/capabilities/comm-gateway/index.ts";
import { openTree } from "../../src/cli/compose.ts";
import { isFailure } from "../../src/envelope/index.ts";
import { createLog } from "../../src/log.ts";
import { createEffectsCapability } from "../support/effects.ts";

const ROLES = join(import.meta.dirname, "../fixtures/trees/steps/roles");
const ROOT = "019ad100-0000-7000-8000-000000000001";
const OPS = "019ad100-0000-7000-8000-000000000002";
const WORKER = "019ad100-0000-7000-8000-000000000003";

const folders: string[] = [];
afterEach(() => {
  for (const dir of folders.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function openStepsTree(dataDir = mkdtempSync(join(tmpdir(), "voxtree-tree-")), parts: Partial<Channel> = {}) {
  folders.push(dataDir);
  const log = createLog({ level: "silent" });
  const channel: Channel = {
    name: "quiet",
    finished: new Promise(() => {}),
    start: () => Promise.resolve(),
    deliver: () => Promise.resolve(),
    progress() {},
    greet() {},
    close: () => Promise.resolve(),
    ...parts,
  };
  return openTree({
    config: { dataDir, logLevel: "silent", keepDays: 30, durability: "normal", zone: "UTC", netAllow: [] },
    rolesDir: ROLES,
    gateway: createGateway({ channels: [channel], log }),
    log,
    capabilities: [createEffectsCapability(dataDir, () => undefined)],
  });
}

async function openOrThrow(...args: Parameters<typeof openStepsTree>) {
  const tree = await openStepsTree(...args);
  if (isFailure(tree)) throw new Error(tree.text);
  return tree;
}

test("the operator sees the whole tree, with what each agent offers itself", async () => {
  const { orchestrator, close } = await openOrThrow();
  const { id, name, state, health, children } = orchestrator.hierarchySnapshot();
  expect({ id, name, state, health }).toEqual({ id: ROOT, name: "root", state: "ACTIVE", health: "ok" });
  const [ops] = children;
  expect([ops?.name, ops?.commands]).toEqual(["ops", []]);
  expect(ops?.children.map((child) => [child.name, child.commands.map((command) => command.name)])).toEqual([
    ["worker", ["work", "spin", "poison"]],
  ]);
  await close(0);
});

test("an agent's children are found by its id", async () => {
  const { orchestrator, close } = await openOrThrow();
  expect(orchestrator.children(ROOT)).toEqual([OPS]);
  expect(orchestrator.children(OPS)).toEqual([WORKER]);
  expect(orchestrator.children(WORKER)).toEqual([]);
  expect(orchestrator.children("nobody")).toEqual([]);
  await close(0);
});

test("the root sees its coordinator with all commands, and nobody below it", async () => {
  const { orchestrator, close } = await openOrThrow();
  expect(orchestrator.top.children()).toEqual([
    { name: "ops", state: "online", commands: ["work", "spin", "poison"] },
  ]);
  await close(0);
});

test("a second instance on the same data folder is told who runs there, and leaves the first alone", async () => {
  const first = await openOrThrow();
  const [dataDir] = folders;
  const second = await openStepsTree(dataDir);
  expect(second).toMatchObject({ failure: "E_ALREADY_RUNNING" });
  expect(isFailure(second) && second.text).toContain(`process ${process.pid}`);
  expect(first.orchestrator.hierarchySnapshot().state).toBe("ACTIVE");
  await first.close(0);
  const third = await openOrThrow(dataDir);
  await third.close(0);
});

test("when a channel cannot be opened every agent is stopped again, and the folder is free", async () => {
  // What a reply is owed to comes in while the channels open: it must not hold the stop up.
  const refusing = openStepsTree(undefined, {
    async start(accept) {
      const id = "00000000-0000-7000-8000-000000000001";
      await accept({ id, chat: "c", person: "ann", text: "work on" });
      throw new Error("the terminal has gone");
    },
  });
  await expect(refusing).rejects.toThrow("the terminal has gone");
  const again = await openOrThrow(folders[0]);
  expect(again.orchestrator.hierarchySnapshot().state).toBe("ACTIVE");
  await again.close(0);
});

test("a planned stop ends every agent, from the root down", async () => {
  const { orchestrator, close } = await openOrThrow();
  await close(0);
  const states = (node: ReturnType<typeof orchestrator.hierarchySnapshot>): string[] => [
    node.state,
    ...node.children.flatMap(states),
  ];
  expect(states(orchestrator.hierarchySnapshot())).toEqual(["STOPPED", "STOPPED", "STOPPED"]);
});
