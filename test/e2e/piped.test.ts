import { describe, expect, test } from "vitest";
import { closedPort, openSite, runNpmStart, runVoxtree } from "../support/program.ts";
import { createDataFolder } from "../support/wire-process.ts";

/** The end of every check's answer: when, where, how long. */
const FOOTER = String.raw`\w{3} \d{1,2} \w{3} \d{4}, \d\d:\d\d:\d\d UTC, took [\d.]+ m?s`;
const MS = String.raw`[\d.]+ m?s`;
const up = (url: string): string =>
  String.raw`✅ ${url} answers 200 in ${MS}\n(?:tcp ${MS}, )?first byte ${MS}\naddress 127\.0\.0\.1\n${FOOTER}`;

const DISKS = String.raw`[✅❌] The machine (?:is fine|needs a look): [^\n]+\nload [\d., ]+ on \d+ cores?\nmemory [^\n]+\n[^\n]*swap[^\n]*\ndisk [^\n]+\n[^]*${FOOTER}`;

/** Pipes lines into a tree of its own; gives what it said, which must be all, on standard output alone. */
async function pipe(lines: readonly string[], run = runVoxtree.bind(undefined, ["start"])): Promise<string> {
  using folder = createDataFolder();
  const { code, out, err } = await run({
    dataDir: folder.dir,
    input: lines.map((line) => `${line}\n`).join(""),
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
}

describe("one line on a pipe gets one reply, and nothing else stands on standard output", () => {
  test.concurrent.each<
    [string, (url: string, port: number) => string, (url: string, port: number) => string]
  >([
    ["a question", (url) => `is ${url} up?`, up],
    ["another language", (url) => `ist ${url} up`, up],
    ["a slip of the fingers", (url) => `chekc ${url}`, up],
    ["a polite request", (url) => `pls look if ${url} answers`, up],
    ["an address alone", (url) => url, up],
    ["a slash command", (url) => `/http ${url}`, up],
    [
      "a port",
      (_, port) => `is port ${port} open on 127.0.0.1`,
      (_, port) => `✅ 127\\.0\\.0\\.1 port ${port} is open\n127\\.0\\.0\\.1: open, ${MS}\n${FOOTER}`,
    ],
    ["the machine", () => "how full are the disks", () => DISKS],
    ["the uptime", () => "what's the uptime?", () => DISKS],
    [
      "everything at once",
      () => "how is the machine doing and the web?",
      () =>
        `[✅❌] (?:All is well|Needs a look: machine)\n[✅❌] The machine [^\n]+\n• No page has been asked about yet\\. [^\n]+\n${FOOTER}`,
    ],
    [
      "what nobody can do",
      () => "what is the meaning of life",
      () => "I cannot help with that\\. Try one of these:\n(?:• [^\n]+\n){3}/help lists all that I can do\\.",
    ],
    [
      "nothing",
      () => "",
      () => "That was empty\\. Try one of these:\n(?:• [^\n]+\n){3}/help lists all that I can do\\.",
    ],
  ])("%s", async (_, text, reply) => {
    await using site = await openSite();
    expect(await pipe([text(site.url, site.port)])).toMatch(
      new RegExp(`^${reply(site.url.replaceAll(".", "\\."), site.port)}\n$`),
    );
  });

  test.concurrent("a page that is down is an answer, and the way there is told", async () => {
    const port = await closedPort();
    expect(await pipe([`is http://127.0.0.1:${port} up?`])).toMatch(
      new RegExp(
        `^❌ http://127\\.0\\.0\\.1:${port} is not up: 127\\.0\\.0\\.1 refuses connections on port ${port}\nconnect, ECONNREFUSED\n${FOOTER}\n$`,
      ),
    );
  });

  test.concurrent("by npm start --silent, too", async () => {
    await using site = await openSite();
    expect(await pipe([`is ${site.url} up?`], runNpmStart)).toMatch(new RegExp(`^${up(site.url)}\n$`));
  });

  test.concurrent("no lines get no replies", async () => {
    expect(await pipe([])).toBe("");
  });
});

describe("several lines", () => {
  test.concurrent("are answered in their order, though the first one takes longest", async () => {
    await using site = await openSite();
    // The others have their answers ready when the first page is still waiting.
    void site.seen("/last").then(site.release);
    const out = await pipe([
      `is ${site.url}/slow up?`,
      `/port 127.0.0.1 ${site.port}`,
      "/nonsense",
      `is ${site.url}/last up?`,
    ]);
    const heads = out.split("\n").filter((line) => /answers|is open|no command/.test(line));
    expect(heads.map((head) => head.replace(/in [\d.]+ m?s$/, "in …"))).toEqual([
      `✅ ${site.url}/slow answers 200 in …`,
      `✅ 127.0.0.1 port ${site.port} is open`,
      "There is no command /nonsense. See /help for what there is.",
      `✅ ${site.url}/last answers 200 in …`,
    ]);
  });

  test.concurrent("carry a conversation on: what is missing is asked for, and the next line answers", async () => {
    await using site = await openSite();
    const out = await pipe([`is port ${site.port} open?`, "on 127.0.0.1"]);
    expect(out).toMatch(
      new RegExp(
        `^Which host\\? For example example\\.com or 192\\.0\\.2\\.7\\. Say “cancel” to drop this\\.\n✅ 127\\.0\\.0\\.1 port ${site.port} is open\n`,
      ),
    );
  });

  test.concurrent("carry a conversation on: of numbered choices a number picks one", async () => {
    const [question, ...rest] = (await pipe(["is the website ok", "2"])).split("\n");
    expect(question).toBe("I am not sure which of these you mean. Pick one:");
    expect(rest).toEqual([
      "  1  Check that a web page answers, and how fast",
      "  2  Check again the pages asked about lately",
      "  3  How everything is: the machine and the web pages at once",
      "  4  None of these",
      "No page has been asked about yet. Ask for one first: is https://example.com up?",
      "",
    ]);
  });

  test.concurrent("follow up on what was said: the same for another page, and once more", async () => {
    await using site = await openSite();
    const out = await pipe([`is ${site.url}/one up?`, `and ${site.url}/two?`, "again", "thanks"]);
    const heads = out.split("\n").filter((line) => /answers|welcome/.test(line));
    expect(heads.map((head) => head.replace(/ answers.*/, ""))).toEqual([
      `✅ ${site.url}/one`,
      `✅ ${site.url}/two`,
      `✅ ${site.url}/two`,
      "You are welcome.",
    ]);
  });
});

test.concurrent("a private address is refused with the line that would allow it", async () => {
  using folder = createDataFolder();
  const { code, out, err } = await runVoxtree(["start"], {
    dataDir: folder.dir,
    input: "is http://10.0.0.5 up?\n",
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(
    /^❔ http:\/\/10\.0\.0\.5 could not be checked: .* set NET_ALLOW=127\.0\.0\.0\/8,10\.0\.0\.5 and start again\.\n/,
  );
});
