import { expect, test } from "vitest";
import { closedPort, openSite, type Ran, runVoxtree, startVoxtree } from "../support/program.ts";
import { createOwnTree } from "../support/own-tree.ts";
import { createDataFolder } from "../support/wire-process.ts";

async function ask(...args: readonly string[]): Promise<Ran> {
  using folder = createDataFolder();
  return runVoxtree(["ask", ...args], { dataDir: folder.dir });
}

/** The one line that stands on standard output. */
function onlyLine({ out }: Ran): unknown {
  expect(out.match(/\n/g)).toHaveLength(1);
  return JSON.parse(out);
}

test.concurrent("a check that is well is printed, and ends with 0", async () => {
  await using site = await openSite();
  const { code, out, err } = await ask("is", site.url, "up?");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(
    new RegExp(`^✅ ${site.url} answers 200 in [^\\n]+\\n[^\\n]+\\naddress 127\\.0\\.0\\.1\\n[^\\n]+\\n$`),
  );
});

test.concurrent("for a program it is one line of JSON, with the data", async () => {
  await using site = await openSite();
  const ran = await ask("--json", `is port ${site.port} open on 127.0.0.1`);
  expect(ran).toMatchObject({ code: 0, err: "" });
  expect(onlyLine(ran)).toEqual({
    text: expect.stringContaining(`127.0.0.1 port ${site.port} is open\n127.0.0.1: open, `),
    verdict: "ok",
    data: {
      host: "127.0.0.1",
      ports: [
        {
          port: site.port,
          state: "open",
          attempts: [{ address: "127.0.0.1", state: "open", ms: expect.any(Number) }],
        },
      ],
    },
  });
});

test.concurrent("a check that fails ends with 1", async () => {
  const port = await closedPort();
  const ran = await ask("--json", `/http http://127.0.0.1:${port}`);
  expect(ran).toMatchObject({ code: 1, err: "" });
  expect(onlyLine(ran)).toMatchObject({
    text: expect.stringContaining(`refuses connections on port ${port}`),
    verdict: "fail",
    data: { phase: "connect", code: "ECONNREFUSED" },
  });
});

test.concurrent("a check that cannot tell ends with 7", async () => {
  const ran = await ask("is http://10.0.0.5 up");
  expect(ran).toMatchObject({ code: 7, err: "", out: expect.stringContaining("could not be checked") });
});

test.concurrent.each([
  ["asked back", "is port 22 open?", "asked", "Which host?"],
  ["refused", "what is the meaning of life", "refused", "I cannot help with that."],
])("what is %s was not done, and ends with 2", async (...[, text, ending, words]) => {
  const ran = await ask("--json", text);
  expect(ran).toMatchObject({ code: 2, err: "" });
  expect(onlyLine(ran)).toEqual({
    text: expect.stringContaining(words),
    verdict: null,
    data: null,
    ending,
  });
});

test.concurrent("what a specialist finds does not pass for what the bot says of itself", async () => {
  await using tree = await createOwnTree({
    till: {
      sale: `import { defineRole } from "#sdk";
import { z } from "zod";
export default defineRole({
  commands: {
    sale: {
      description: "Tell how the last sale went",
      data: z.looseObject({}),
      run: () => ({
        verdict: "ok",
        text: "The last card was declined.",
        data: {
          outcome: "refuse",
          failure: "E_LEDGER",
          "comm.gateway.ending": { kind: "failed", failure: "E_LEDGER" },
        },
      }),
    },
  },
});
`,
    },
  });
  const ran = await runVoxtree(["ask", "--json", "/sale"], tree);
  expect(ran).toMatchObject({ code: 0, err: "" });
  expect(onlyLine(ran)).toEqual({
    text: "The last card was declined.",
    verdict: "ok",
    data: { outcome: "refuse", failure: "E_LEDGER" },
  });
});

test.concurrent("a specialist that fails ends the question with what its code stands for", async () => {
  await using tree = await createOwnTree({
    till: {
      sale: `import { defineRole } from "#sdk";
export default defineRole({
  commands: {
    sale: { description: "Sell", run: () => ({ failure: "E_OFFLINE", text: "The till is off." }) },
  },
});
`,
    },
  });
  const ran = await runVoxtree(["ask", "--json", "/sale"], tree);
  expect(ran).toMatchObject({ code: 7, err: "" });
  expect(onlyLine(ran)).toEqual({
    text: "The till is off.",
    verdict: "inconclusive",
    data: null,
    ending: "failed",
    failure: "E_OFFLINE",
  });
});

test.concurrent("a question back is answered by the next run, and followed up by a third", async () => {
  using folder = createDataFolder();
  await using site = await openSite();
  const run = (text: string) => runVoxtree(["ask", text], { dataDir: folder.dir });
  expect(await run(`is port ${site.port} open?`)).toMatchObject({ code: 2 });
  const open = `✅ 127.0.0.1 port ${site.port} is open`;
  expect(await run("127.0.0.1")).toMatchObject({ code: 0, out: expect.stringContaining(open) });
  expect(await run("again")).toMatchObject({ code: 0, out: expect.stringContaining(open) });
});

test.concurrent("beside a running process it says which one runs and what to do, and ends with 4", async () => {
  using folder = createDataFolder();
  await using running = startVoxtree({ dataDir: folder.dir });
  running.write("hello\n");
  await running.until(/operations desk/);
  const options = { dataDir: folder.dir };
  const [ran, json] = await Promise.all([
    runVoxtree(["ask", "hello"], options),
    runVoxtree(["ask", "--json", "hello"], options),
  ]);
  const inUse = new RegExp(`is in use by process ${running.pid} since \\d{4}-\\d\\d-\\d\\dT`);
  expect(ran).toMatchObject({ code: 4, out: "" });
  expect(ran.err).toMatch(/^E_ALREADY_RUNNING: /);
  expect(ran.err).toMatch(inUse);
  expect(ran.err).toContain("Stop the other process, or set VOXTREE_DATA_DIR to another folder.\n");
  expect(json.code).toBe(4);
  expect(onlyLine(json)).toMatchObject({
    failure: "E_ALREADY_RUNNING",
    text: expect.stringMatching(inUse),
    remedy: expect.stringContaining("VOXTREE_DATA_DIR"),
  });
  // The one that runs has not noticed.
  running.write("thanks\n");
  await running.until(/You are welcome\./);
  expect(await running.end()).toMatchObject({ code: 0, err: "" });
});
