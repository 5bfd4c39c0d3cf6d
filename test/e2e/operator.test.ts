import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createOwnTree } from "../support/own-tree.ts";
import { openSite, type Ran, runVoxtree, startVoxtree } from "../support/program.ts";
import { createDataFolder } from "../support/wire-process.ts";

// Each test starts the program many times, and others run at its side.
vi.setConfig({ testTimeout: 120_000 });

const ID = String.raw`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`;
const MOMENT = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}`;

/** A role that throws as long as a page is broken: a defect that can be mended without touching the role. */
const FRAGILE = `import { defineRole } from "#sdk";
import { z } from "zod";

export default defineRole({
  requires: ["net"],
  commands: {
    fragile: {
      description: "Break where a page is broken",
      params: z.object({ url: z.url() }),
      async run({ net }, { url }) {
        const page = await net.fetch(url);
        if (!page.reached || page.status === 500) throw new Error("it broke on " + url);
        return { verdict: "ok", text: "it is whole" };
      },
    },
  },
});
`;

const json = ({ out }: Ran): unknown => JSON.parse(out);

test.concurrent("dead letters are listed, shown, run again once the cause is mended, or dropped", async () => {
  await using site = await openSite();
  await using tree = await createOwnTree({ desk: { fragile: FRAGILE } });
  const voxtree = (...args: readonly string[]) => runVoxtree(args, tree);
  expect(await voxtree("dead", "list")).toEqual({ code: 0, out: "There are no dead letters.\n", err: "" });
  expect(json(await voxtree("dead", "list", "--json"))).toEqual([]);

  const asked = await voxtree("ask", "--json", `/fragile ${site.url}/shaky`);
  expect(asked.code).toBe(70);
  const [id = ""] = new RegExp(ID).exec(asked.out) ?? [];
  expect(json(asked)).toEqual({
    text: `Something went wrong here; it is noted as ${id}.`,
    verdict: "inconclusive",
    data: null,
    ending: "failed",
    failure: "E_INTERNAL",
  });
  // The cause is for whoever runs it, not for who asked.
  expect(asked.err).toContain(`it broke on ${site.url}/shaky`);

  const [listed, listedJson, shown, shownJson, unknown, examined] = await Promise.all([
    voxtree("dead", "list"),
    voxtree("dead", "list", "--json"),
    voxtree("dead", "show", id),
    voxtree("dead", "show", id.slice(-8), "--json"),
    voxtree("dead", "show", "ffffffff"),
    voxtree("doctor"),
  ]);
  expect(listed).toMatchObject({ code: 0, err: "" });
  expect(listed.out).toMatch(
    new RegExp(`^${MOMENT} {2}${id} {2}desk {2}fragile {2}E_INTERNAL\n\nTimes are in UTC\\.`),
  );
  const facts = { id, agent: "desk", from: "root", command: "fragile", failure: { failure: "E_INTERNAL" } };
  expect(json(listedJson)).toMatchObject([facts]);
  const { corr } = (json(listedJson) as { corr: string }[])[0] ?? { corr: "" };
  expect(shown).toMatchObject({ code: 0, err: "" });
  for (const part of [
    /^fragile asked of desk by root at /,
    `"url": "${site.url}/shaky"`,
    `voxtree trace ${corr}\n`,
    `voxtree dead retry ${id}\n`,
    `voxtree dead drop ${id}\n`,
  ]) {
    expect(shown.out).toMatch(part);
  }
  expect(json(shownJson)).toMatchObject({ ...facts, envelope: { message_id: id, intent: "desk.fragile" } });
  expect(unknown).toMatchObject({ code: 3, out: "", err: expect.stringContaining("voxtree dead list") });
  expect(examined).toMatchObject({
    code: 0,
    out: expect.stringMatching(/❔ ledgers +1 dead letter: desk 1\n +Look at them with `voxtree dead list`/),
  });

  // Still broken: it is put aside once more, by a process that was running when it was asked to retry.
  await using running = startVoxtree(tree);
  running.write("hello\n");
  await running.until(/operations desk/);
  const retried = await voxtree("dead", "retry", id);
  expect(retried).toEqual({ code: 0, out: `desk runs ${id} again within seconds.\n`, err: "" });
  await site.seen("/shaky", 2);
  expect((await running.end()).code).toBe(0);
  expect(json(await voxtree("dead", "list", "--json"))).toMatchObject([{ id }]);

  // Mended: retried by nobody until the next start, then done, and never put aside again.
  site.shaky = 200;
  expect((await voxtree("dead", "retry", id)).out).toMatch(
    new RegExp(`^desk runs ${id} again as soon as it is started`),
  );
  await using next = startVoxtree(tree);
  await site.seen("/shaky", 3);
  expect((await next.end()).code).toBe(0);
  expect(await voxtree("dead", "list")).toMatchObject({ out: "There are no dead letters.\n" });

  site.shaky = 500;
  expect(await voxtree("ask", `/fragile ${site.url}/shaky`)).toMatchObject({ code: 70 });
  const [other] = json(await voxtree("dead", "list", "--json")) as { id: string; corr: string }[];
  expect(await voxtree("dead", "drop", other?.id.slice(-12) ?? "")).toEqual({
    code: 0,
    out: `${other?.id} is no longer kept among the dead letters of desk.\n`,
    err: "",
  });
  expect(json(await voxtree("dead", "list", "--json"))).toEqual([]);
  const traced = await voxtree("trace", other?.corr ?? "");
  expect(traced.out).toContain("desk.fragile");
});

test.concurrent("a conversation is traced from the person through every agent and back", async () => {
  using folder = createDataFolder();
  await using site = await openSite();
  const voxtree = (...args: readonly string[]) => runVoxtree(args, { dataDir: folder.dir });
  expect(await voxtree("trace")).toEqual({ code: 0, out: "Nobody has asked anything yet.\n", err: "" });
  expect(await voxtree("ask", `is ${site.url} up?`)).toMatchObject({ code: 0 });

  const [listed, listedJson] = await Promise.all([voxtree("trace"), voxtree("trace", "--json")]);
  const [conversation] = json(listedJson) as { corr: string }[];
  expect(conversation).toMatchObject({ state: "done", words: `is ${site.url} up?`, at: expect.any(Number) });
  const corr = conversation?.corr ?? "";
  expect(listed.out).toMatch(
    new RegExp(`^${MOMENT} {2}${corr} {2}done {2}is ${site.url} up\\?\n\nTimes are in UTC\\.`),
  );

  const whole = await voxtree("trace", corr, "--json");
  const { steps } = json(whole) as {
    steps: { id: string; replyTo: string | null; from: string; to: string; sentAt: number; words: string }[];
  };
  const hops = steps.map(({ from, to }) => `${from}→${to}`);
  expect(hops).toEqual(["people→root", "root→ops", "ops→web", "web→ops", "ops→root", "root→people"]);
  const ids = steps.map(({ id }) => id);
  expect(new Set(ids).size).toBe(6);
  expect(steps.map(({ replyTo }) => replyTo)).toEqual([null, ids[0], ids[1], ids[2], ids[1], ids[0]]);
  expect(steps).toMatchObject([
    { type: "command_request", intent: "quox.chat.query", state: "done", words: `is ${site.url} up?` },
    { type: "command_request", intent: "ops.http", state: "done", words: `{"url":"${site.url}"}` },
    { type: "command_request", intent: "web.http", state: "done", words: `{"url":"${site.url}"}` },
    { type: "command_result", verdict: "ok", failure: null },
    { type: "command_result", verdict: "ok" },
    { type: "command_result", intent: "quox.chat.response", verdict: "ok" },
  ]);

  const shown = await voxtree("trace", corr);
  expect(shown).toMatchObject({ code: 0, err: "" });
  const rows = shown.out.trimEnd().split("\n");
  expect(rows[0]).toBe(`conversation ${corr}`);
  expect(rows[1]).toMatch(new RegExp(`^began ${MOMENT} UTC, lasted [\\d.]+ m?s$`));
  const ended = (id = ""): string => id.slice(-8);
  const took = String.raw`ok in [\d.]+ m?s +`;
  const answers = `${site.url} answers 200 in [\\d.]+ m?s`;
  for (const [i, row] of [
    `person → root  quox\\.chat\\.query +${ended(ids[0])} +is ${site.url} up\\?`,
    `  root → ops   ops\\.http +${ended(ids[1])} ← ${ended(ids[0])}  \\{"url":"${site.url}"\\}`,
    `    ops → web  web\\.http +${ended(ids[2])} ← ${ended(ids[1])}  \\{"url":"${site.url}"\\}`,
    `    ops ⇠ web  ${took}${ended(ids[3])} ← ${ended(ids[2])}  ${answers}`,
    `  root ⇠ ops   ${took}${ended(ids[4])} ← ${ended(ids[1])}  ${answers}`,
    `person ⇠ root  ${took}${ended(ids[5])} ← ${ended(ids[0])}  ${answers}`,
  ].entries()) {
    expect(rows[i + 3]).toMatch(new RegExp(`^ *\\+\\d+ ms  ${row}$`));
  }

  // The beginning of the conversation's id, or of any envelope's in it, does as well.
  const [byPrefix, byHop, unknown, unknownJson] = await Promise.all([
    voxtree("trace", corr.slice(0, 20), "--json"),
    voxtree("trace", ids[3] ?? "", "--json"),
    voxtree("trace", "ffffffff"),
    voxtree("trace", "ffffffff", "--json"),
  ]);
  expect(byPrefix.out).toBe(whole.out);
  expect(byHop.out).toBe(whole.out);
  expect(unknown).toMatchObject({ code: 3, out: "" });
  expect(unknown.err).toContain("There is no conversation ffffffff: `voxtree trace` lists the newest.");
  expect(unknownJson.code).toBe(3);
  expect(json(unknownJson)).toMatchObject({ failure: "E_NOT_FOUND" });
});

describe("the tree", () => {
  test.concurrent("says who runs and who does not", async () => {
    using folder = createDataFolder();
    const options = { dataDir: folder.dir };
    const shape = (stopped: string): string =>
      [
        `root${stopped}`,
        `├─ office${stopped}`,
        `│  └─ reminders${stopped}  /remind  /reminders  /remind_done  /remind_cancel  /remind_snooze`,
        `├─ ops${stopped}  /overview  /watch_add  /watches  /watch_pause  /watch_resume  /watch_rm  /watch_run`,
        `│  ├─ machine${stopped}  /host`,
        `│  └─ web${stopped}  /http  /pages  /port`,
        `└─ warroom${stopped}  /alerts  /incident  /ack  /silence  /unsilence  /incident_press`,
        "",
      ].join("\n");
    expect(await runVoxtree(["tree"], options)).toEqual({ code: 0, out: shape("  STOPPED"), err: "" });
    await using running = startVoxtree(options);
    running.write("hello\n");
    await running.until(/operations desk/);
    expect(await runVoxtree(["tree"], options)).toEqual({ code: 0, out: shape(""), err: "" });
    expect(json(await runVoxtree(["tree", "--json"], options))).toMatchObject({
      name: "root",
      state: "ACTIVE",
      health: "ok",
      children: [
        { name: "office", children: [{ name: "reminders" }] },
        {
          name: "ops",
          commands: [
            { name: "overview" },
            { name: "watch_add" },
            { name: "watches" },
            { name: "watch_pause" },
            { name: "watch_resume" },
            { name: "watch_rm" },
            { name: "watch_run" },
          ],
          children: [
            { name: "machine", commands: [{ name: "host" }] },
            { name: "web", commands: [{ name: "http" }, { name: "pages" }, { name: "port" }] },
          ],
        },
        { name: "warroom" },
      ],
    });
    expect((await running.end()).code).toBe(0);
  });
});

describe("the doctor", () => {
  test.concurrent("finds all well, beside a running process too", async () => {
    using folder = createDataFolder();
    await using running = startVoxtree({ dataDir: folder.dir });
    running.write("hello\n");
    await running.until(/operations desk/);
    const { code, out, err } = await runVoxtree(["doctor"], { dataDir: folder.dir });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n").map((line) => line.slice(0, 13).trimEnd())).toEqual([
      "✅ node",
      "✅ settings",
      "✅ data folder",
      "✅ disk",
      "✅ clock",
      "✅ ledgers",
      "✅ roles",
      "",
    ]);
    expect(out).toContain("7 can be read, no dead letters\n");
    expect((await running.end()).code).toBe(0);
  });

  test.concurrent("names the role that is disabled by its file, its line and the mend", async () => {
    await using tree = await createOwnTree({
      desk: { broken: FRAGILE.replace("async run(", "async run((") },
    });
    const { code, out } = await runVoxtree(["doctor"], tree);
    expect(code).toBe(1);
    expect(out).toMatch(
      /❌ roles +desk\.broken is disabled: desk\/broken\.ts:10 is not valid TypeScript[^\n]+\(E_ROLE_SYNTAX\)\n +Correct the syntax on this line\.\n/,
    );
    const report = json(await runVoxtree(["doctor", "--json"], tree));
    expect(report).toMatchObject({ isHealthy: false });
  });

  test.concurrent("names each ledger that cannot be read, and what to do", async () => {
    using folder = createDataFolder();
    for (const agent of ["ops", "web"]) {
      mkdirSync(join(folder.dir, agent));
      writeFileSync(join(folder.dir, agent, "ledger.db"), "this is no ledger");
    }
    const { code, out } = await runVoxtree(["doctor"], { dataDir: folder.dir });
    expect(code).toBe(1);
    for (const agent of ["ops", "web"]) {
      const path = join(folder.dir, agent, "ledger.db");
      expect(out).toContain(`❌ ledgers      ${path} cannot be opened: file is not a database\n`);
    }
    expect(out).toContain("put a backup in its place");
    const other = await runVoxtree(["trace"], { dataDir: folder.dir });
    expect(other).toMatchObject({ code: 6, out: "", err: expect.stringMatching(/^E_LEDGER: .*ledger\.db/) });
  });
});

test.concurrent("explain says what decides about words, and runs nothing", async () => {
  using folder = createDataFolder();
  await using site = await openSite();
  const voxtree = (...args: readonly string[]) => runVoxtree(args, { dataDir: folder.dir });
  const [fires, asks, report] = await Promise.all([
    voxtree("explain", `chekc ${site.url}`),
    voxtree("explain", "is", "the", "website", "ok"),
    voxtree("explain", "--json", "how full are the disks"),
  ]);
  expect(fires).toMatchObject({ code: 0, err: "" });
  expect(fires.out).toMatch(
    /^scored as +chekc .*\nzone +fire \(best 0\.\d{3}, second 0\.\d{3}\)\ncandidates +http /,
  );
  expect(fires.out).toContain(`found       url "${site.url}"\n`);
  expect(fires.out).toContain(`outcome     runs /http url=${site.url}\n`);
  expect(asks.out).toMatch(
    /\noutcome +says: I am not sure which of these you mean\. Pick one:\n +1 {2}Check that/,
  );
  expect(json(report)).toMatchObject({ zone: "fire", outcome: { kind: "run", command: "host", params: {} } });
  expect(site.asked).toEqual([]);
});

test.concurrent("new agents and roles answer from the first minute", async () => {
  await using tree = await createOwnTree({});
  const voxtree = (...args: readonly string[]) => runVoxtree(args, tree);
  const agent = await voxtree("new", "agent", "weather");
  expect(agent).toMatchObject({ code: 0, err: "" });
  expect(agent.out).toMatch(
    /^Written:\n {2}\S+weather\/agent\.yml\n {2}\S+weather\/weather\.ts\n {2}\S+weather\/weather\.test\.ts\nStart it by `npm start` and ask `\/weather`\.\n$/,
  );
  expect(await voxtree("new", "role", "weather/storm-watch")).toMatchObject({ code: 0, err: "" });
  expect(readFileSync(join(tree.rolesDir, "weather/agent.yml"), "utf8")).toMatch(
    /- weather\n +- storm-watch\n/,
  );

  const [shown, said, asked, taken, bad, nobody] = await Promise.all([
    voxtree("tree"),
    runVoxtree(["ask", "/storm watch hold fast"], { ...tree, dataDir: join(tree.dir, "other") }),
    voxtree("ask", "tell weather hello"),
    voxtree("new", "agent", "weather"),
    voxtree("new", "role", "weather/Storm Watch"),
    voxtree("new", "role", "wether/hail"),
  ]);
  expect(shown.out).toMatch(/└─ weather .*\/weather {2}\/storm_watch\n$/);
  expect(said).toMatchObject({ code: 0, out: "✅ storm watch heard: hold fast\n" });
  expect(asked).toMatchObject({ code: 0, out: expect.stringContaining("✅ weather heard: ") });
  expect(taken).toMatchObject({ code: 2, out: "" });
  expect(bad).toMatchObject({ code: 2, err: expect.stringContaining("try storm-watch") });
  expect(nobody).toMatchObject({ code: 3, err: expect.stringContaining("did you mean weather?") });
});

test.concurrent("help lists the verbs, and the exit codes", async () => {
  using folder = createDataFolder();
  const voxtree = (...args: readonly string[]) => runVoxtree(args, { dataDir: folder.dir });
  const [all, codes, unknown] = await Promise.all([
    voxtree("help"),
    voxtree("help", "exit-codes"),
    voxtree("help", "exit"),
  ]);
  expect(all).toMatchObject({ code: 0, err: "" });
  for (const verb of ["start", "ask", "tree", "trace", "dead", "doctor", "explain", "new", "help"]) {
    expect(all.out).toMatch(new RegExp(`^ {2}${verb}\\b`, "m"));
  }
  expect(codes.out).toMatch(/^Exit codes of voxtree:\n\n {3}0 {2}It worked/);
  for (const code of [1, 2, 3, 4, 5, 6, 7, 70, 78, 130]) {
    expect(codes.out).toMatch(new RegExp(`^ *${code} {2}[A-Z].*\\.$`, "m"));
  }
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining("did you mean exit-codes?") });
});
