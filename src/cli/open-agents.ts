import type { AgentPlace } from "../catalog/index.ts";
import type { Config } from "../config.ts";
import type { Clock, FailureValue, Ids } from "../envelope/index.ts";
import { failure, isFailure } from "../envelope/index.ts";
import { openLedger } from "../ledger/index.ts";
import type { ProcessLog } from "../log.ts";
import type { Orchestrator, OrchestratorParts } from "../orchestrator/index.ts";
import { startAgents } from "../orchestrator/index.ts";
import type { CapabilityDefinition } from "../sdk/capability.ts";
import { lockFolder } from "../storage/index.ts";
import { type HealthParts, openHealth } from "./health.ts";
import { startWatchdog } from "./watchdog.ts";

/** What the agents of a process are made of. */
export interface AgentsParts {
  readonly config: Config;
  readonly log: ProcessLog;
  readonly clock: Clock;
  readonly ids: Ids;
  /** As the orchestrator starts them. */
  readonly places: readonly AgentPlace[];
  readonly capabilities: readonly CapabilityDefinition[];
  readonly transport: OrchestratorParts["transport"];
  /** The root's way to people, where the root is here. */
  readonly people?: OrchestratorParts["people"];
  /** How the Telegram channel is, where there is one. */
  readonly telegramHealth?: HealthParts["telegram"];
  readonly openLedger?: OrchestratorParts["openLedger"] | undefined;
  /** How long a handler may hold the process up before it is ended; default 10 s. */
  readonly patienceMs?: number | undefined;
}

/** The agents of a process at work. */
export interface OpenAgents {
  readonly orchestrator: Orchestrator;
  /** Rejects when an agent can no longer write its ledger. */
  readonly fatal: Promise<never>;
  /** Why, once that is so. */
  lost(): FailureValue | undefined;
  /** Stops as planned: what is in work may finish within `graceMs`, the rest goes on after the next start. */
  close(graceMs: number): Promise<void>;
}

const PATIENCE_MS = 10_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Starts agents in this process, with all that keeps watch over them. Nothing is left behind when it fails. */
export async function openAgents(parts: AgentsParts): Promise<OpenAgents | FailureValue> {
  const { config, clock, log } = parts;
  const fatal = Promise.withResolvers<never>();
  fatal.promise.catch(() => undefined);
  let lost: FailureValue | undefined;

  // Timers alone keep no process alive, and a pipe that has ended does not either: what is in work does, until the end.
  const alive = setInterval(() => undefined, LONGEST_TIMER_MS);
  const watchdog = startWatchdog({ patienceMs: parts.patienceMs ?? PATIENCE_MS });
  const rest = async (): Promise<void> => {
    await watchdog.stop();
    clearInterval(alive);
  };
  const started = await startAgents({
    onBegin: watchdog.note,
    places: parts.places,
    dataDir: config.dataDir,
    keepMs: config.keepDays * DAY_MS,
    capabilities: parts.capabilities,
    clock,
    transport: parts.transport,
    openLedger:
      parts.openLedger ??
      ((path, onFailure) => openLedger({ path, onFailure, now: clock.now, durability: config.durability })),
    lockFolder,
    ids: parts.ids,
    random: Math.random,
    logOf: (agent) => log.child({ agent }),
    onFatal(agent, error) {
      lost ??= failure("E_LEDGER", `${agent} cannot use its ledger: ${error.message}`);
      fatal.reject(new Error(lost.text));
    },
    ...(parts.people ? { people: parts.people } : {}),
  });
  if (isFailure(started)) {
    await rest();
    return started;
  }
  const health = await openHealth(config.healthPort, {
    agent: started.top,
    isLocal: !parts.transport.isShared,
    degradedRoles: () => started.degradedRoles(),
    since: new Date(clock.now()),
    hasLostLedger: () => lost !== undefined,
    telegram: parts.telegramHealth,
  });
  const close = async (graceMs: number): Promise<void> => {
    // Without a ledger nothing that is in work can come to an end: it goes on after the next start.
    await started.stop(lost ? 0 : graceMs);
    if (!isFailure(health)) await health.close();
    await rest();
  };
  if (isFailure(health)) {
    await close(0);
    return health;
  }
  return {
    orchestrator: started,
    fatal: fatal.promise,
    lost: () => lost,
    close,
  };
}
