import { createServer } from "node:net";
import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { untilHealthy } from "../support/health.ts";
import { listen } from "../support/net.ts";
import { createOwnTree } from "../support/own-tree.ts";
import { closedPort, runVoxtree, startVoxtree } from "../support/program.ts";
import { startRedis } from "../support/redis.ts";
import { createDataFolder } from "../support/wire-process.ts";

const NOBODY = "redis://:s3cret@127.0.0.1:1";

async function refusal(args: readonly string[], env: Record<string, string>) {
  using folder = createDataFolder();
  return runVoxtree(args, { dataDir: folder.dir, env });
}

describe("what an agent by itself cannot be started with", () => {
  test.concurrent("no REDIS_URL", async () => {
    const { code, out, err } = await refusal(["agent", "web"], {});
    expect({ code, out }).toEqual({ code: 5, out: "" });
    expect(err).toMatch(
      /^E_CONFIG: REDIS_URL is not set, and web would find nobody: set it, such as REDIS_URL=redis:/,
    );
  });

  test.concurrent("a name that nobody has", async () => {
    const { code, err } = await refusal(["agent", "wbe"], { REDIS_URL: NOBODY });
    expect(code).toBe(3);
    expect(err).toContain(
      "There is no agent wbe in roles (did you mean web?); the agents are machine, office, ops, reminders, root, warroom, web.",
    );
  });

  test.concurrent("the root", async () => {
    const { code, err } = await refusal(["agent", "root"], { REDIS_URL: NOBODY });
    expect(code).toBe(2);
    expect(err).toContain("root is the root, which talks to people: start it by `voxtree start`");
  });

  test.concurrent("a manifest that does not fit", async () => {
    await using tree = await createOwnTree({}, { "roles/web/agent.yml": "name: web\n" });
    const { dataDir, rolesDir } = tree;
    const { code, err } = await runVoxtree(["agent", "web"], {
      dataDir,
      rolesDir,
      env: { REDIS_URL: NOBODY },
    });
    expect(code).toBe(5);
    expect(err).toMatch(/^E_MANIFEST: .*web\/agent\.yml:1: id is missing/);
  });

  test.concurrent("a password that is wrong or missing, and it is not repeated", async () => {
    await using redis = await startRedis();
    const operator = new Redis(redis.url);
    await operator.config("SET", "requirepass", "the-right-one");
    operator.disconnect();
    const url = (login: string): string => redis.url.replace("://", `://${login}`);
    const [wrong, missing] = await Promise.all([
      refusal(["agent", "web"], { REDIS_URL: url(":s3cret@") }),
      refusal(["start"], { REDIS_URL: redis.url }),
    ]);
    expect([wrong.code, missing.code]).toEqual([5, 5]);
    expect(wrong.err).toContain(
      `E_TRANSPORT: Redis at redis://127.0.0.1:${redis.port} cannot be used: it does not know the user and password in REDIS_URL.`,
    );
    expect(wrong.err).not.toContain("s3cret");
    expect(missing.err).toContain("cannot be used: it wants a password, and REDIS_URL has none.");
  });

  test.concurrent("somebody who is no Redis", async () => {
    await using other = await listen(
      createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
    );
    const { code, err } = await refusal(["agent", "web"], { REDIS_URL: `redis://127.0.0.1:${other.port}` });
    expect(code).toBe(5);
    expect(err).toContain("cannot be used: who answers there is no Redis.");
  });
});

test.concurrent("a Redis that is away is told once, and the agent starts; at its end it stops at once", async () => {
  using folder = createDataFolder();
  const port = await closedPort();
  const env = { REDIS_URL: NOBODY, VOXTREE_HEALTH_PORT: String(port), VOXTREE_LOG_LEVEL: "info" };
  await using web = startVoxtree({ dataDir: folder.dir, env }, ["agent", "web"]);
  await web.untilTold(/web runs \(process \d+\), its master is ops/);
  expect(await untilHealthy(port)).toMatchObject({
    status: 200,
    health: { agent: "web", state: "ACTIVE", transport: "down", pid: web.pid },
  });
  const { code, err } = await web.kill("SIGINT");
  expect(code).toBe(0);
  expect(err.match(/Redis at redis:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/g)).toHaveLength(1);
  expect(err).not.toContain("s3cret");
});

test.concurrent("one agent runs once on its folder", async () => {
  using folder = createDataFolder();
  const port = await closedPort();
  const env = { REDIS_URL: NOBODY };
  await using first = startVoxtree(
    { dataDir: folder.dir, env: { ...env, VOXTREE_HEALTH_PORT: String(port) } },
    ["agent", "web"],
  );
  await untilHealthy(port);
  const second = await runVoxtree(["agent", "web"], { dataDir: folder.dir, env });
  expect(second.code).toBe(4);
  expect(second.err).toContain(`process ${first.pid}`);
});

test.concurrent("doctor says whether Redis answers, and never with what password", async () => {
  await using redis = await startRedis();
  using folder = createDataFolder();
  const findings = async (url: string) => {
    const { out } = await runVoxtree(["doctor", "--json"], {
      dataDir: folder.dir,
      env: { REDIS_URL: url },
    });
    expect(out).not.toContain("s3cret");
    const { checks } = JSON.parse(out) as { checks: { name: string; state: string; text: string }[] };
    return checks.filter(({ name }) => name === "redis").map(({ state, text }) => ({ state, text }));
  };
  expect(await findings("")).toEqual([]);
  expect(await findings(redis.url)).toEqual([
    { state: "ok", text: `redis://127.0.0.1:${redis.port} answers and takes writes` },
  ]);
  expect(await findings(NOBODY)).toEqual([
    { state: "fail", text: "redis://127.0.0.1:1 cannot be reached (ECONNREFUSED)" },
  ]);
});
