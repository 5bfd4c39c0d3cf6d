import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, openTerminal } from "../support/terminal.ts";

const source = (path: string): string => new URL(`../../${path}`, import.meta.url).pathname;

/** What an older Node sees: a launcher that takes itself for Node 20 and hands over to the Node of these tests. */
const OLDER = `--import=data:text/javascript,${encodeURIComponent(
  'Object.defineProperty(process, "versions", { value: { ...process.versions, node: process.env.PRETEND_NODE ?? process.versions.node } });',
)}`;

let folder: string;
let launcher: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "voxtree-launcher-"));
  launcher = join(folder, "bin", "voxtree.js");
  for (const dir of ["bin", "src", "node_modules/node/bin"])
    mkdirSync(join(folder, dir), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  cpSync(source("bin/voxtree.js"), launcher);
  // The installed Node forgets the pretence that its launcher lives by.
  const pinned = join(folder, "node_modules/node/bin/node");
  writeFileSync(pinned, `#!/bin/sh\nunset PRETEND_NODE\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(text: string): void {
  writeFileSync(join(folder, "src/main.ts"), text);
}

function launch(...argv: string[]): ChildProcess & { text: () => string } {
  const child = spawn(process.execPath, [OLDER, launcher, ...argv], {
    env: { ...process.env, PRETEND_NODE: "20.20.2" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk));
  return Object.assign(child, { text: () => text });
}

async function untilText(child: ReturnType<typeof launch>, pattern: RegExp): Promise<void> {
  while (!pattern.test(child.text())) await once(child.stdout ?? child, "data");
}

const RUNNING = "setInterval(() => {}, 1000);";

describe("the launcher on an older Node", () => {
  it("hands arguments and input over, and the exit code back", async () => {
    program(`
      process.stdout.write(JSON.stringify(process.argv.slice(2)));
      for await (const chunk of process.stdin) process.stdout.write(chunk);
      process.exitCode = 7;
    `);
    const child = launch("ask", "is it up?");
    child.stdin?.end(" and input");
    expect(await once(child, "close")).toEqual([7, null]);
    expect(child.text()).toBe('["ask","is it up?"] and input');
  });

  it.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)(
    "passes %s on and waits for an orderly end",
    async (signal) => {
      program(`
      process.on("${signal}", () => { console.log("ending"); setTimeout(() => process.exit(5), 50); });
      console.log("ready");
      ${RUNNING}
    `);
      const child = launch();
      await untilText(child, /ready/);
      child.kill(signal);
      expect(await once(child, "close")).toEqual([5, null]);
      expect(child.text()).toBe("ready\nending\n");
    },
  );

  it.each([
    ["SIGKILL", 137],
    ["SIGINT", 130],
    ["SIGSEGV", 139],
  ] as const)("tells by its exit code that %s ended the program", async (signal, code) => {
    program(`process.kill(process.pid, "${signal}"); ${RUNNING}`);
    const child = launch();
    expect(await once(child, "close")).toEqual([code, null]);
  });

  it("takes the program along when it is killed itself", async () => {
    program(`
      import { dieWithLauncher } from ${JSON.stringify(source("src/cli/launcher.ts"))};
      dieWithLauncher();
      console.log("ready");
      ${RUNNING}
    `);
    const child = launch();
    await untilText(child, /ready/);
    child.kill("SIGKILL");
    // The program holds the other end of these pipes: they close when it is gone as well.
    expect(await once(child, "close")).toEqual([null, "SIGKILL"]);
  });

  it("does not keep a program alive that has come to its end", async () => {
    program(`
      import { dieWithLauncher } from ${JSON.stringify(source("src/cli/launcher.ts"))};
      dieWithLauncher();
    `);
    expect(await once(launch(), "close")).toEqual([0, null]);
  });

  it("outlives the program at a terminal's Ctrl-C, which counts once", async () => {
    program(`
      import { onStopSignals } from ${JSON.stringify(source("src/cli/stop-signals.ts"))};
      onStopSignals({
        stop(signal) { console.log("stopping on " + signal); setTimeout(() => process.exit(3), 100); },
        force() { console.log("forced"); process.exit(4); },
      });
      console.log("ready");
      ${RUNNING}
    `);
    await using terminal = openTerminal(`'${process.execPath}' '${OLDER}' '${launcher}'`, {
      PRETEND_NODE: "20.20.2",
    });
    await terminal.until(/ready/);
    terminal.press(KEY.ctrlC);
    expect(await terminal.exited).toBe(3);
    expect(terminal.raw()).toMatch(/stopping on SIGINT/);
    expect(terminal.raw()).not.toMatch(/forced/);
  });

  it("lets a second Ctrl-C force the end", async () => {
    program(`
      import { onStopSignals } from ${JSON.stringify(source("src/cli/stop-signals.ts"))};
      onStopSignals({
        stop() { setTimeout(() => console.log("patience is over"), 400); },
        force() { console.log("forced"); process.exit(4); },
      });
      console.log("ready");
      ${RUNNING}
    `);
    await using terminal = openTerminal(`'${process.execPath}' '${OLDER}' '${launcher}'`, {
      PRETEND_NODE: "20.20.2",
    });
    await terminal.until(/ready/);
    terminal.press(KEY.ctrlC);
    await terminal.until(/patience is over/);
    terminal.press(KEY.ctrlC);
    expect(await terminal.exited).toBe(4);
    expect(terminal.raw()).toMatch(/forced/);
  });

  it("says in one sentence what to do when the project's Node is not installed", async () => {
    program("");
    rmSync(join(folder, "node_modules"), { recursive: true });
    const child = launch("start");
    expect(await once(child, "close")).toEqual([78, null]);
    expect(child.text()).toBe(
      'Voxtree needs Node 24 or newer and this is 20.20.2: run "npm ci" without --ignore-scripts (it brings its own Node 24), or install Node 24.\n',
    );
  });
});

describe("the launcher on a Node that is new enough", () => {
  it("runs the program in its own process", async () => {
    program("console.log(process.pid); process.exitCode = 9;");
    const child = spawn(process.execPath, [launcher], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => void (text += chunk.toString()));
    expect(await once(child, "close")).toEqual([9, null]);
    expect(text).toBe(`${child.pid}\n`);
  });
});
