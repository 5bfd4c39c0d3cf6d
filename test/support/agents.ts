import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent, AgentParts, AgentRole, PersonsReply, PresenceChange } from "../../src/agent/index.ts";
import { createAgent, createHouse, createOwnStore } from "../../src/agent/index.ts";
import { createScheduleCapability, type Schedule } from "../../src/capabilities/schedule/index.ts";
import type { Clock, FailureValue } from "../../src/envelope/index.ts";
import { createIds, isFailure } from "../../src/envelope/index.ts";
import type { LedgerReading } from "../../src/ledger/index.ts";
import { openLedger, readLedger } from "../../src/ledger/index.ts";
import type { BaseContext, Log } from "../../src/sdk/context.ts";
import type { MountedCapability } from "../../src/sdk/capability.ts";
import { z } from "zod";
import { createLocalTransport } from "../../src/transport/local.ts";
import type { Transport } from "../../src/transport/port.ts";
import type { Lane } from "./lanes.ts";
import { recordLanes } from "./lanes.ts";
import { createManualClock } from "./manual-clock.ts";

/** What a command of a test's agent does. */
export type TestCommand = (
  context: BaseContext & { readonly store: TestStore; readonly schedule: Schedule },
  params: Readonly<Record<string, unknown>>,
) => unknown;

interface TestStore {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
}

export interface TestAgent {
  readonly name: string;
  /** Whom it answers to; default: the agent before it. */
  readonly master?: string;
  /** The pool in which its master knows it. */
  readonly pool?: string;
  /** False where its master does not expect it before it was heard; default: yes. */
  readonly autostart?: boolean;
  readonly commands?: Readonly<Record<string, TestCommand>>;
  readonly timeoutMs?: number;
  /** What its commands take, as JSON Schema; default: anything. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** What its commands do to the world; default: they look. */
  readonly effect?: "read" | "change" | "destroy";
  readonly concurrency?: number;
  readonly mostWaiting?: number;
  readonly events?: Readonly<
    Record<
      string,
      (
        context: BaseContext & { readonly schedule: Schedule },
        payload: Readonly<Record<string, unknown>>,
      ) => unknown
    >
  >;
  /** Tells the code of this agent's role; default: the same in every start. */
  readonly hash?: string;
  /** A role that was loaded from its file, in place of one that is made of the above. */
  readonly role?: AgentRole;
}

/** root → ops → web, or as many below each other as are named; siblings name their master. */
export interface TestChain extends AsyncDisposable {
  readonly dir: string;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly replies: PersonsReply[];
  readonly progress: string[];
  /** What the agents logged. */
  readonly logged: { readonly level: keyof Log; readonly message: string }[];
  /** What the agents told of their children, each as `<agent>: <child> is <state>`. */
  readonly presence: string[];
  /** Every envelope text that was put on a lane, in order. */
  readonly lanes: Lane;
  /** Says words to the root and waits for the reply. */
  ask(text: string, id?: string): Promise<PersonsReply>;
  /** Says words to the root; resolves when they are durable. */
  say(text: string, id: string): Promise<void>;
  replyTo(id: string): Promise<PersonsReply>;
  /** Starts an agent once more that has stopped, or one that was missing. */
  startAgain(agent: string): Promise<void>;
  read(agent: string, options?: { readonly forRepair: boolean }): LedgerReading;
}

export interface ChainOptions {
  readonly clock?: Clock;
  /** Where the ledgers stand; default: a folder that goes with the chain. */
  readonly dir?: string;
  readonly transport?: Transport;
  /** Default: yes. */
  readonly isAnybodyThere?: boolean;
  /** Agents that are not there yet, or no longer; default: none. */
  readonly missing?: readonly string[];
}

const ID = (n: number): string => `019ad200-0000-7000-8000-${String(n).padStart(12, "0")}`;

/**
 * Starts a chain of agents in this process, the first of which is the root. The root hands words down as
 * `<command> <JSON>`; what comes back is the reply. Ledgers stand in `dir`; a chain on the same folder goes on where the last one stopped.
 */
export async function startChain(
  chain: readonly TestAgent[],
  options: ChainOptions = {},
): Promise<TestChain> {
  const clock = options.clock ?? createManualClock();
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), "voxtree-chain-"));
  const ids = createIds(clock.now);
  const lanes = recordLanes(options.transport ?? createLocalTransport());
  const agents = new Map<string, Agent>();
  const house = createHouse();
  const replies: PersonsReply[] = [];
  const progress: string[] = [];
  const logged: TestChain["logged"] = [];
  const keep = (level: keyof Log) => (message: string) => void logged.push({ level, message });
  const log: Log = { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
  const presence: string[] = [];
  const waiting = new Map<string, (reply: PersonsReply) => void>();

  const start = async (i: number, one: TestAgent): Promise<void> => {
    const above = masterOf(chain, i);
    const below = [...chain.keys()].filter((other) => masterOf(chain, other) === i);
    const ledger = must(
      openLedger({
        path: ledgerPath(dir, one.name),
        now: clock.now,
        durability: "normal",
        onFailure: (error) => {
          throw error;
        },
      }),
    );
    const agent = createAgent({
      self: { id: ID(i), name: one.name },
      master: above === undefined ? undefined : neighbour(chain, above, "master"),
      children: below.map((child) => neighbour(chain, child, "child")),
      concurrency: one.concurrency ?? 32,
      ...(one.mostWaiting === undefined ? {} : { mostWaiting: one.mostWaiting }),
      roles: [...(i === 0 ? [talker()] : []), one.role ?? roleOf(one)],
      disabled: [],
      capabilities: new Map([
        ...CAPABILITIES,
        ["schedule", await mountSchedule(one.name, { ledger, clock, log })],
      ]),
      ledger,
      transport: lanes.transport,
      clock,
      ids,
      log,
      random: () => 0.5,
      house,
      keepMs: 30 * 24 * 60 * 60 * 1000,
      onPresence: ({ child, state, isPlanned }: PresenceChange) =>
        presence.push(`${one.name}: ${child} is ${state}${isPlanned ? " as planned" : ""}`),
      ...(i === 0
        ? {
            people: {
              pseudonymOf: (channel: string, person: string) => `${channel}-${person}`,
              timeoutMs: 60_000,
              close: () => Promise.resolve(),
              progress: (_: string, text: string) => void progress.push(text),
              show(reply: PersonsReply) {
                if (options.isAnybodyThere === false) return Promise.resolve(false);
                replies.push(reply);
                waiting.get(reply.requestId)?.(reply);
                return Promise.resolve(true);
              },
            },
          }
        : {}),
    });
    agents.set(one.name, agent);
    await agent.start();
    if (options.missing === undefined) await agent.childrenKnown(1000);
  };
  for (const [i, one] of [...chain.entries()].toReversed()) {
    if (!options.missing?.includes(one.name)) await start(i, one);
  }
  const root = agents.get(chain[0]?.name ?? "");
  if (!root) throw new Error("a chain needs a root");

  const say: TestChain["say"] = (text, id) =>
    root.accept({ id, channel: "test", chat: "chat", person: "ann", text, language: "en", zone: "UTC" });
  const replyTo: TestChain["replyTo"] = (id) =>
    new Promise((resolve) => {
      const there = replies.find((reply) => reply.requestId === id);
      if (there) resolve(there);
      else waiting.set(id, resolve);
    });
  return {
    dir,
    agents,
    replies,
    progress,
    logged,
    presence,
    lanes,
    async startAgain(agent) {
      const i = chain.findIndex(({ name }) => name === agent);
      const one = chain[i];
      if (!one) throw new Error(`there is no ${agent}`);
      await start(i, one);
    },
    say,
    replyTo,
    async ask(text, id = ids.next()) {
      const reply = replyTo(id);
      await say(text, id);
      return reply;
    },
    read: (agent, how) => must(readLedger(ledgerPath(dir, agent), how)),
    async [Symbol.asyncDispose]() {
      for (const agent of [...agents.values()].toReversed()) await agent.stop(0);
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The place of an agent's master in the chain. */
function masterOf(chain: readonly TestAgent[], i: number): number | undefined {
  const { master } = chain[i] ?? {};
  if (i === 0) return undefined;
  return master === undefined ? i - 1 : chain.findIndex(({ name }) => name === master);
}

function neighbour<R extends "master" | "child">(chain: readonly TestAgent[], i: number, relation: R) {
  const { pool, autostart } = (relation === "child" ? chain[i] : undefined) ?? {};
  return { id: ID(i), name: chain[i]?.name ?? "", relation, pool, autostart };
}

/** What a chain's ledgers would hold if its process had died just now, in a folder of its own. */
export function copyAsCrashed(chain: TestChain): ReturnType<typeof createChainFolder> {
  const folder = createChainFolder();
  cpSync(chain.dir, folder.dir, { recursive: true });
  return folder;
}

/** A folder for a chain that is started more than once. */
export function createChainFolder(): Disposable & { readonly dir: string } {
  const dir = mkdtempSync(join(tmpdir(), "voxtree-chain-"));
  return { dir, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) };
}

const ANY_PARAMS = z.looseObject({});

const CAPABILITIES = new Map([
  ["comm.gateway", { handle: (call) => ({ reply: call.answer }), close: () => Promise.resolve() }],
  ["store", { handle: (call) => call.store, close: () => Promise.resolve() }],
] satisfies [
  string,
  Omit<MountedCapability, "handle"> & { handle(call: Parameters<MountedCapability["handle"]>[0]): unknown },
][]) as unknown as ReadonlyMap<string, MountedCapability>;

function mountSchedule(
  agent: string,
  { ledger, clock, log }: { readonly ledger: AgentParts["ledger"]; readonly clock: Clock; readonly log: Log },
) {
  const definition = createScheduleCapability({ clock });
  const own = createOwnStore(ledger.values, definition.id);
  return definition.mount({ agent: { id: agent, name: agent }, settings: {}, log, own });
}

function talker(): AgentRole {
  return {
    name: "talker",
    file: "talker.ts",
    hash: "talker-1",
    requires: ["comm.gateway"],
    announcements: [],
    role: {
      commands: {},
      events: {},
      on: {
        async inbound_message(context, event) {
          const { text } = event as { readonly text: string };
          const [command = "", ...rest] = text.split(" ");
          const params: unknown = rest.length > 0 ? JSON.parse(rest.join(" ")) : {};
          const answer = await context.delegate(command, params as Record<string, unknown>);
          const { gateway } = context as unknown as { gateway: { reply(reply: unknown): void } };
          gateway.reply("failure" in answer ? { text: `${answer.failure}: ${answer.text}` } : answer.reply);
        },
      },
    },
  };
}

function roleOf(agent: TestAgent): AgentRole {
  const { commands = {}, events = {}, timeoutMs = 60_000, hash = "v1" } = agent;
  const { effect = "read", input = { type: "object" } } = agent;
  return {
    name: "tested",
    file: "tested.ts",
    hash,
    requires: ["store", "schedule"],
    announcements: Object.keys(commands).map((command) => ({
      name: command,
      description: command,
      prompts: [],
      input,
      effect,
      timeoutMs,
    })),
    role: {
      commands: Object.fromEntries(
        Object.entries(commands).map(([command, run]) => [
          command,
          { params: ANY_PARAMS, run: run as never },
        ]),
      ),
      events: Object.fromEntries(
        Object.entries(events).map(([event, run]) => [event, { payload: ANY_PARAMS, run: run as never }]),
      ),
      on: {},
    },
  };
}

function ledgerPath(dir: string, agent: string): string {
  return join(dir, agent, "ledger.db");
}

function must<T>(value: T | FailureValue): T {
  if (isFailure(value)) throw new Error(`${value.failure}: ${value.text}`);
  return value;
}
