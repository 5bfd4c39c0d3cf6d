import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { idToBytes, isFailure } from "../../src/envelope/index.ts";
import { readLedger, type LedgerReading } from "../../src/ledger/index.ts";
import { readRows } from "../support/ledger-rows.ts";
import { createProjectFolder } from "../support/project-folder.ts";
import { runVoxtree } from "../support/voxtree.ts";
import { createDataFolder, startWireProcess } from "../support/wire-process.ts";

const ROLES = join(import.meta.dirname, "../../roles");
const WORDS = "00000000-0000-5000-8000-000000000001";
const ROOT = "019ad000-0000-7000-8000-000000000001";
const OPS = "019ad000-0000-7000-8000-000000000002";
const WEB = "019ad000-0000-7000-8000-000000000003";
const MACHINE = "019ad000-0000-7000-8000-000000000004";

/** A page that is there. */
async function startServer() {
  const server = createServer((_, response) => void response.end("fine"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function open(dataDir: string, agent: string): LedgerReading {
  const ledger = readLedger(join(dataDir, agent, "ledger.db"));
  if (isFailure(ledger)) throw new Error(ledger.text);
  return ledger;
}

test("a conversation stands in the ledgers of those who took part in it, each with its own side, in order", async () => {
  using folder = createDataFolder();
  await using server = await startServer();
  const tree = startWireProcess({ rolesDir: ROLES, dataDir: folder.dir, netAllow: "127.0.0.0/8" });
  await tree.ready;
  const from = Date.now();
  tree.say(WORDS, `/http ${server.url}/page`);
  await tree.replies((replies) => replies.length === 1);
  expect((await tree.stop()).code).toBe(0);
  const until = Date.now();

  using root = open(folder.dir, "root");
  using ops = open(folder.dir, "ops");
  using web = open(folder.dir, "web");
  using machine = open(folder.dir, "machine");
  const [conversation, ...others] = root.conversations(10);
  expect(others).toEqual([]);
  expect(conversation?.state).toBe("done");
  const corr = conversation?.corr ?? "";
  const side = (ledger: LedgerReading) =>
    ledger
      .trace(corr)
      .map(({ direction, peer, message }) => `${direction} ${peer} ${message.type} ${message.intent}`);
  expect(side(root)).toEqual([
    "in people command_request quox.chat.query",
    "out ops command_request ops.http",
    "in ops command_result ops.http",
    "out people command_result quox.chat.response",
  ]);
  expect(side(ops)).toEqual([
    "in root command_request ops.http",
    "out web command_request web.http",
    "in web command_result web.http",
    "out root command_result ops.http",
  ]);
  expect(side(web)).toEqual(["in ops command_request web.http", "out ops command_result web.http"]);
  expect(side(machine)).toEqual([]);

  const [asked, toOps, fromOps, told] = root.trace(corr);
  const [inOps, toWeb, fromWeb, toRoot] = ops.trace(corr);
  const [inWeb, outWeb] = web.trace(corr);
  // Each envelope stands byte for byte the same with who sent it and with who got it.
  expect([inOps?.text, inWeb?.text]).toEqual([toOps?.text, toWeb?.text]);
  expect([fromOps?.text, fromWeb?.text]).toEqual([toRoot?.text, outWeb?.text]);
  // A request names what caused it, an answer what it answers.
  expect(asked?.message).toMatchObject({ message_id: WORDS, reply_to: null });
  expect(toOps?.message.reply_to).toBe(WORDS);
  expect(toWeb?.message.reply_to).toBe(inOps?.message.message_id);
  expect(outWeb?.message.reply_to).toBe(inWeb?.message.message_id);
  expect(toRoot?.message.reply_to).toBe(inOps?.message.message_id);
  expect(told?.message.reply_to).toBe(WORDS);
  const path = [asked, toOps, inOps, toWeb, inWeb, outWeb, fromWeb, toRoot, fromOps, told];
  const times = path.map((step) => step?.at ?? 0);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual(from);
  expect(times.at(-1)).toBeLessThanOrEqual(until);
  expect(new Set(path.map((step) => step?.message.corr))).toEqual(new Set([corr]));
  // Everybody is called by address: the person by a name that tells nothing.
  const addresses = path.map((step) => `${step?.message.source} > ${step?.message.target}`);
  const person = asked?.message.source ?? "";
  expect(person).toMatch(/^human\.[\w-]{22}$/);
  expect([...new Set(addresses)]).toEqual([
    `${person} > agent.${ROOT}`,
    `agent.${ROOT} > agent.${OPS}`,
    `agent.${OPS} > agent.${WEB}`,
    `agent.${WEB} > agent.${OPS}`,
    `agent.${OPS} > agent.${ROOT}`,
    `agent.${ROOT} > ${person}`,
  ]);

  // Nothing is under way any more, and nothing was refused.
  for (const agent of ["root", "ops", "web", "machine"]) {
    for (const table of ["task", "outbox", "wait", "journal", "tomb", "rejection"]) {
      expect({ agent, table, rows: readRows(folder.dir, agent, `SELECT * FROM ${table}`) }).toEqual({
        agent,
        table,
        rows: [],
      });
    }
  }

  const shown = await runVoxtree(["trace", corr, "--json"], { dataDir: folder.dir });
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  const { steps } = JSON.parse(shown.stdout) as {
    steps: { from: string; to: string; id: string; replyTo: string | null }[];
  };
  expect(steps.map(({ from: sender, to }) => `${sender} > ${to}`)).toEqual([
    "people > root",
    "root > ops",
    "ops > web",
    "web > ops",
    "ops > root",
    "root > people",
  ]);
  expect(steps.map(({ id }) => id)).toEqual(
    [asked, toOps, toWeb, outWeb, toRoot, told].map((step) => step?.message.message_id),
  );
});

test("no file of an agent tells anything of an agent that is not its neighbour", async () => {
  using folder = createDataFolder();
  await using server = await startServer();
  // Under names that stand in no text, so that wherever one is found it was told.
  await using roles = await createProjectFolder();
  cpSync(ROLES, roles.dir, { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  const names = { root: "quorl", ops: "bizmuth", web: "fjordan", machine: "klyxon" };
  for (const [was, name] of Object.entries(names)) {
    const manifest = join(roles.dir, was, "agent.yml");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace(`name: ${was}`, `name: ${name}`));
  }
  const tree = startWireProcess({ rolesDir: roles.dir, dataDir: folder.dir, netAllow: "127.0.0.0/8" });
  await tree.ready;
  const closed = "http://127.0.0.1:9/closed";
  const asked = [
    `please look if ${server.url}/page answers`,
    `/http ${closed}`,
    `/http ${server.url}/page contains "nothing of the kind"`,
    "/port 127.0.0.1:9",
    "/host",
    "/overview",
    "/pages",
    "/http not an address",
    "something that nobody understands",
    "/tree",
    "/help http",
  ];
  for (const [i, text] of asked.entries())
    tree.say(`00000000-0000-5000-8000-00000000010${i.toString(16)}`, text);
  await tree.replies((replies) => replies.length === asked.length);

  const check = (): void => {
    const { root, ops, web, machine } = names;
    expectKnown(folder.dir, root, [ROOT, OPS, root, ops]);
    expectKnown(folder.dir, ops, [ROOT, OPS, WEB, MACHINE, root, ops, web, machine]);
    expectKnown(folder.dir, web, [OPS, WEB, ops, web]);
    expectKnown(folder.dir, machine, [OPS, MACHINE, ops, machine]);
    expectUnknown(folder.dir, root, [WEB, MACHINE, web, machine]);
    expectUnknown(folder.dir, web, [ROOT, MACHINE, root, machine]);
    expectUnknown(folder.dir, machine, [ROOT, WEB, root, web]);
    // What a person wrote, and where, stays with the root.
    for (const agent of [ops, web, machine])
      expectUnknown(folder.dir, agent, ["wire:one", `please look if ${server.url}`, '"ann"']);
    // What one child was asked is nothing to its sibling.
    expectUnknown(folder.dir, machine, [`${server.url}/page`, closed]);
  };
  check();
  expect(filesOf(folder.dir, names.web).some((file) => file.endsWith("-wal"))).toBe(true);
  expect((await tree.stop()).code).toBe(0);
  check();
});

/** Every agent's files hold these, so that a search for them means something. */
function expectKnown(dataDir: string, agent: string, facts: readonly string[]): void {
  expect({ agent, holds: facts.filter((fact) => isHeld(dataDir, agent, fact)) }).toEqual({
    agent,
    holds: facts,
  });
}

function expectUnknown(dataDir: string, agent: string, facts: readonly string[]): void {
  expect({ agent, holds: facts.filter((fact) => isHeld(dataDir, agent, fact)) }).toEqual({
    agent,
    holds: [],
  });
}

function filesOf(dataDir: string, agent: string): readonly string[] {
  const dir = join(dataDir, agent);
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => join(dir, name));
}

/** Whether any byte of an agent's files says so: as text, as another spelling of it, or as a UUID's bytes. */
function isHeld(dataDir: string, agent: string, fact: string): boolean {
  const isId = /^[0-9a-f-]{36}$/.test(fact);
  const spellings = [
    Buffer.from(fact),
    Buffer.from(JSON.stringify(fact).slice(1, -1)),
    Buffer.from(fact, "utf16le"),
  ];
  if (isId) spellings.push(Buffer.from(idToBytes(fact)), Buffer.from(fact.replaceAll("-", "")));
  return filesOf(dataDir, agent).some((file) => {
    const bytes = readFileSync(file);
    return spellings.some((spelling) => bytes.includes(spelling));
  });
}
