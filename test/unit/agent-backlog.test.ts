import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyAsCrashed, startChain, type TestAgent } from "../support/agents.ts";
import { settled, until } from "../support/event-loop.ts";
import { createForge, parseCarried } from "../support/forge.ts";
import { readRows, refusalsOf } from "../support/ledger-rows.ts";
import { createManualClock } from "../support/manual-clock.ts";

const BACKLOG = 20_000;
const idOf = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, "0")}`;

test(`a backlog of ${BACKLOG} requests keeps its order, and next to nothing of it in memory`, async () => {
  const clock = createManualClock();
  const ran: number[] = [];
  const agents: readonly TestAgent[] = [
    { name: "root" },
    { name: "ops", concurrency: 4, commands: { count: (_, { n }) => ({ text: `${ran.push(Number(n))}` }) } },
  ];
  await using chain = await startChain(agents, { clock });
  const forge = createForge(chain, clock.now);
  chain.lanes.isRecording = false;
  chain.lanes.isLost = () => true;
  chain.agents.get("ops")?.pause();
  const before = heapUsed();
  const started = performance.now();
  for (let n = 0; n < BACKLOG; n += 500) {
    const some = Array.from({ length: 500 }, (_, i) => ({ command: "count", params: { n: n + i } }));
    await Promise.all(
      some.map((details) =>
        chain.lanes.inject(
          "root",
          "ops",
          forge.text("root", "ops", { details, requires: { timeout_ms: 600_000 } }),
        ),
      ),
    );
  }
  const takenIn = performance.now();
  const bytesEach = (heapUsed() - before) / BACKLOG;
  const waiting = readRows(chain.dir, "ops", "SELECT count(*) AS n FROM task WHERE state = 0");
  expect(waiting).toEqual([{ n: BACKLOG }]);

  chain.agents.get("ops")?.resume();
  await until(() => ran.length === BACKLOG);
  const counts = {
    backlog: BACKLOG,
    takenInMs: Math.round(takenIn - started),
    answeredMs: Math.round(performance.now() - takenIn),
    bytesEach: Math.round(bytesEach),
  };
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(ran).toEqual(Array.from({ length: BACKLOG }, (_, n) => n));
  expect(bytesEach).toBeLessThan(1500);
});

test("what is urgent passes a backlog, and a backlog can be taken back", async () => {
  const clock = createManualClock();
  const ran: string[] = [];
  await using chain = await startChain(
    [
      { name: "root" },
      {
        name: "ops",
        concurrency: 1,
        commands: { run: (_, { name }) => ({ text: `${ran.push(String(name))}` }) },
      },
    ],
    { clock },
  );
  const forge = createForge(chain, clock.now);
  const put = (name: string, priority: "normal" | "urgent"): Promise<unknown> => {
    const details = { command: "run", params: { name } };
    return chain.lanes.inject(
      "root",
      "ops",
      forge.text("root", "ops", { id: idAt(name), details, priority, requires: { timeout_ms: 600_000 } }),
    );
  };
  const ids = new Map<string, string>();
  function idAt(name: string): string {
    const id = ids.get(name) ?? forge.idAt(0);
    ids.set(name, id);
    return id;
  }
  chain.agents.get("ops")?.pause();
  for (let n = 0; n < 3000; n++) await put(`n${n}`, "normal");
  await put("urgent", "urgent");
  const before = performance.now();
  for (let n = 1; n < 2999; n++) {
    const request = idAt(`n${n}`);
    await chain.lanes.inject(
      "root",
      "ops",
      forge.text("root", "ops", { type: "cancel", reply_to: request, corr: request }),
    );
  }
  expect(performance.now() - before).toBeLessThan(60_000);
  chain.agents.get("ops")?.resume();
  await until(() => ran.length === 3);
  await settled();
  expect(ran).toEqual(["urgent", "n0", "n2999"]);
  const told = parseCarried(chain.lanes.carried, "ops", "root").filter(
    ({ payload }) => payload["code"] === "E_CANCELLED",
  );
  expect(new Set(told.map(({ reply_to }) => reply_to)).size).toBe(2998);
});

test("a master that acknowledges nothing is told E_BUSY, and costs no more rows to send again", async () => {
  const clock = createManualClock();
  let ran = 0;
  await using chain = await startChain(
    [{ name: "root" }, { name: "ops", commands: { run: () => ({ text: `${++ran}` }) } }],
    { clock },
  );
  const forge = createForge(chain, clock.now);
  const ask = (id: string): Promise<unknown> =>
    chain.lanes.inject(
      "root",
      "ops",
      forge.text("root", "ops", { id, details: { command: "run", params: {} } }),
    );
  chain.lanes.isLost = () => true;
  chain.lanes.isRecording = false;
  for (let n = 0; n < 5000; n += 500)
    await Promise.all(Array.from({ length: 500 }, () => ask(forge.idAt(0))));
  await until(() => ran === 5000);
  await settled();
  const rows = (): unknown => readRows(chain.dir, "ops", "SELECT count(*) AS n FROM outbox")[0]?.["n"];
  expect(rows()).toBe(5000);

  chain.lanes.isRecording = true;
  const refused = forge.idAt(0);
  for (let i = 0; i < 3; i++) await ask(refused);
  for (let i = 0; i < 100; i++) await ask(forge.idAt(0));
  await settled();
  expect(ran).toBe(5000);
  expect(rows()).toBe(5000);
  const answers = parseCarried(chain.lanes.carried, "ops", "root").filter(
    ({ reply_to }) => reply_to === refused,
  );
  expect(answers.map(({ id, payload }) => [id, payload["code"], payload["retryable"]])).toEqual(
    answers.map(() => [answers[0]?.id, "E_BUSY", true]),
  );
  expect(answers).toHaveLength(3);

  // Once it acknowledges, new ones are taken on again; the one that was refused stays refused.
  const open = readRows(chain.dir, "ops", "SELECT body FROM outbox JOIN message USING (n)").map(
    ({ body }) => (JSON.parse(String(body)) as { id: string }).id,
  );
  for (let n = 0; n < open.length; n += 100) {
    const details = { ids: open.slice(n, n + 100) };
    await chain.lanes.inject(
      "root",
      "ops",
      forge.text("root", "ops", { type: "message_acknowledged", details }),
    );
  }
  expect(rows()).toBe(0);
  await ask(refused);
  await ask(forge.idAt(0));
  await settled();
  expect(ran).toBe(5001);
  expect(refusalsOf(chain.dir, "ops")).toEqual({});
});

test("an envelope that is not acknowledged for three days is put aside, and goes again when it is asked for", async () => {
  const clock = createManualClock();
  const chain = [{ name: "root" }, { name: "ops", commands: { run: () => ({ text: "done" }) } }];
  await using first = await startChain(chain, { clock });
  const forge = createForge(first, clock.now);
  const text = forge.text("root", "ops", { details: { command: "run", params: {} } });
  first.lanes.isLost = () => true;
  await first.lanes.inject("root", "ops", text);
  await settled();
  using copy = copyAsCrashed(first);
  // Three days of every 15 s.
  const db = new DatabaseSync(join(copy.dir, "ops", "ledger.db"));
  db.exec("UPDATE outbox SET tries = 17279");
  db.close();

  await using last = await startChain(chain, { clock, dir: copy.dir });
  last.lanes.isLost = () => true;
  const sent = (): number =>
    parseCarried(last.lanes.carried, "ops", "root").filter(
      ({ message_type: type }) => type === "command_result",
    ).length;
  await settled();
  expect(sent()).toBe(1);
  clock.advance(20_000);
  await settled();
  expect(sent()).toBe(1);
  expect(readRows(last.dir, "ops", "SELECT state FROM outbox")).toEqual([{ state: 2 }]);
  expect(last.logged.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
    "an envelope was not acknowledged for three days and is put aside",
  ]);
  clock.advance(60_000);
  await settled();
  expect(sent()).toBe(1);
  await last.lanes.inject("root", "ops", text);
  expect(sent()).toBe(2);
});

test.each([-5 * 60_000, 5 * 60_000])(
  "a wall clock that is set by %i ms does not keep a lost answer from being sent again",
  async (shift) => {
    const clock = createManualClock();
    await using chain = await startChain(
      [{ name: "root" }, { name: "ops", commands: { run: () => ({ text: "done" }) } }],
      { clock },
    );
    chain.lanes.isLost = ({ from }) => from === "ops";
    await chain.say("run", idOf(1));
    await settled();
    chain.lanes.isLost = () => false;
    clock.setWallClock(clock.now() + shift);
    clock.advance(2500);
    expect((await chain.replyTo(idOf(1))).reply.text).toBe("done");
  },
);

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

test("a request beyond the high-water mark is told E_BUSY at once, and those below it are answered all the same", async () => {
  const clock = createManualClock();
  const ran: number[] = [];
  await using chain = await startChain(
    [
      { name: "root" },
      {
        name: "ops",
        mostWaiting: 50,
        commands: { count: (_, { n }) => ({ text: `${ran.push(Number(n))}` }) },
      },
    ],
    { clock },
  );
  const forge = createForge(chain, clock.now);
  chain.agents.get("ops")?.pause();
  for (let n = 0; n < 60; n++) {
    const details = { command: "count", params: { n } };
    await chain.lanes.inject("root", "ops", forge.text("root", "ops", { details }));
  }
  await settled();
  const codes = (): unknown[] =>
    parseCarried(chain.lanes.carried, "ops", "root").flatMap(({ payload }) => payload["code"] ?? []);
  expect(codes()).toEqual(Array.from({ length: 10 }, () => "E_BUSY"));
  chain.agents.get("ops")?.resume();
  await until(() => ran.length === 50);
  expect(ran).toEqual(Array.from({ length: 50 }, (_, n) => n));
});
