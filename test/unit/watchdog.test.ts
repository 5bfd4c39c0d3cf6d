import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const WATCHDOG = new URL("../../src/cli/watchdog.ts", import.meta.url).href;

/** A process whose watchdog has patience for half a second, and that then does not move for much longer. */
async function holdUp(flags: readonly string[]) {
  const script = `import(${JSON.stringify(WATCHDOG)}).then(async ({ startWatchdog }) => {
    const watchdog = startWatchdog({ patienceMs: 500 });
    watchdog.note("worker/spin \\u001b[2J\\u009b");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const until = performance.now() + 5000;
    while (performance.now() < until);
    await watchdog.stop();
  })`;
  const child = spawn(process.execPath, [...flags, "-e", script], { stdio: ["ignore", "ignore", "pipe"] });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (err += text));
  const [code, signal] = await once(child, "close");
  return { code: code as number | null, signal: signal as string | null, err };
}

test.concurrent("a process that does not move is ended, and what is said of it steers no terminal", async () => {
  const { signal, err } = await holdUp([]);
  expect(signal).toBe("SIGKILL");
  expect(err).toContain("Begun last: worker/spin");
  expect(err).not.toMatch(/[\u001b\u0080-\u009f]/);
});

test.concurrent("one in which a debugger may have stopped is left alone", async () => {
  expect(await holdUp(["--inspect=127.0.0.1:0"])).toMatchObject({ code: 0, signal: null });
});
