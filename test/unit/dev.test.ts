import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const source = (path: string): string => new URL(`../../${path}`, import.meta.url).href;

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "voxtree-dev-"));
  for (const dir of ["bin", "src", "roles/web"]) mkdirSync(join(project, dir), { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "type": "module", "version": "0.0.0" }');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** `voxtree dev` on the project at hand, whose `start` is `program`. */
function openDev(program: string) {
  writeFileSync(join(project, "bin/voxtree.js"), program);
  const script = `
    import { runProgram } from ${JSON.stringify(source("src/cli/program.ts"))};
    import { processShell } from ${JSON.stringify(source("src/cli/shell.ts"))};
    process.exitCode = await runProgram(["dev"], { ...processShell(), projectDir: ${JSON.stringify(project)} });
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let text = "";
  const add = (chunk: string): void => void (text += chunk);
  child.stdout.setEncoding("utf8").on("data", add);
  child.stderr.setEncoding("utf8").on("data", add);
  const closed = once(child, "close").then(([code]) => Number(code));
  return {
    child,
    closed,
    text: () => text,
    async until(pattern: RegExp) {
      while (!pattern.test(text))
        await Promise.race([once(child.stdout, "data"), once(child.stderr, "data")]);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

const START = `
  import { readFileSync } from "node:fs";
  const role = () => readFileSync(new URL("../roles/web/http.ts", import.meta.url), "utf8");
  process.on("SIGTERM", () => { console.log("ended in order"); process.exit(0); });
  process.stdin.on("data", (words) => {
    console.log("heard " + words);
    if (String(words).includes("leave")) process.exit(0);
  });
  console.log(process.argv[2] + " with " + role());
`;

describe("voxtree dev", () => {
  it("starts anew on a change of a role, after an orderly end, and leaves the keyboard to the program", async () => {
    writeFileSync(join(project, "roles/web/http.ts"), "one");
    await using dev = openDev(START);
    await dev.until(/start with one/);
    dev.child.stdin.write("hello");
    await dev.until(/heard hello/);
    writeFileSync(join(project, "roles/web/http.ts"), "two");
    await dev.until(/ended in order\nstart with two/);
    dev.child.stdin.write("leave");
    expect(await dev.closed).toBe(0);
  });

  it("waits for a change when start fails, and says so", async () => {
    await using dev = openDev(START);
    await dev.until(/start ended with exit code 1; it starts anew on the next change\./);
    writeFileSync(join(project, "roles/web/http.ts"), "mended");
    await dev.until(/start with mended/);
  });

  it("ends the program in order when it is told to end", async () => {
    writeFileSync(join(project, "roles/web/http.ts"), "one");
    await using dev = openDev(START);
    await dev.until(/start with one/);
    dev.child.kill("SIGTERM");
    expect(await dev.closed).toBe(0);
    expect(dev.text()).toMatch(/ended in order\n$/);
  });
});
