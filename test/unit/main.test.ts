import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { settingsFor } from "../support/program.ts";
import { createDataFolder } from "../support/wire-process.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Throws as soon as somebody listens for defects. */
const DEFECT = `--import=data:text/javascript,${encodeURIComponent(
  'setInterval(() => { if (process.listenerCount("uncaughtException") > 0) throw new Error("two\\nlines"); }, 1);',
)}`;

/** Rejects a promise that nobody waits for, as soon as somebody listens for defects, and lets it be noticed. */
const FLOATING = `--import=data:text/javascript,${encodeURIComponent(
  'const look = setInterval(() => { if (process.listenerCount("uncaughtException") > 0) { clearInterval(look); Promise.reject(new Error("let go of")); } }, 1);',
)}`;

async function run(options: { flags?: string[]; env?: Record<string, string>; isRead?: boolean }) {
  const child = spawn(process.execPath, [...(options.flags ?? []), MAIN, "help", "exit-codes"], {
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (err += text));
  if (options.isRead === false) child.stdout.destroy();
  else child.stdout.resume();
  const [code] = await once(child, "close");
  return { code: Number(code), err };
}

describe("the program", () => {
  it("tells of a defect in one line and exits with 70", async () => {
    const { code, err } = await run({ flags: [DEFECT] });
    expect(err).toMatch(
      /^E_INTERNAL: two lines at .*\. VOXTREE_LOG_LEVEL=debug shows more; please report it\.\n$/,
    );
    expect(code).toBe(70);
  });

  it("shows where a defect came from to whoever asks for it", async () => {
    const { code, err } = await run({ flags: [DEFECT], env: { VOXTREE_LOG_LEVEL: "debug" } });
    expect(err).toMatch(/^E_INTERNAL: two lines[^\n]*\n[^]*\n\s+at /);
    expect(code).toBe(70);
  });

  it("notes a promise that was rejected and let go of, and works on", async () => {
    const { code, err } = await run({ flags: [FLOATING] });
    expect(err).toContain("a promise was rejected that nobody waits for");
    expect(err).toContain("let go of");
    expect(code).toBe(0);
  });

  it("says nothing when nobody reads what it prints", async () => {
    expect(await run({ isRead: false })).toEqual({ code: 0, err: "" });
  });
});

/** A file on which there is never room. */
const FULL = "/dev/full";

describe("where there is no room for what is printed", () => {
  async function runInto(outputs: "stdout" | "both", args: readonly string[], input = "") {
    using folder = createDataFolder();
    const full = openSync(FULL, "w");
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: settingsFor({ dataDir: folder.dir }),
      stdio: ["pipe", full, outputs === "both" ? full : "pipe"],
    });
    closeSync(full);
    let err = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => void (err += text));
    child.stdin?.end(input);
    const [code] = await once(child, "close");
    return { code: Number(code), err };
  }

  it.each([
    ["help", ["help", "exit-codes"], ""],
    ["output for programs", ["dead", "list", "--json"], ""],
    ["a chat on a pipe", ["start"], "hello\n"],
  ])(
    "%s ends with one failure on standard error, and its code",
    { timeout: 30_000 },
    async (_, args, input) => {
      expect(await runInto("stdout", args, input)).toEqual({
        code: 7,
        err: "E_OUTPUT: What is shown here cannot be written: ENOSPC: no space left on device, write.\nMake room there, or let the output go somewhere else.\n",
      });
    },
  );

  it("and none for failures either, the code says it", async () => {
    expect(await runInto("both", ["help", "exit-codes"])).toEqual({ code: 7, err: "" });
  });
});
