import { describe, expect, it } from "vitest";
import { loadRole, readTree } from "../../src/catalog/index.ts";
import { ANY_CAPABILITY } from "../../src/catalog/known.ts";
import type { CommandAnnouncement } from "../../src/sdk/announcement.ts";
import { chatWith } from "../support/sample-bot.ts";

/** The commands of the agents that are shipped, as the root comes to know them. */
async function shippedCommands(): Promise<CommandAnnouncement[]> {
  const { agents } = await readTree("roles", ANY_CAPABILITY);
  const roles = await Promise.all(agents.flatMap((agent) => agent.roles).map(loadRole));
  return roles.flatMap((role) => ("announcements" in role ? role.announcements : []));
}

const commands = await shippedCommands();
const page = "http://127.0.0.1:8080";

describe("words for the agents that are shipped", () => {
  it.each<[string, string, Record<string, unknown>]>([
    [`is ${page} up?`, "http", { url: page }],
    [`ist ${page} up`, "http", { url: page }],
    [`chekc ${page}`, "http", { url: page }],
    [`pls look if ${page} answers`, "http", { url: page }],
    [page, "http", { url: page }],
    [`/http ${page}`, "http", { url: page }],
    ["is example.org down", "http", { url: "https://example.org" }],
    ["example.org", "http", { url: "https://example.org" }],
    ["does example.org answer with 404, expect 404", "http", { url: "https://example.org", expect: 404 }],
    ["is port 8080 open on 127.0.0.1", "port", { host: "127.0.0.1", ports: [8080] }],
    ["can I reach port 22 of 192.0.2.7?", "port", { host: "192.0.2.7", ports: [22] }],
    ["how full are the disks", "host", {}],
    ["are ports 80 and 443 of example.com open", "port", { host: "example.com", ports: [80, 443] }],
    ["/port host=127.0.0.1 ports=80,443", "port", { host: "127.0.0.1", ports: [80, 443] }],
    ["how much memory is there", "host", {}],
    ["what's the uptime?", "host", {}],
    ["is there enough memory", "host", {}],
    ["how is the machine doing and the web?", "overview", {}],
    ["how are the machine and the web doing?", "overview", {}],
    ["overview please", "overview", {}],
    ["wie voll sind die Platten?", "host", {}],
    [`läuft ${page}?`, "http", { url: page }],
  ])("%s", (text, command, params) => {
    const outcome = chatWith(commands).say(text);
    expect(outcome).toMatchObject({ kind: "run", command, params });
    const again = chatWith(commands).say("understood" in outcome ? outcome.understood : "");
    expect(again).toEqual(outcome);
  });

  it.each(["what is the meaning of life", "tell me a joke", "book a table for two", "restart nginx"])(
    "%s is refused",
    (text) => {
      expect(chatWith(commands).say(text).kind).toBe("refuse");
    },
  );

  it("a greeting is answered by what this is", () => {
    expect(chatWith(commands).say("Good morning!")).toMatchObject({ kind: "builtin", name: "start" });
  });

  it("misunderstood by a letter, a slash command is put right", () => {
    expect(chatWith(commands).say("/overveiw")).toMatchObject({ text: expect.stringContaining("/overview") });
  });
});
