import { createHmac, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenGateway } from "../capabilities/comm-gateway/index.ts";
import { NotDeliveredError } from "../capabilities/comm-gateway/index.ts";
import { readTree } from "../catalog/index.ts";
import type { Config } from "../config.ts";
import type { Clock, FailureValue, Ids } from "../envelope/index.ts";
import { createIds, failure, isFailure, systemClock } from "../envelope/index.ts";
import { openLedger } from "../ledger/index.ts";
import type { ProcessLog } from "../log.ts";
import type { Orchestrator, OrchestratorParts } from "../orchestrator/index.ts";
import { startAgents } from "../orchestrator/index.ts";
import type { CapabilityDefinition } from "../sdk/capability.ts";
import { lockFolder } from "../storage/index.ts";
import { createLocalTransport } from "../transport/local.ts";
import { createCapabilities } from "./capabilities.ts";
import { startWatchdog } from "./watchdog.ts";

/** What a tree in one process is made of. The parts that have a default may be replaced, by a test's own main for one. */
export interface TreeParts {
  readonly config: Config;
  readonly rolesDir: string;
  readonly gateway: OpenGateway;
  readonly log: ProcessLog;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly openLedger?: OrchestratorParts["openLedger"];
  readonly transport?: OrchestratorParts["transport"];
  /** How long a handler may hold the process up before it is ended; default 10 s. */
  readonly patienceMs?: number;
  /** Called when every agent runs, before people can write. */
  readonly onStarted?: (orchestrator: Orchestrator) => void;
  /** Further capabilities, or others in place of those that ship. */
  readonly capabilities?: readonly CapabilityDefinition[];
}

/** The tree at work. */
export interface OpenTree {
  readonly orchestrator: Orchestrator;
  /** Rejects when an agent can no longer write its ledger. */
  readonly fatal: Promise<never>;
  /** Stops as planned: what is in work may finish within `graceMs`, the rest goes on after the next start. */
  close(graceMs: number): Promise<void>;
}

/** A person's request must be answered within this. */
const PERSON_WAITS_MS = 90_000;
const PATIENCE_MS = 10_000;
const KEY_BYTES = 32;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Starts every agent of `rolesDir` in this process and opens the gateway's channels. */
export async function openTree(parts: TreeParts): Promise<OpenTree | FailureValue> {
  const { config, gateway, log } = parts;
  const clock = parts.clock ?? systemClock();
  const fatal = Promise.withResolvers<never>();
  fatal.promise.catch(() => undefined);
  let lost: FailureValue | undefined;
  /** Resolves once it is known whether the channels are open. */
  const opened = Promise.withResolvers<boolean>();
  let orchestrator: Orchestrator | undefined;
  const root = (): Orchestrator["root"] => {
    if (!orchestrator) throw new Error("the root is asked before it has started");
    return orchestrator.root;
  };

  const capabilities = merge(
    [...createCapabilities({ config, clock, root }), gateway.definition],
    parts.capabilities ?? [],
  );
  const tree = await readTree(
    parts.rolesDir,
    new Map(capabilities.map(({ id, rootOnly }) => [id, { rootOnly }])),
  );
  if (tree.problems.length > 0) {
    return failure("E_MANIFEST", tree.problems.map(({ text }) => text).join("\n"));
  }
  const pseudonymOf = createPseudonyms(config.dataDir);
  if (isFailure(pseudonymOf)) return pseudonymOf;

  // Timers alone keep no process alive, and a pipe that has ended does not either: what is in work does, until the end.
  const alive = setInterval(() => undefined, LONGEST_TIMER_MS);
  const watchdog = startWatchdog({ patienceMs: parts.patienceMs ?? PATIENCE_MS });
  const started = await startAgents({
    onBegin: watchdog.note,
    folders: tree.agents,
    dataDir: config.dataDir,
    keepMs: config.keepDays * DAY_MS,
    capabilities,
    clock,
    transport: parts.transport ?? createLocalTransport(),
    openLedger:
      parts.openLedger ??
      ((path, onFailure) => openLedger({ path, onFailure, now: clock.now, durability: config.durability })),
    lockFolder,
    ids: parts.ids ?? createIds(clock.now),
    random: Math.random,
    logOf: (agent) => log.child({ agent }),
    onFatal(agent, error) {
      lost ??= failure("E_LEDGER", `${agent} cannot use its ledger: ${error.message}`);
      fatal.reject(new Error(lost.text));
    },
    people: {
      pseudonymOf,
      timeoutMs: PERSON_WAITS_MS,
      async show(reply) {
        if (!(await opened.promise)) return false;
        const { vantage } = reply.reply;
        return gateway.deliver(vantage === undefined ? reply : { ...reply, vantage }).then(
          () => true,
          (error: unknown) => {
            if (error instanceof NotDeliveredError) return false;
            throw error;
          },
        );
      },
      progress: (requestId, text, fraction) => gateway.progress(requestId, text, fraction),
      close: () => gateway.close(),
    },
  });
  if (isFailure(started)) {
    await watchdog.stop();
    clearInterval(alive);
    return started;
  }
  orchestrator = started;
  parts.onStarted?.(started);
  const close = async (graceMs: number): Promise<void> => {
    // Without a ledger nothing that is in work can come to an end: it goes on after the next start.
    await started.stop(lost ? 0 : graceMs);
    await watchdog.stop();
    clearInterval(alive);
  };
  try {
    await gateway.start({
      accept: (inbound) => started.root.accept({ ...inbound, language: "en", zone: config.zone }),
      lastReply: (chat) => started.root.lastReply(chat),
    });
    opened.resolve(true);
    await started.boot();
  } catch (error) {
    // What is owed to people waits for the next start.
    opened.resolve(false);
    await close(0);
    if (lost) return lost;
    throw error;
  }
  return { orchestrator: started, fatal: fatal.promise, close };
}

function merge(
  shipped: readonly CapabilityDefinition[],
  others: readonly CapabilityDefinition[],
): readonly CapabilityDefinition[] {
  const replaced = new Set(others.map(({ id }) => id));
  return [...shipped.filter(({ id }) => !replaced.has(id)), ...others];
}

/** People stand below the root under names that only the root's own key can make. */
function createPseudonyms(dataDir: string): ((channel: string, person: string) => string) | FailureValue {
  const path = join(dataDir, "root", "pseudonym.key");
  try {
    mkdirSync(join(dataDir, "root"), { recursive: true });
    const key = readOrMake(path);
    return (channel, person) =>
      createHmac("sha256", key).update(`${channel}\u0000${person}`).digest("base64url").slice(0, 22);
  } catch (error) {
    return failure("E_LEDGER", `${path} cannot be read or made: ${(error as Error).message}`);
  }
}

function readOrMake(path: string): Buffer {
  try {
    // Whoever comes second reads what the first one made.
    writeFileSync(path, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const key = readFileSync(path);
  if (key.length !== KEY_BYTES) throw new Error(`it holds ${key.length} bytes and not ${KEY_BYTES}`);
  return key;
}
