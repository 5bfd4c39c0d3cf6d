import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBullmqTransport } from "../../src/transport/bullmq.ts";
import { createLocalTransport } from "../../src/transport/local.ts";
import type { Transport } from "../../src/transport/port.ts";
import { joinAt, parcel } from "../support/ends.ts";
import { type RunningRedis, startRedis } from "../support/redis.ts";

let lanes = 0;
let redis: RunningRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const TRANSPORTS: readonly (readonly [string, () => Transport])[] = [
  ["in memory", () => createLocalTransport()],
  ["over BullMQ", () => createBullmqTransport({ url: redis.url })],
];

describe.each(TRANSPORTS)("lanes %s", (form, create) => {
  /** Names that no other test has: what is in lanes stays in Redis. */
  const named = (name: string): string => `${name}-${form === "in memory" ? "m" : "b"}${++lanes}`;

  test("bring each envelope to the neighbour it is for, with its sender's name and unchanged", async () => {
    const transport = create();
    const [ops, web, db] = [named("ops"), named("web"), named("db")];
    await using up = await joinAt(transport, ops, { with: [web, db] });
    await using left = await joinAt(transport, web, { with: [ops] });
    await using right = await joinAt(transport, db, { with: [ops] });
    const words = 'Grüße\u0000 "quoted" 🦀';
    await up.connection.send(web, parcel(words));
    await up.connection.send(db, parcel("for db"));
    await left.connection.send(ops, parcel("from web"));
    await Promise.all([
      left.until(() => left.came.length >= 1),
      right.until(() => right.came.length >= 1),
      up.until(() => up.came.length >= 1),
    ]);
    expect(left.came).toEqual([[ops, words]]);
    expect(right.came).toEqual([[ops, "for db"]]);
    expect(up.came).toEqual([[web, "from web"]]);
  });

  test("keep the order in which one neighbour sent", async () => {
    const transport = create();
    const [ops, web] = [named("ops"), named("web")];
    await using up = await joinAt(transport, ops, { with: [web] });
    await using down = await joinAt(transport, web, { with: [ops] });
    const texts = Array.from({ length: 300 }, (_, i) => `${i}`);
    await Promise.all(texts.map((text) => up.connection.send(web, parcel(text))));
    await down.until(() => down.came.length >= 300);
    expect(down.came.map(([, text]) => text)).toEqual(texts);
  });

  test("keep what comes while nobody is there for whoever joins", async () => {
    const transport = create();
    const [ops, web] = [named("ops"), named("web")];
    await using up = await joinAt(transport, ops, { with: [web] });
    await up.connection.send(web, parcel("early"));
    {
      await using first = await joinAt(transport, web, { with: [ops] });
      await first.until(() => first.came.length >= 1);
    }
    await up.connection.send(web, parcel("between"));
    await using second = await joinAt(transport, web, { with: [ops] });
    await second.until(() => second.came.length >= 1);
    expect(second.came).toEqual([[ops, "between"]]);
  });

  test("bring an envelope again to the next who joins when it could not be taken", async () => {
    const transport = create();
    const [ops, web] = [named("ops"), named("web")];
    await using up = await joinAt(transport, ops, { with: [web] });
    const tried = Promise.withResolvers<void>();
    {
      await using _broken = await joinAt(transport, web, {
        with: [ops],
        receive() {
          tried.resolve();
          return Promise.reject(new Error("the ledger is gone"));
        },
      });
      await up.connection.send(web, parcel("precious"));
      await tried.promise;
    }
    await using mended = await joinAt(transport, web, { with: [ops] });
    await mended.until(() => mended.came.length >= 1);
    expect(mended.came).toEqual([[ops, "precious"]]);
  });

  test("carry a text of a mebibyte", async () => {
    const transport = create();
    const [ops, web] = [named("ops"), named("web")];
    await using up = await joinAt(transport, ops, { with: [web] });
    await using down = await joinAt(transport, web, { with: [ops] });
    const text = "x".repeat(1024 * 1024);
    await up.connection.send(web, parcel(text));
    await down.until(() => down.came.length >= 1);
    expect(down.came[0]?.[1] === text).toBe(true);
  });

  test("take what was refused like everything else", async () => {
    const transport = create();
    const [ops, web] = [named("ops"), named("web")];
    await using up = await joinAt(transport, ops, { with: [web] });
    await using down = await joinAt(transport, web, {
      with: [ops],
      receive: () => Promise.resolve("refused"),
    });
    await up.connection.send(web, parcel("one"));
    await up.connection.send(web, parcel("two"));
    await down.until(() => down.came.length >= 2);
    expect(down.came.map(([, text]) => text)).toEqual(["one", "two"]);
  });
});
