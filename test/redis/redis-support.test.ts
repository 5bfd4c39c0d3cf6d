import { existsSync } from "node:fs";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { chooseRedis, HOW_TO_GET_REDIS, provideRedis } from "../support/redis-binary.ts";
import { startRedis, type RunningRedis } from "../support/redis.ts";

const connect = ({ url }: RunningRedis): Disposable & { readonly client: Redis } => {
  const client = new Redis(url, { retryStrategy: null });
  client.on("error", () => undefined);
  return { client, [Symbol.dispose]: () => client.disconnect() };
};

test("a server of the test's own is durable and never throws anything out", async () => {
  await using server = await startRedis();
  using connection = connect(server);
  const setting = (name: string) => connection.client.config("GET", name);
  expect(await setting("appendonly")).toEqual(["appendonly", "yes"]);
  expect(await setting("appendfsync")).toEqual(["appendfsync", "everysec"]);
  expect(await setting("maxmemory-policy")).toEqual(["maxmemory-policy", "noeviction"]);
  expect(await setting("save")).toEqual(["save", ""]);
  expect(await setting("bind")).toEqual(["bind", "127.0.0.1"]);
  expect(await setting("dir")).toEqual(["dir", server.dir]);
  expect(server.port).not.toBe(6379);
});

test("what was written survives a kill and a stop, at the same address", async () => {
  await using server = await startRedis();
  const pids = [server.pid];
  {
    using connection = connect(server);
    await connection.client.set("first", "1");
    await server.kill();
  }
  await server.restart();
  pids.push(server.pid);
  {
    using connection = connect(server);
    await connection.client.set("second", "2");
  }
  await server.restart();
  pids.push(server.pid);
  using connection = connect(server);
  expect(await connection.client.mget("first", "second")).toEqual(["1", "2"]);
  expect(new Set(pids).size).toBe(3);
});

test("a paused server answers once it goes on, and can be stopped while it is paused", async () => {
  await using server = await startRedis();
  using connection = connect(server);
  await connection.client.ping();
  server.pause();
  let isAnswered = false;
  const answered = connection.client.ping().then(() => (isAnswered = true));
  // Many turns of the event loop: a server that runs would have answered in the first few.
  for (let i = 0; i < 50; i++) await new Promise(setImmediate);
  expect(isAnswered).toBe(false);
  server.resume();
  await answered;
  server.pause();
  await server.stop();
  await server.restart();
});

test("servers stand side by side, and each one's folder goes with it", async () => {
  let dirs: string[];
  {
    await using first = await startRedis();
    await using second = await startRedis({ args: ["--maxmemory", "8mb"] });
    expect(first.port).not.toBe(second.port);
    dirs = [first.dir, second.dir];
    expect(dirs.map((dir) => existsSync(dir))).toEqual([true, true]);
    using connection = connect(second);
    expect(await connection.client.config("GET", "maxmemory")).toEqual(["maxmemory", "8388608"]);
  }
  expect(dirs.map((dir) => existsSync(dir))).toEqual([false, false]);
});

test("a server that does not start says why", async () => {
  await expect(startRedis({ args: ["--maxmemory", "plenty"] })).rejects.toThrow(
    /did not start: [^]*maxmemory/,
  );
});

test("a server that is there comes first, then one that can be installed", () => {
  const having =
    (...programs: string[]) =>
    (program: string) =>
      programs.includes(program) ? `/bin/${program}` : undefined;
  const choose = (isRoot: boolean, ...programs: string[]) =>
    chooseRedis({ find: having(...programs), isRoot });
  expect(choose(true, "apt-get", "valkey-server", "redis-server")).toEqual({
    kind: "there",
    path: "/bin/redis-server",
  });
  expect(choose(true, "apt-get", "valkey-server")).toEqual({ kind: "there", path: "/bin/valkey-server" });
  expect(choose(true, "apt-get")).toEqual({ kind: "installable" });
  expect(choose(false, "apt-get")).toEqual({ kind: "missing" });
  expect(choose(true)).toEqual({ kind: "missing" });
});

test("where a server cannot be had, it is said how to get one", async () => {
  await expect(provideRedis({ find: () => undefined, isRoot: true })).rejects.toThrow(HOW_TO_GET_REDIS);
  expect(HOW_TO_GET_REDIS).toContain("apt-get install redis-server");
});
