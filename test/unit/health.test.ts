import { describe, expect, test } from "vitest";
import { openHealth, type HealthParts } from "../../src/cli/health.ts";
import { isFailure } from "../../src/envelope/index.ts";
import { healthAt } from "../support/health.ts";
import { closedPort } from "../support/program.ts";

interface Changing {
  state: HealthParts["agent"]["state"];
  isTransportUp: boolean;
  hasLostLedger: boolean;
}

/** /healthz of an agent whose state the test decides. */
async function open(start: Partial<Changing> & { isLocal?: boolean } = {}) {
  const now: Changing = { state: "ACTIVE", isTransportUp: true, hasLostLedger: false, ...start };
  const port = await closedPort();
  const health = await openHealth(port, {
    agent: {
      self: { id: "019ad300-0000-7000-8000-000000000003", name: "web" },
      get state() {
        return now.state;
      },
      get isTransportUp() {
        return now.isTransportUp;
      },
    },
    isLocal: start.isLocal ?? false,
    degradedRoles: () => 2,
    since: new Date("2026-03-01T10:00:00Z"),
    hasLostLedger: () => now.hasLostLedger,
  });
  if (isFailure(health)) throw new Error(health.text);
  return { now, port, [Symbol.asyncDispose]: () => health.close() };
}

describe("/healthz", () => {
  test("says how an agent is", async () => {
    await using at = await open();
    expect(await healthAt(at.port)).toEqual({
      status: 200,
      health: {
        agent: "web",
        state: "ACTIVE",
        transport: "up",
        degraded: 2,
        pid: process.pid,
        since: "2026-03-01T10:00:00.000Z",
      },
    });
  });

  test.each([
    ["BOOTING", 503],
    ["IDLE", 503],
    ["ACTIVE", 200],
    ["PAUSED", 200],
    ["STOPPING", 503],
    ["STOPPED", 503],
    ["FAILED", 503],
  ] as const)("of an agent that is %s answers %d", async (state, status) => {
    await using at = await open({ state });
    expect(await healthAt(at.port)).toMatchObject({ status, health: { state } });
  });

  test("answers 503 once the ledger cannot be written, whatever the state", async () => {
    await using at = await open();
    at.now.hasLostLedger = true;
    expect(await healthAt(at.port)).toMatchObject({ status: 503 });
  });

  test("is well without Redis, and says so: starting anew would not help", async () => {
    await using at = await open({ isTransportUp: false });
    expect(await healthAt(at.port)).toMatchObject({ status: 200, health: { transport: "down" } });
  });

  test("says that all run in this process", async () => {
    await using at = await open({ isLocal: true });
    expect(await healthAt(at.port)).toMatchObject({ status: 200, health: { transport: "local" } });
  });

  test("is asked by GET alone, and nothing else is there", async () => {
    await using at = await open();
    const url = `http://127.0.0.1:${at.port}`;
    const statusOf = async (path: string, method: string): Promise<number> =>
      (await fetch(`${url}${path}`, { method })).status;
    expect(await statusOf("/healthz?verbose", "GET")).toBe(200);
    expect(await statusOf("/healthz", "HEAD")).toBe(200);
    expect(await statusOf("/healthz", "POST")).toBe(405);
    expect((await fetch(`${url}/healthz`, { method: "DELETE" })).headers.get("allow")).toBe("GET, HEAD");
    expect(await statusOf("/", "GET")).toBe(404);
    expect(await statusOf("/healthz/x", "GET")).toBe(404);
  });

  test("goes with its agent, and holds nobody up who still has a connection", async () => {
    const at = await open();
    expect(await healthAt(at.port)).toMatchObject({ status: 200 });
    await at[Symbol.asyncDispose]();
    expect(await healthAt(at.port)).toBeUndefined();
  });

  test("at a port that is taken is a setting that does not fit", async () => {
    await using at = await open();
    const second = await openHealth(at.port, {
      agent: { self: { id: "", name: "ops" }, state: "ACTIVE", isTransportUp: true },
      isLocal: false,
      degradedRoles: () => 0,
      since: new Date(0),
      hasLostLedger: () => false,
    });
    expect(second).toMatchObject({
      failure: "E_CONFIG",
      text: `VOXTREE_HEALTH_PORT=${at.port} cannot be had on the loopback (EADDRINUSE): set another port.`,
    });
  });
});
