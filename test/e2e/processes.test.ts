import { expect, test } from "vitest";
import type { TraceStep } from "../../src/cli/read-trace.ts";
import { healthAt, untilHealthy } from "../support/health.ts";
import {
  closedPort,
  openSite,
  PROGRAM,
  runVoxtree,
  settingsFor,
  startVoxtree,
  type Running,
} from "../support/program.ts";
import { KEY, openTerminal, screenOf } from "../support/terminal.ts";
import { startRedis } from "../support/redis.ts";
import { createDataFolder } from "../support/wire-process.ts";

/** A child is taken for lost after 15 s of silence. */
const OFFLINE_WITHIN_MS = 20_000;
const STOPPED_WITHIN_MS = 10_000;

interface Started {
  readonly running: Running;
  readonly port: number;
}

type Four = [Started, Started, Started, Started];

/** Starts processes of one tree by the real verbs, all on one Redis and one data folder. */
function starter(redisUrl: string, dataDir: string) {
  return async (verb: readonly string[]): Promise<Started> => {
    const port = await closedPort();
    const env = { REDIS_URL: redisUrl, VOXTREE_HEALTH_PORT: String(port) };
    const running = startVoxtree({ dataDir, env }, verb);
    const { health } = await Promise.race([
      untilHealthy(port, ({ status, health }) => status === 200 && health["transport"] === "up"),
      // One that has ended says why, and nobody waits for its health.
      running.until(/(?!)/).then(() => ({ health: {} as Record<string, unknown> })),
    ]);
    expect(health["pid"]).toBe(running.pid);
    return { running, port };
  };
}

async function traceOfNewest(dataDir: string): Promise<readonly TraceStep[]> {
  const list = await runVoxtree(["trace", "--json"], { dataDir });
  const [newest] = JSON.parse(list.out) as { corr: string }[];
  const { out } = await runVoxtree(["trace", newest?.corr ?? "", "--json"], { dataDir });
  return (JSON.parse(out) as { steps: TraceStep[] }).steps;
}

test("the agents that ship are one tree as processes of their own", { timeout: 180_000 }, async () => {
  await using redis = await startRedis();
  await using site = await openSite();
  using folder = createDataFolder();
  const start = starter(redis.url, folder.dir);
  const verbs = [["agent", "ops"], ["agent", "web"], ["agent", "machine"], ["start"]];
  const others = ["office", "reminders", "warroom"].map((agent) => start(["agent", agent]));
  const started = await Promise.all(verbs.map(start));
  const rest = (await Promise.all(others)).map(({ running }) => running);
  const [{ running: ops, port: opsPort }, , { running: machine }, { running: root }] = started as Four;
  let [, web] = started as Four;
  try {
    // What runs elsewhere comes when it comes; until then its words may mean something else.
    await untilOffered(root, "http");
    // A line at the root is answered by the process that runs web.
    expect(await ask(root, `${site.url}/one`)).toBe("answered");
    const steps = await traceOfNewest(folder.dir);
    const asked = steps.find(({ intent }) => intent === "web.http");
    const answered = steps.find(({ from, type }) => from === "web" && type === "command_result");
    expect(asked).toMatchObject({ from: "ops", to: "web", sentBy: ops.pid, receivedBy: web.running.pid });
    expect(answered).toMatchObject({ to: "ops", sentBy: web.running.pid, receivedBy: ops.pid });
    root.write("how full are the disks\n");
    await root.until(/The machine/);

    // A planned stop makes no noise, and what cannot be asked for meanwhile is said at once.
    const stoppedAt = performance.now();
    const stopped = await web.running.kill("SIGTERM");
    expect(performance.now() - stoppedAt).toBeLessThan(STOPPED_WITHIN_MS);
    expect(stopped).toEqual({ code: 0, out: "", err: "" });
    expect(await ask(root, `${site.url}/two`)).toBe("offline");
    web = await start(["agent", "web"]);
    await untilAnswered(root, `${site.url}/three`);
    expect([ops.err, web.running.err, machine.err, root.err]).toEqual(["", "", "", ""]);

    // Killed, it is missed after its silence; started again, its commands are back by themselves.
    await web.running.kill("SIGKILL");
    const askedAt = performance.now();
    expect(await ask(root, `${site.url}/four`)).toBe("offline");
    expect(performance.now() - askedAt).toBeLessThan(OFFLINE_WITHIN_MS);
    expect(ops.err).toContain("web has not been heard");
    web = await start(["agent", "web"]);
    await untilAnswered(root, `${site.url}/five`);

    // Redis away is told once by each, and nobody is started anew for it.
    await redis.kill();
    await ops.untilTold(/cannot be reached/);
    await untilHealthy(opsPort, ({ health }) => health["transport"] === "down");
    expect(await healthAt(opsPort)).toMatchObject({ status: 200, health: { agent: "ops", state: "ACTIVE" } });
    await redis.restart();
    await ops.untilTold(/is there/);
    await untilAnswered(root, `${site.url}/six`);
    expect(ops.err.match(/cannot be reached/g)).toHaveLength(1);

    const ends = await Promise.all([
      root.end(),
      ...[ops, web.running, machine, ...rest].map((one) => one.kill("SIGTERM")),
    ]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  } finally {
    for (const running of [...[...started, web].map((one) => one.running), ...rest])
      await running[Symbol.asyncDispose]();
  }
});

test("at a terminal the root shows who is there and what to start; an agent says that it runs", async () => {
  await using redis = await startRedis();
  using folder = createDataFolder();
  const settings = { ...settingsFor({ dataDir: folder.dir, env: { REDIS_URL: redis.url } }), NO_COLOR: "1" };
  const at = (verb: string) => openTerminal(`'${process.execPath}' '${PROGRAM}' ${verb}`, settings);
  {
    await using root = at("start");
    await root.until(/Ctrl-D leaves\.[^>]*> /);
    root.press(KEY.ctrlD);
    expect(await root.exited).toBe(0);
    expect(screenOf(root.raw()).slice(0, 13)).toEqual([
      "",
      "root",
      "├─ office  offline",
      "├─ ops  offline",
      "└─ warroom  offline",
      "office does not run. Start it by `npm run agent -- office` with this REDIS_URL;",
      "what it can do comes by itself.",
      "ops does not run. Start it by `npm run agent -- ops` with this REDIS_URL; what i",
      "t can do comes by itself.",
      "warroom does not run. Start it by `npm run agent -- warroom` with this REDIS_URL",
      "; what it can do comes by itself.",
      "",
      "Nobody is here yet who could do something. Look again with /tree.",
    ]);
  }
  await using ops = at("agent ops");
  await ops.until(/ops runs \(process \d+\), its master is root; Ctrl-C stops it\./);
  await using root = at("start");
  await root.until(/Ctrl-D leaves\.[^>]*> /);
  // Heard within five seconds, for which nothing is waited once it is known what can be asked.
  expect(screenOf(root.raw()).slice(0, 11)).toEqual([
    "",
    "root",
    "├─ office  offline",
    "├─ ops  online  /overview  /watch_add  /watches  /watch_pause  /watch_resume  /w",
    "atch_rm  /watch_run",
    "└─ warroom  offline",
    "office does not run. Start it by `npm run agent -- office` with this REDIS_URL;",
    "what it can do comes by itself.",
    "warroom does not run. Start it by `npm run agent -- warroom` with this REDIS_URL",
    "; what it can do comes by itself.",
    "",
  ]);
  root.press(KEY.ctrlD);
  expect(await root.exited).toBe(0);
  ops.press(KEY.ctrlC);
  expect(await ops.exited).toBe(0);
});

/** Asks for a page at the root's pipe, and gives the reply: an answer, or that it cannot be had just now. */
async function ask(root: Running, url: string): Promise<"answered" | "offline"> {
  const replies = /answers 200 in|"http" cannot be asked for just now/g;
  const before = (await root.until(/^/)).match(replies) ?? [];
  root.write(`is ${url} up?\n`);
  const said = await root.until(new RegExp(`(?:(?:${replies.source})[^]*?){${before.length + 1}}`));
  return said.match(replies)?.at(-1) === "answers 200 in" ? "answered" : "offline";
}

/** Asks for help on a command until there is such a command. */
async function untilOffered(root: Running, command: string): Promise<void> {
  const replies = /There is no command|It takes/g;
  for (let n = 1, isOffered = false; !isOffered; n++) {
    root.write(`/help ${command}\n`);
    const said = await root.until(new RegExp(`(?:(?:${replies.source})[^]*?){${n}}`));
    isOffered = said.match(replies)?.at(-1) === "It takes";
  }
}

/** Asks until there is an answer: who asks cannot know when the way there is open again. */
async function untilAnswered(root: Running, url: string): Promise<void> {
  while ((await ask(root, url)) !== "answered");
}
