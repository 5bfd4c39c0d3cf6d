import { connect, createServer, type Socket } from "node:net";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createBullmqTransport } from "../../src/transport/bullmq.ts";
import { waitFor } from "../support/event-loop.ts";
import { listen } from "../support/net.ts";
import { tryRedis } from "../../src/transport/try-redis.ts";
import { joinAt, parcel } from "../support/ends.ts";
import { type RunningRedis, startRedis } from "../support/redis.ts";

let redis: RunningRedis;
let admin: Redis;
beforeAll(async () => {
  redis = await startRedis();
  admin = new Redis(redis.url, { maxRetriesPerRequest: null });
  admin.on("error", () => undefined);
});
afterAll(async () => {
  admin.disconnect();
  await redis[Symbol.asyncDispose]();
});
beforeEach(() => admin.flushall());

const transport = () => createBullmqTransport({ url: redis.url });
const texts = (end: { readonly came: readonly (readonly [string, string])[] }): string[] =>
  end.came.map(([, text]) => text);

describe("Redis itself", () => {
  test("killed and back: lanes are down and up, nothing is piled up meanwhile, and what was in them is there", async () => {
    await using ops = await joinAt(transport(), "ops", { with: ["web"] });
    await ops.connection.send("web", parcel("before"));
    await redis.kill();
    await ops.until(() => ops.states.at(-1) === "down");
    expect(ops.connection.isUp()).toBe(false);
    await expect(ops.connection.send("web", parcel("meanwhile"))).rejects.toThrow("Redis does not answer");
    await redis.restart();
    await ops.until(() => ops.states.at(-1) === "up");
    await ops.connection.send("web", parcel("after"));
    await using web = await joinAt(transport(), "web", { with: ["ops"] });
    await web.until(() => web.came.length === 2);
    expect(texts(web)).toEqual(["before", "after"]);
  });

  test("hanging with its connections open counts as away, until it answers", async () => {
    await using ops = await joinAt(transport(), "ops", { with: ["web"] });
    await using web = await joinAt(transport(), "web", { with: ["ops"] });
    redis.pause();
    await Promise.all([ops, web].map((end) => end.until(() => end.states.at(-1) === "down")));
    redis.resume();
    await Promise.all([ops, web].map((end) => end.until(() => end.states.at(-1) === "up")));
    await ops.connection.send("web", parcel("again"));
    await web.until(() => web.came.length === 1);
  });

  test("wiped while everybody stays connected: everybody is told, and lanes work on", async () => {
    await using ops = await joinAt(transport(), "ops", { with: ["web"] });
    await using web = await joinAt(transport(), "web", { with: ["ops"] });
    expect(ops.states).toEqual(["up"]);
    await admin.flushall();
    await ops.until(() => ops.states.length === 2);
    await web.until(() => web.states.length === 2);
    expect([ops.states, web.states]).toEqual([
      ["up", "up"],
      ["up", "up"],
    ]);
    await ops.connection.send("web", parcel("after the wipe"));
    await web.until(() => web.came.length === 1);
    expect(await admin.hget("bull:ops.web:meta", "opts.maxLenEvents")).toBe("100");
    // A lane that was wiped was not damaged by anybody.
    expect([...ops.troubles, ...web.troubles]).toEqual([]);
  });

  test("not there at the start: joining does not wait for it, and lanes come up with it", async () => {
    await redis.kill();
    await using ops = await joinAt(transport(), "ops", { with: ["web"] });
    expect(ops.connection.isUp()).toBe(false);
    expect(ops.connection.sharedNow()).toBeUndefined();
    await redis.restart();
    await ops.until(() => ops.states.at(-1) === "up");
    const { connection } = ops;
    const [seconds] = await admin.time();
    expect(Math.abs((connection.sharedNow() ?? 0) / 1000 - Number(seconds))).toBeLessThan(2);
  });
});

test("a connection that leads nowhere any more is replaced", async () => {
  await using proxy = await openProxy(redis.port);
  const ops = await joinAt(createBullmqTransport({ url: `redis://127.0.0.1:${proxy.port}` }), "ops", {
    with: ["web"],
  });
  expect(ops.states).toEqual(["up"]);
  proxy.swallow();
  await ops.until(() => ops.states.length === 3);
  expect(ops.states).toEqual(["up", "down", "up"]);
  await ops.connection.close();
});

test("who has lost its ledger leaves its lane as it is", async () => {
  await using ops = await joinAt(transport(), "ops", { with: ["web"] });
  const lost = Promise.withResolvers<void>();
  await using _web = await joinAt(transport(), "web", {
    with: ["ops"],
    receive() {
      lost.resolve();
      return Promise.reject(new Error("the ledger is gone"));
    },
  });
  // Repeats go in jobs of their own.
  for (let i = 0; i < 20; i++)
    await ops.connection.send("web", { ...parcel(`envelope ${i}`), isRepeat: true });
  await lost.promise;
  const [since = 0] = (await admin.time()).map(Number);
  await waitFor(async () => Number((await admin.time())[0]) - since >= 3);
  const counts = await Promise.all(["wait", "active"].map((key) => admin.llen(`bull:ops.web:${key}`)));
  expect(counts.reduce((sum, n) => sum + n, 0)).toBe(20);
});

test("a database that Redis does not have is told before anybody takes another one for it", async () => {
  expect(await tryRedis(`${redis.url}/99`)).toMatchObject({
    failure: "E_TRANSPORT",
    text: `Redis at ${redis.url}/99 cannot be used: it has no database of this number.`,
  });
  expect(await tryRedis(`${redis.url}/3`)).toEqual({ isThere: true });
});

describe("a lane's own sender", () => {
  const hostile = (lane: string) => new Queue(lane, { connection: admin, skipVersionCheck: true });

  test.each([
    "active",
    "stalled",
    "marker",
    "events",
    "wait",
    "id",
    "meta",
    "delayed",
    "completed",
    "limiter",
  ])("that names a job %s stops its own lane for a moment, and the lane is put in order", async (id) => {
    await using ops = await joinAt(transport(), "ops", { with: ["web", "db"] });
    await using web = await joinAt(transport(), "web", { with: ["ops"] });
    await using db = await joinAt(transport(), "db", { with: ["ops"] });
    const queue = hostile("web.ops");
    await queue.add("x", "junk", { jobId: id }).catch(() => undefined);
    // As with rights on single keys instead of on the script.
    await admin.hset(`bull:web.ops:${id}`, { name: "x", data: '"junk"' }).catch(() => undefined);
    await admin.lpush("bull:web.ops:wait", id).catch(() => undefined);
    for (let i = 0; i < 20; i++) await db.connection.send("ops", parcel(`db ${i}`));
    await ops.until(() => texts(ops).filter((text) => text.startsWith("db ")).length === 20);
    // Sent again until it is there, as an outbox does.
    for (let i = 0; !texts(ops).includes("good"); i++) {
      await web.connection.send("ops", { ...parcel("good") }).catch(() => undefined);
      await Promise.race([
        ops.until(() => texts(ops).includes("good")),
        new Promise((resolve) => setTimeout(resolve, 500)),
      ]);
      if (i > 40) throw new Error(`the lane stands still: ${JSON.stringify(ops.troubles)}`);
    }
    expect(ops.troubles.every(({ from }) => from === "web")).toBe(true);
    await queue.close();
  });

  test("cannot have its jobs run again, kept, delayed or preferred", async () => {
    await using ops = await joinAt(transport(), "ops", { with: ["web"] });
    const queue = hostile("web.ops");
    const jobs = [{ attempts: 1000 }, { removeOnComplete: false }, { removeOnFail: false }, { priority: 1 }, { delay: 60_000 }, { lifo: true }]; // prettier-ignore
    for (const [i, options] of jobs.entries()) await queue.add("x", `job ${i}`, options);
    await ops.until(() => ops.troubles.length > 0);
    await ops.until(() => texts(ops).includes("job 5"));
    await ops.connection.send("web", parcel("a second later")); // something to wait for
    const counts = new Map<string, number>();
    for (const text of texts(ops)) counts.set(text, (counts.get(text) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBe(1);
    await waitFor(async () => (await admin.keys("bull:web.ops:*")).every((key) => STANDING.has(key)));
    await queue.close();
  });

  /** A job as somebody writes it who has rights on single keys. */
  const write = async (id: string, fields: Readonly<Record<string, string>>): Promise<void> => {
    await admin.hset(`bull:web.ops:${id}`, {
      name: "vox",
      opts: "{}",
      timestamp: "1",
      data: '"x"',
      ...fields,
    });
    await admin.lpush("bull:web.ops:wait", id);
    await admin.zadd("bull:web.ops:marker", 0, "0");
  };

  test.each([
    ["data that are no JSON", { data: "{nope" }],
    ["options that are no JSON", { opts: "{nope" }],
    ["a count of attempts that is no number", { ats: "abc" }],
    ["a parent that is no JSON", { parent: "{nope" }],
  ])("cannot wedge its lane by jobs with %s", async (_, fields) => {
    await using ops = await joinAt(transport(), "ops", { with: ["web"] });
    for (let i = 0; i < 30; i++) await write(`m.bad${i}`, fields);
    await ops.until(() => ops.troubles.some(({ kind }) => kind === "shut"));
    await waitFor(async () => (await admin.exists("bull:web.ops:m.bad0", "bull:web.ops:m.bad29")) === 0);
  });

  test("cannot have one job run for ever that is nested too deep to be read", async () => {
    await using ops = await joinAt(transport(), "ops", {
      with: ["web"],
      receive: (_, text) => Promise.resolve(text === "" ? "refused" : "taken"),
    });
    await write("m.deep", {
      data: "[".repeat(50_000) + "]".repeat(50_000),
      opts: JSON.stringify({ attempts: 1_000_000_000 }),
    });
    await ops.until(() => ops.came.length > 0);
    await waitFor(async () => (await admin.exists("bull:web.ops:m.deep")) === 0);
    expect(texts(ops)).toEqual([""]);
  });

  test("cannot hold its lane up by a meta of a hundred thousand fields", async () => {
    await using ops = await joinAt(transport(), "ops", { with: ["web"] });
    const heap = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, "x"]));
    await admin.hset("bull:web.ops:meta", { ...heap, paused: "1" });
    await ops.until(() => ops.troubles.length > 0);
    await waitFor(async () => (await admin.hlen("bull:web.ops:meta")) === 1);
  });

  test("that fills its lane with junk has it shut, and nobody else notices", async () => {
    await using ops = await joinAt(transport(), "ops", {
      with: ["web", "db", "dns", "tls"],
      receive: (from) => Promise.resolve(from === "web" ? "refused" : "taken"),
    });
    const others = await Promise.all(
      ["db", "dns", "tls"].map((name) => joinAt(transport(), name, { with: ["ops"] })),
    );
    const latencies: { readonly calm: number[]; readonly flooded: number[] } = { calm: [], flooded: [] };
    const trafficOf = async (end: (typeof others)[number], into: number[]): Promise<void> => {
      for (let i = 0; i < 100; i++) {
        const one = parcel(`envelope ${Math.random()}`);
        const began = performance.now();
        await end.connection.send("ops", one);
        await ops.until(() => ops.came.some(([, text]) => text === one.text));
        into.push(performance.now() - began);
      }
    };
    await Promise.all(others.map((end) => trafficOf(end, latencies.calm)));
    const queue = hostile("web.ops");
    const flood = Promise.all([
      ...Array.from({ length: 5000 }, (_, i) => queue.add("x", "junk", { jobId: `junk ${i}` })),
      ...Array.from({ length: 5 }, () => queue.add("x", "y".repeat(10 * 1024 * 1024))),
    ]);
    await Promise.all(others.map((end) => trafficOf(end, latencies.flooded)));
    await flood;
    await ops.until(() => ops.troubles.some(({ kind }) => kind === "shut"));
    const fromOthers = ops.came.filter(([from]) => from !== "web");
    expect(new Set(fromOthers.map(([, text]) => text)).size).toBe(600);
    // Of five thousand only what came before the lane was shut has been looked at.
    expect(ops.came.length - fromOthers.length).toBeLessThan(1000);
    await waitFor(async () => (await admin.exists("bull:web.ops:junk 4999")) === 0);
    const median = (of: number[]): string => (of.toSorted((a, b) => a - b)[of.length >> 1] ?? 0).toFixed(1);
    console.log(
      `three lanes beside a flooded one: median ${median(latencies.calm)} ms calm, ${median(latencies.flooded)} ms flooded`,
    );
    await queue.close();
    for (const end of others) await end.connection.close();
  });

  test("that has been shut is heard again once it behaves", async () => {
    let isHostile = true;
    await using ops = await joinAt(transport(), "ops", {
      with: ["web"],
      receive: () => Promise.resolve(isHostile ? "refused" : "taken"),
    });
    const queue = hostile("web.ops");
    await queue.addBulk(Array.from({ length: 300 }, () => ({ name: "x", data: "junk" })));
    await ops.until(() => ops.troubles.some(({ kind }) => kind === "shut"));
    isHostile = false;
    await using web = await joinAt(transport(), "web", { with: ["ops"] });
    const good = parcel("good");
    // The same envelope again and again, as an outbox sends it.
    await waitFor(async () => {
      await web.connection.send("ops", good);
      return texts(ops).includes("good");
    });
    await queue.close();
  });
});

/** What stays of a lane that is in order. */
const STANDING = new Map(
  Object.entries({
    meta: "hash",
    id: "string",
    events: "stream",
    "stalled-check": "string",
    marker: "zset",
  }).map(([key, type]) => [`bull:web.ops:${key}`, type]),
);

/** Stands between an agent and Redis. Once it swallows, connections that stand lead nowhere; new ones work. */
async function openProxy(
  port: number,
): Promise<AsyncDisposable & { readonly port: number; swallow(): void }> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((socket) => {
    const upstream = connect(port, "127.0.0.1");
    for (const end of [socket, upstream]) end.on("error", () => undefined);
    socket.pipe(upstream).pipe(socket);
    pairs.add([socket, upstream]);
  });
  const { port: own } = await listen(server);
  return {
    port: own,
    swallow() {
      for (const [socket, upstream] of pairs) {
        socket.unpipe(upstream).resume();
        upstream.unpipe(socket).resume();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) for (const end of pair) end.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
