import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { TelegramHealth } from "../capabilities/comm-gateway/telegram/index.ts";
import type { FailureValue } from "../envelope/index.ts";
import { failure } from "../envelope/index.ts";
import type { Orchestrator } from "../orchestrator/index.ts";

/** What is asked about: the topmost agent of this process, and all of its roles here. */
export interface HealthParts {
  readonly agent: Pick<Orchestrator["top"], "self" | "state" | "isTransportUp">;
  /** Whether its neighbours run in this process. */
  readonly isLocal: boolean;
  readonly degradedRoles: () => number;
  readonly since: Date;
  readonly hasLostLedger: () => boolean;
  /** How the Telegram channel is, where there is one. */
  readonly telegram?: (() => TelegramHealth) | undefined;
}

/** What /healthz answers, as JSON. */
export interface Health {
  readonly agent: string;
  readonly state: string;
  /** `down`: Redis is away, or takes no writes. The agent goes on from its ledger, and starting it anew would not help: it is healthy. */
  readonly transport: "up" | "down" | "local";
  /** How many roles cannot run here. */
  readonly degraded: number;
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
  /** Telegram; starting anew would not help where it cannot be reached or used: that is healthy as well. */
  readonly telegram?: {
    readonly state: TelegramHealth["poll"]["state"];
    /** What is wrong and what to do about it. */
    readonly text: string;
    /** ISO 8601; null before the first time. */
    readonly lastGoodPoll: string | null;
    /** Messages on their way, and those that were given up in the last weeks. */
    readonly toSend: number;
    readonly givenUp: number;
  };
}

/**
 * Answers GET /healthz on the loopback: 200 while the agent works or is paused, else 503. Without a port it does nothing.
 * E_CONFIG when the port cannot be had.
 */
export async function openHealth(
  port: number | undefined,
  parts: HealthParts,
): Promise<{ close(): Promise<void> } | FailureValue> {
  if (port === undefined) return { close: () => Promise.resolve() };
  const server = createServer(({ method = "", url = "" }, response) => {
    const [path] = url.split("?");
    if (path !== "/healthz") return answer(response, 404, { error: "only /healthz is here" });
    if (method !== "GET" && method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return answer(response, 405, { error: "only GET is answered" });
    }
    const health = healthOf(parts);
    const isWell = (health.state === "ACTIVE" || health.state === "PAUSED") && !parts.hasLostLedger();
    answer(response, isWell ? 200 : 503, health);
  });
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return failure(
      "E_CONFIG",
      `VOXTREE_HEALTH_PORT=${port} cannot be had on the loopback (${code}): set another port.`,
    );
  }
  server.unref();
  return {
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function healthOf({ agent, isLocal, degradedRoles, since, telegram }: HealthParts): Health {
  return {
    agent: agent.self.name,
    state: agent.state,
    transport: isLocal ? "local" : agent.isTransportUp ? "up" : "down",
    degraded: degradedRoles(),
    pid: process.pid,
    since: since.toISOString(),
    ...(telegram ? { telegram: telegramOf(telegram()) } : {}),
  };
}

function telegramOf({ poll, output }: TelegramHealth): NonNullable<Health["telegram"]> {
  const { state, text, lastGoodPollAt } = poll;
  return {
    state,
    text,
    lastGoodPoll: lastGoodPollAt === undefined ? null : new Date(lastGoodPollAt).toISOString(),
    toSend: output.open,
    givenUp: output.failed,
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(`${JSON.stringify(body)}\n`);
}
