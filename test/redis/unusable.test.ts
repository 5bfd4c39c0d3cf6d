import { mkdirSync, rmSync, rmdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkRedis } from "../../src/cli/doctor/redis.ts";
import type { CheckScope } from "../../src/cli/doctor/finding.ts";
import { openLanes } from "../../src/cli/lanes.ts";
import type { Config } from "../../src/config.ts";
import { isFailure, systemClock } from "../../src/envelope/index.ts";
import type { Log } from "../../src/sdk/context.ts";
import type { Transport } from "../../src/transport/port.ts";
import { tryRedis } from "../../src/transport/try-redis.ts";
import { startChain } from "../support/agents.ts";
import { createCertificate } from "../support/certificate.ts";
import { joinAt, parcel } from "../support/ends.ts";
import { waitFor } from "../support/event-loop.ts";
import { readRows, refusalsOf } from "../support/ledger-rows.ts";
import { listen } from "../support/net.ts";
import { type RunningRedis, startRedis } from "../support/redis.ts";

let redis: RunningRedis;
let other: RunningRedis;
let admin: Redis;
beforeAll(async () => {
  [redis, other] = await Promise.all([startRedis(), startRedis()]);
  admin = new Redis(redis.url);
});
afterAll(async () => {
  admin.disconnect();
  await Promise.all([redis, other].map((server) => server[Symbol.asyncDispose]()));
});
beforeEach(() => admin.flushall());

/** Lanes as a process opens them, with what its log tells at a level that is always shown. */
async function lanes(url = redis.url): Promise<{ transport: Transport; told: string[] }> {
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);
  const log: Log = { debug() {}, info() {}, warn: tell, error: tell };
  const config = { redisUrl: url } as Config;
  const transport = await openLanes(config, { clock: systemClock(), log });
  if (isFailure(transport)) throw new Error(transport.text);
  return { transport, told };
}

const doctor = (url: string) => checkRedis({ config: { redisUrl: url } } as unknown as CheckScope);

const set = (name: string, value: string): Promise<unknown> => admin.config("SET", name, value);
const dumpPath = (): string => join(redis.dir, "dump.rdb");
const saved = async (): Promise<string> => /rdb_last_bgsave_status:(\w+)/.exec(await admin.info())?.[1] ?? "";

interface Kind {
  readonly what: string;
  readonly why: string;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

const KINDS: readonly Kind[] = [
  {
    what: "a read-only replica",
    why: "it is a read-only replica: name its primary in REDIS_URL, or make it the primary (REPLICAOF NO ONE)",
    begin: () => admin.replicaof("127.0.0.1", other.port),
    end: () => admin.replicaof("NO", "ONE"),
  },
  {
    what: "full",
    why: "its memory is used up (maxmemory), and it takes no writes: raise maxmemory, or remove what is not Voxtree's",
    begin: () => set("maxmemory", "1"),
    end: () => set("maxmemory", "0"),
  },
  {
    what: "unable to save its files",
    why: "it could not save its files, and takes no writes: see its log, and give it disk space or the rights on its folder",
    async begin() {
      await set("save", "3600 1");
      // What stands where the file belongs cannot be replaced by it.
      rmSync(dumpPath(), { force: true });
      mkdirSync(dumpPath());
      await admin.bgsave();
      await waitFor(async () => (await saved()) === "err");
    },
    async end() {
      rmdirSync(dumpPath());
      await admin.bgsave();
      await waitFor(async () => (await saved()) === "ok");
      await set("save", "");
    },
  },
  {
    what: "without the replicas that it wants",
    why: "too few replicas follow it (min-replicas-to-write), and it takes no writes: bring them back, or lower that setting",
    begin: () => set("min-replicas-to-write", "1"),
    end: () => set("min-replicas-to-write", "0"),
  },
];

describe.each(KINDS)("a Redis that answers and is $what", ({ why, begin, end }) => {
  let isOn = false;
  const turn = async (on: boolean): Promise<void> => {
    if (on !== isOn) await (on ? begin() : end());
    isOn = on;
  };
  afterEach(() => turn(false));
  const shown = (): string => `Redis at redis://127.0.0.1:${redis.port} cannot be used: ${why}.`;

  test("is refused at the start and by the doctor, in words that say what to do", async () => {
    await turn(true);
    expect(await tryRedis(redis.url)).toMatchObject({ failure: "E_TRANSPORT", text: shown() });
    expect(await doctor(redis.url)).toMatchObject([{ name: "redis", state: "fail", text: shown() }]);
    await turn(false);
    expect(await tryRedis(redis.url)).toEqual({ isThere: true });
    // It was asked without a trace.
    expect(await admin.dbsize()).toBe(0);
  });

  test("is told once while agents run, and what is asked meanwhile is done when it takes writes again", async () => {
    const { transport, told } = await lanes();
    await using chain = await startChain(
      [{ name: "root" }, { name: "ops" }, { name: "web", commands: { look: () => ({ text: "seen" }) } }],
      { transport, clock: systemClock() },
    );
    await waitFor(() => Promise.resolve(chain.agents.get("root")?.commands().length === 1));
    expect((await chain.ask("look")).reply.text).toBe("seen");
    await turn(true);
    const areUp = (): boolean[] => [...chain.agents.values()].map(({ isTransportUp }) => isTransportUp);
    await waitFor(() => Promise.resolve(!areUp().includes(true)));
    const replies = Array.from({ length: 20 }, () => chain.ask("look"));
    const [since = 0] = (await admin.time()).map(Number);
    await waitFor(async () => Number((await admin.time())[0]) - since >= 4);
    const down = `${shown()} What is asked waits until then.`;
    expect(told).toEqual([down, down, down]);
    await turn(false);
    const answers = await Promise.all(replies);
    expect(answers.map(({ reply }) => reply.text)).toEqual(Array.from({ length: 20 }, () => "seen"));
    expect(areUp()).toEqual([true, true, true]);
    const back = `Redis at ${redis.url} is there.`;
    expect(told.slice(3)).toEqual([back, back, back]);
    // Nobody is taken for hostile on account of it.
    for (const agent of ["root", "ops", "web"]) {
      expect(refusalsOf(chain.dir, agent)).toEqual({});
      expect(readRows(chain.dir, agent, "SELECT body FROM alert")).toEqual([]);
    }
  });

  test("brings what was on its lanes to who reads them, once it takes writes again", async () => {
    const { transport } = await lanes();
    await using ops = await joinAt(transport, "ops", { with: ["web"] });
    for (let i = 0; i < 40; i++) await ops.connection.send("web", { ...parcel(`${i}`), isRepeat: true });
    const gate = Promise.withResolvers<void>();
    await using web = await joinAt(transport, "web", {
      with: ["ops"],
      // Taken while Redis took writes, and to be marked as done when it takes none.
      receive: () => gate.promise.then(() => "taken"),
    });
    await turn(true);
    await web.until(() => web.states.at(-1) === "down");
    gate.resolve();
    await expect(ops.connection.send("web", parcel("meanwhile"))).rejects.toThrow();
    await turn(false);
    await web.until(() => web.states.at(-1) === "up");
    await ops.until(() => ops.states.at(-1) === "up");
    await waitFor(async () => (await admin.llen("bull:ops.web:active")) === 0);
    await ops.connection.send("web", parcel("after"));
    await web.until(() => web.came.some(([, one]) => one === "after"));
    expect([...ops.troubles, ...web.troubles]).toEqual([]);
  });
});

describe("TLS on one side alone is told within the time of an attempt", () => {
  const WITHIN_MS = 3000;
  let tls: RunningRedis;
  let port: number;
  beforeAll(async () => {
    const authority = createCertificate({
      names: ["127.0.0.1"],
      from: new Date(Date.now() - 60_000),
      until: new Date(Date.now() + 3_600_000),
      isAuthority: true,
    });
    const [cert, key] = [join(redis.dir, "cert.pem"), join(redis.dir, "key.pem")];
    writeFileSync(cert, authority.cert);
    writeFileSync(key, authority.key);
    const free = createServer();
    ({ port } = await listen(free));
    await new Promise((resolve) => free.close(resolve));
    tls = await startRedis({
      args: [
        "--tls-port",
        String(port),
        "--tls-cert-file",
        cert,
        "--tls-key-file",
        key,
        "--tls-ca-cert-file",
        cert,
      ],
    });
  });
  afterAll(() => tls[Symbol.asyncDispose]());

  const timed = async (url: string) => {
    const began = performance.now();
    const found = await tryRedis(url);
    expect(performance.now() - began).toBeLessThan(WITHIN_MS);
    return found;
  };

  test("rediss:// to a port of plain text", async () => {
    const why =
      "it speaks plain text at that port, and rediss:// stands for TLS: write redis://, or name its TLS port";
    const url = `rediss://127.0.0.1:${redis.port}`;
    const text = `Redis at ${url} cannot be used: ${why}.`;
    expect(await timed(url)).toMatchObject({ failure: "E_TRANSPORT", text });
    expect(await doctor(url)).toMatchObject([{ state: "fail", text }]);
  });

  test("rediss:// to a port of plain text that wants a password", async () => {
    await set("requirepass", "s3cret");
    try {
      const url = `rediss://:s3cret@127.0.0.1:${redis.port}`;
      const found = await timed(url);
      expect(found).toMatchObject({ failure: "E_TRANSPORT" });
      expect(JSON.stringify(found)).not.toContain("s3cret");
    } finally {
      await set("requirepass", "");
    }
  });

  test("redis:// to a port of TLS, where a certificate of ours is wanted as well", async () => {
    const url = `redis://127.0.0.1:${port}`;
    const why =
      "it speaks TLS at that port, and redis:// stands for plain text: write rediss://, or name its other port";
    expect(await timed(url)).toMatchObject({
      failure: "E_TRANSPORT",
      text: `Redis at ${url} cannot be used: ${why}.`,
    });
  });

  test("and one that is merely away, or says nothing at all, is still waited for", async () => {
    await using server = createServer((socket) => socket.resume());
    const { port: mute } = await listen(server);
    for (const scheme of ["redis", "rediss"]) {
      expect(await timed(`${scheme}://127.0.0.1:${mute}`)).toEqual({
        isThere: false,
        reason: "it does not answer",
      });
      expect(await tryRedis(`${scheme}://127.0.0.1:1`)).toMatchObject({ isThere: false });
    }
  });
});
