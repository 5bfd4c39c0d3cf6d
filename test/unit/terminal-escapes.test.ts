import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import type { TraceStep } from "../../src/cli/read-trace.ts";
import { renderConversations, renderTrace } from "../../src/cli/render-trace.ts";
import { renderTree } from "../../src/cli/render-tree.ts";
import { printFailure, printJson, type Shell } from "../../src/cli/shell.ts";
import { canonicalJson, failure, isFailure, toAee, type VoxMessage } from "../../src/envelope/index.ts";
import { openLedger } from "../../src/ledger/index.ts";

/** Clears the screen, sets the title, begins a sequence with a C1 control, turns the direction of writing. */
const EVIL = "\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\rand\nmore";
const STEERING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const ID = "019ad4c1-76c0-7000-8000-000000000001";

let dataDir = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "voxtree-escapes-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function createShell() {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const shell: Shell = {
    stdin: new PassThrough(),
    stdout,
    stderr,
    env: { VOXTREE_DATA_DIR: dataDir },
    projectDir: fileURLToPath(new URL("../../", import.meta.url)),
  };
  const read = (stream: PassThrough): string => stream.read()?.toString() ?? "";
  return { shell, written: () => read(stdout) + read(stderr) };
}

/** Puts a request aside whose every word is a neighbour's. */
function writeDeadLetter(): void {
  mkdirSync(join(dataDir, "ops"));
  const path = join(dataDir, "ops", "ledger.db");
  const ledger = openLedger({ path, now: Date.now, durability: "normal", onFailure: () => undefined });
  if (isFailure(ledger)) throw new Error(ledger.text);
  const message: VoxMessage = {
    message_id: ID,
    emitted_at: new Date(1_800_000_000_000).toISOString(),
    source: "agent.019ad4c1-76c0-7000-8000-000000000002",
    target: "agent.019ad4c1-76c0-7000-8000-000000000003",
    message_source: "root",
    type: "command_request",
    intent: `ops.${EVIL}`,
    details: { command: EVIL, params: { text: EVIL, [EVIL]: 1 } },
    reply_to: null,
    corr: ID,
  };
  const letter = { message, text: canonicalJson(toAee(message)) };
  const taken = ledger.inbox.accept({ ...letter, peer: "root", priority: 2, deadline: 1, isClaimed: true });
  ledger.inbox.settle({
    n: taken.n,
    state: "dead",
    isAnswerOwed: false,
    failure: JSON.stringify({ failure: EVIL, text: EVIL }),
    also: [],
    writes: [],
    nextAt: 0,
  });
  ledger.close();
}

test.each([
  ["dead"],
  ["dead", "list", "--json"],
  ["dead", "show", ID],
  ["dead", "show", ID, "--json"],
  ["trace", ID],
  ["trace", ID, "--json"],
  ["trace", EVIL],
  ["explain", EVIL],
  [EVIL],
])("voxtree %j prints nothing that steers a terminal", async (...argv) => {
  writeDeadLetter();
  const { shell, written } = createShell();
  await runProgram(argv, shell);
  const text = written();
  expect(text.length).toBeGreaterThan(10);
  expect(text).not.toMatch(STEERING);
});

test("JSON says what it was, in its own escapes", () => {
  const { shell, written } = createShell();
  printJson(shell, { [EVIL]: [EVIL] });
  const text = written();
  expect(text).not.toMatch(STEERING);
  expect(text).toContain(String.raw`\u009b31m\u202e`);
  expect(JSON.parse(text)).toEqual({ [EVIL]: [EVIL] });
});

test.each([true, false])("a failure neither, as JSON: %s", (json) => {
  const { shell, written } = createShell();
  printFailure(shell, failure("E_NOT_FOUND", EVIL), json);
  expect(written()).not.toMatch(STEERING);
});

test.each(["command_request", "command_error", "command_result", EVIL])(
  "a trace keeps its lines, whatever stands in an envelope of the type %j",
  (type) => {
    const step: TraceStep = {
      id: EVIL,
      replyTo: null,
      type,
      intent: EVIL,
      from: EVIL,
      to: EVIL,
      sentAt: 1_800_000_000_000,
      receivedAt: null,
      sentBy: null,
      receivedBy: null,
      state: EVIL,
      verdict: EVIL,
      failure: EVIL,
      words: EVIL,
    };
    const look = { zone: "UTC", isColour: false, width: Infinity };
    const text = renderTrace("c", [step, step], look);
    expect(text).not.toMatch(STEERING);
    expect(text.split("\n")).toHaveLength(5);
    const list = renderConversations([{ corr: "c", at: 0, state: "done", words: EVIL }], look);
    expect(list).not.toMatch(STEERING);
    expect(list.split("\n")).toHaveLength(3);
  },
);

test("the tree keeps its lines, whatever a role file says of itself", () => {
  const text = renderTree(
    {
      name: EVIL,
      state: "ACTIVE",
      health: "degraded",
      commands: [{ name: EVIL }],
      disabled: [{ role: EVIL, file: EVIL, line: 1, reason: EVIL, remedy: EVIL }],
      children: [],
    },
    { isColour: false, width: Infinity },
  );
  expect(text).not.toMatch(STEERING);
  expect(text.split("\n")).toHaveLength(4);
});
