import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DialogueState } from "../../src/dialogue/index.ts";
import { ACTIONS, announce, CHECKS, chatWith } from "../support/sample-bot.ts";

const BOTH = [...CHECKS, ...ACTIONS];

describe("the first words of a chat", () => {
  it.each<[string, string, Record<string, unknown>]>([
    ["is http://127.0.0.1:8080 up?", "http", { url: "http://127.0.0.1:8080" }],
    ["ist http://127.0.0.1:8080 up", "http", { url: "http://127.0.0.1:8080" }],
    ["chekc http://127.0.0.1:8080", "http", { url: "http://127.0.0.1:8080" }],
    ["pls look if http://127.0.0.1:8080 answers", "http", { url: "http://127.0.0.1:8080" }],
    ["http://127.0.0.1:8080", "http", { url: "http://127.0.0.1:8080" }],
    ["is port 8080 open on 127.0.0.1", "port", { host: "127.0.0.1", port: 8080 }],
    ["how full are the disks", "host", {}],
    ["how is the machine doing and the web?", "overview", {}],
    ["/http http://127.0.0.1:8080", "http", { url: "http://127.0.0.1:8080" }],
  ])("%j runs %s", (text, command, params) => {
    expect(chatWith(CHECKS).say(text)).toMatchObject({ kind: "run", command, params });
  });

  it("are refused where nobody can do it, with what can be done", () => {
    const outcome = chatWith(CHECKS).say("what is the meaning of life");
    expect(outcome.kind).toBe("refuse");
    expect(outcome).toMatchObject({ text: expect.stringContaining("is example.com up?") });
  });

  it("may be missing", () => {
    expect(chatWith(CHECKS).say(" \n")).toMatchObject({
      kind: "empty",
      text: expect.stringContaining("/help"),
    });
  });

  it.each([
    ["/start", "start", ""],
    ["/help http", "help", "http"],
    ["/tree", "tree", ""],
    ["/last", "last", ""],
    ["/cancel", "cancel", ""],
    ["help!", "help", ""],
    ["What can you do?", "help", ""],
    ["Hello!", "start", ""],
    ["good evening", "start", ""],
  ])("%j is the bot's own business", (text, name, argument) => {
    expect(chatWith(CHECKS).say(text)).toEqual({ kind: "builtin", name, argument });
  });

  it("may be thanks, for which nothing is to be done", () => {
    expect(chatWith(CHECKS).say("Thank you!")).toEqual({ kind: "closed", text: "You are welcome." });
  });

  it("may be a command's name alone, if that changes nothing", () => {
    expect(chatWith(CHECKS).say("Host")).toMatchObject({ kind: "run", command: "host", params: {} });
    expect(chatWith(CHECKS).say("port")).toMatchObject({
      kind: "ask",
      text: expect.stringContaining("host"),
    });
    expect(chatWith(ACTIONS).say("note add")).not.toMatchObject({ kind: "run" });
  });

  it("are not carried out by half: what sets a parameter and cannot is refused", () => {
    const ranged = announce("http", "Check a page", {
      params: z.object({ url: z.url(), expect: z.int().min(100).max(599).optional().describe("the status") }),
    });
    const say = (text: string) => chatWith([ranged]).say(text);
    expect(say("/http example.com expect=404")).toMatchObject({ kind: "run", params: { expect: 404 } });
    expect(say("/http example.com expect=9999")).toEqual({
      kind: "refuse",
      text: "“expect=9999” does not fit for the status. A number from 100 to 599. Say it again with another value.",
    });
    expect(say("/http example.com expct=404")).toEqual({
      kind: "refuse",
      text: "/http does not take “expct”. “/help http” lists what it takes.",
    });
    expect(say("/http https://example.com/?a=b&c=d")).toMatchObject({
      kind: "run",
      params: { url: "https://example.com/?a=b&c=d" },
    });
  });

  it("with a misspelt slash command get the right one named", () => {
    expect(chatWith(CHECKS).say("/htpp example.com")).toMatchObject({
      kind: "refuse",
      text: expect.stringContaining("/http"),
    });
    expect(chatWith(CHECKS).say("/strat")).toMatchObject({ text: expect.stringContaining("/start") });
  });
});

describe("a missing parameter", () => {
  it("is asked for, one after the other, and the answer runs the command", () => {
    const chat = chatWith(CHECKS);
    expect(chat.say("/port")).toMatchObject({
      kind: "ask",
      text: expect.stringContaining("Which host?"),
      choices: [],
    });
    expect(chat.say("db1")).toMatchObject({ kind: "ask", text: expect.stringContaining("Which port?") });
    expect(chat.say("5432")).toEqual({
      kind: "run",
      command: "port",
      params: { host: "db1", port: 5432 },
      understood: "/port host=db1 port=5432",
    });
    expect(chat.state.question).toBeUndefined();
  });

  it("may be answered together with the next one, or in a sentence", () => {
    const chat = chatWith(CHECKS);
    chat.say("/port");
    expect(chat.say("it's port 22 on 10.0.0.5")).toMatchObject({ params: { host: "10.0.0.5", port: 22 } });
    chat.say("/http");
    expect(chat.say("please use example.com")).toMatchObject({ params: { url: "https://example.com" } });
  });

  it("may be a bare name, where that is the answer", () => {
    for (const answer of ["db1", "use db1 please", "It is db1"]) {
      const chat = chatWith(CHECKS);
      chat.say("/port");
      chat.say(answer);
      expect(chat.say("22"), answer).toMatchObject({ params: { host: "db1", port: 22 } });
    }
    const chat = chatWith(CHECKS);
    chat.say("/port");
    expect(chat.say("that same old one")).toMatchObject({
      kind: "ask",
      text: expect.stringContaining("host"),
    });
  });

  it("is asked for again when the answer is none", () => {
    const chat = chatWith(CHECKS);
    chat.say("/port 10.0.0.5");
    expect(chat.say("the usual")).toMatchObject({ kind: "ask", text: expect.stringContaining("443") });
    expect(chat.say("70000")).toMatchObject({ kind: "ask" });
    expect(chat.say("443")).toMatchObject({ kind: "run", params: { host: "10.0.0.5", port: 443 } });
  });

  it("is not filled by the words of somebody who is puzzled", () => {
    const chat = chatWith(CHECKS);
    chat.say("/port");
    for (const text of ["what?", "which one", "Huh?"]) {
      expect(chat.say(text), text).toMatchObject({
        kind: "ask",
        text: expect.stringContaining("I see no host"),
      });
    }
    expect(chat.say("db1")).toMatchObject({ kind: "ask", text: expect.stringContaining("Which port?") });
  });

  it("is chosen where the answer names several", () => {
    const chat = chatWith(CHECKS);
    chat.say("/port");
    expect(chat.say("10.0.0.1 and 10.0.0.2")).toEqual({
      kind: "ask",
      text: "You named several. Which host do you mean?",
      choices: [
        { label: "10.0.0.1", say: "10.0.0.1" },
        { label: "10.0.0.2", say: "10.0.0.2" },
      ],
    });
    chat.say("the second one");
    expect(chat.say("22")).toMatchObject({ kind: "run", params: { host: "10.0.0.2", port: 22 } });
  });

  it("gets its choices as buttons where they are few", () => {
    const chat = chatWith(ACTIONS);
    expect(chat.say("/deploy")).toMatchObject({
      kind: "ask",
      choices: [
        { label: "staging", say: "staging" },
        { label: "production", say: "production" },
      ],
    });
    expect(chat.say("2")).toMatchObject({ kind: "run", params: { to: "production" } });
    chat.say("/deploy");
    expect(chat.say("Staging, please")).toMatchObject({ kind: "run", params: { to: "staging" } });
  });

  it("that was given twice is asked for with both as choices", () => {
    const chat = chatWith(CHECKS);
    expect(chat.say("is example.com or example.org up?")).toMatchObject({
      kind: "ask",
      choices: [{ say: "https://example.com" }, { say: "https://example.org" }],
    });
    expect(chat.say("the second one")).toMatchObject({ kind: "run", params: { url: "https://example.org" } });
  });

  it("takes a free text whole", () => {
    const chat = chatWith([...ACTIONS]);
    chat.say("/note add");
    expect(chat.say("buy 3 disks\nfor db.example.com")).toMatchObject({
      command: "note_add",
      params: { text: "buy 3 disks\nfor db.example.com" },
    });
  });

  it("is forgotten when the words clearly ask for something else", () => {
    const chat = chatWith(BOTH);
    chat.say("/http");
    expect(chat.say("how full are the disks")).toMatchObject({ kind: "run", command: "host" });
    chat.say("/restart");
    expect(chat.say("how full are the disks")).toMatchObject({ kind: "run", command: "host" });
    chat.say("/http");
    expect(chat.say("/pages")).toMatchObject({ kind: "run", command: "pages" });
    expect(chat.state.question).toBeUndefined();
  });

  it("may be answered by asking for the same again, in full", () => {
    const chat = chatWith(CHECKS);
    chat.say("/http");
    expect(chat.say("is example.org up?")).toMatchObject({
      kind: "run",
      command: "http",
      params: { url: "https://example.org" },
    });
  });
});

describe("a choice between commands", () => {
  const ask = () => {
    const watched = announce("watched", "List the web pages that are watched", {
      prompts: ["list all pages", "which pages are watched?"],
    });
    const chat = chatWith([...CHECKS, watched]);
    const outcome = chat.say("all the pages");
    expect(outcome.kind).toBe("ask");
    return { chat, choices: outcome.kind === "ask" ? outcome.choices : [] };
  };

  it("ends with none of these", () => {
    const { chat, choices } = ask();
    expect(choices.length).toBeLessThanOrEqual(4);
    expect(choices.at(-1)).toEqual({ label: "None of these", say: "None of these" });
    expect(chat.say("none of these")).toMatchObject({ kind: "closed" });
    expect(chat.state.question).toBeUndefined();
  });

  it("is answered by a number, a label or a command's name", () => {
    for (const answer of ["number", "label", "name"]) {
      const { chat, choices } = ask();
      const at = choices.findIndex(({ label }) => label === "Check all web pages that are watched");
      const text = { number: `${at + 1}.`, label: choices[at]?.say ?? "", name: "/pages" }[answer] ?? "";
      expect(chat.say(text), answer).toMatchObject({ kind: "run", command: "pages" });
    }
  });

  it("closes by the number of none of these, too", () => {
    const { chat, choices } = ask();
    expect(chat.say(String(choices.length))).toMatchObject({ kind: "closed" });
  });

  it("is asked again when the answer is none of the choices, and keeps waiting", () => {
    const { chat, choices } = ask();
    expect(chat.say("9")).toMatchObject({ kind: "ask", choices });
    expect(chat.say("1")).toMatchObject({ kind: "run" });
  });

  it("between one command and none is answered by yes or no, too", () => {
    const asked = () => {
      const chat = chatWith(CHECKS);
      expect(chat.say("how much is the fish")).toMatchObject({
        kind: "ask",
        text: expect.stringContaining("Do you mean this?"),
        choices: [{ say: "Show load, memory, disks and uptime of this machine" }, { label: "None of these" }],
      });
      return chat;
    };
    expect(asked().say("yes please")).toMatchObject({ kind: "run", command: "host" });
    expect(asked().say("No.")).toMatchObject({ kind: "closed" });
  });

  it("shows a long description as far as whole words fit", () => {
    const long = "Show load and memory, swap and disks, inodes and uptime of this very machine";
    const note = (name: string, description: string) => announce(`note_${name}`, description);
    expect(chatWith([note("add", "Keep a note"), note("all", long)]).say("/note")).toMatchObject({
      choices: [
        { label: "Keep a note" },
        { label: "Show load and memory, swap and disks, inodes and uptime of this…", say: long },
        { label: "None of these" },
      ],
    });
  });

  it("gives way to words that clearly ask for something", () => {
    const { chat } = ask();
    expect(chat.say("is example.com up?")).toMatchObject({ kind: "run", command: "http" });
  });

  it("keeps the words that it was about", () => {
    const chat = chatWith(ACTIONS);
    expect(chat.say("/note")).toMatchObject({ kind: "ask", choices: [{}, {}, { label: "None of these" }] });
    chat.say("cancel");
    expect(chat.say("/note buy milk")).toMatchObject({ kind: "ask" });
    expect(chat.say("1")).toMatchObject({ kind: "run", command: "note_add", params: { text: "buy milk" } });
  });

  it("is how two commands are told apart that take the same address", () => {
    const [http] = CHECKS;
    if (!http) throw new Error("there is no http");
    const chat = chatWith([
      http,
      {
        ...http,
        name: "tls",
        description: "Check a certificate",
        prompts: ["is the certificate of example.com fine?"],
      },
    ]);
    expect(chat.say("https://example.org")).toMatchObject({ kind: "ask", choices: [{}, {}, {}] });
    expect(chat.say("2")).toMatchObject({
      kind: "run",
      command: "tls",
      params: { url: "https://example.org" },
    });
  });
});

describe("what cannot be undone", () => {
  const start = () => {
    const chat = chatWith(BOTH);
    expect(chat.say("/restart nginx")).toMatchObject({
      kind: "ask",
      text: expect.stringContaining("/restart service=nginx"),
      choices: [{ say: "Yes, /restart service=nginx" }, { say: "No" }],
    });
    return chat;
  };

  it.each(["yes", "Yes!", "ok", "do it", "1", "Yes, /restart service=nginx"])("is done after %j", (text) => {
    expect(start().say(text)).toMatchObject({
      kind: "run",
      command: "restart",
      params: { service: "nginx" },
    });
  });

  it.each(["no", "No.", "2", "don't", "cancel", "/cancel", "never mind"])("is not done after %j", (text) => {
    const chat = start();
    expect(chat.say(text)).toMatchObject({ kind: "closed" });
    expect(chat.say("yes").kind).toBe("refuse");
  });

  it("is not done by a yes to something else", () => {
    expect(start().say("Yes, /restart service=postgres")).toMatchObject({
      kind: "ask",
      text: expect.stringContaining("postgres"),
    });
  });

  it.each(["maybe", "what is the meaning of life", "yes but not now"])(
    "is neither done nor forgotten after %j",
    (text) => {
      const chat = start();
      expect(chat.say(text)).toMatchObject({ kind: "ask" });
      expect(chat.say("yes")).toMatchObject({ kind: "run", params: { service: "nginx" } });
    },
  );

  it("is asked about even when the words are clear, after what was missing", () => {
    const chat = chatWith(BOTH);
    expect(chat.say("restart the service")).toMatchObject({
      kind: "ask",
      text: expect.stringContaining("service"),
    });
    expect(chat.say("nginx")).toMatchObject({
      kind: "ask",
      text: expect.stringContaining("cannot be undone"),
    });
    expect(chat.say("yes")).toMatchObject({ kind: "run", params: { service: "nginx" } });
    // Once more needs a yes of its own.
    expect(chat.say("again")).toMatchObject({
      kind: "ask",
      text: expect.stringContaining("cannot be undone"),
    });
  });

  it("is forgotten when something else is asked for", () => {
    const chat = start();
    expect(chat.say("how full are the disks")).toMatchObject({ kind: "run", command: "host" });
    expect(chat.say("yes").kind).toBe("refuse");
  });
});

describe("an open question", () => {
  it("expires after ten minutes", () => {
    const MINUTE = 60_000;
    const early = chatWith(BOTH);
    early.say("/restart nginx");
    expect(early.say("yes", 10 * MINUTE - 1)).toMatchObject({ kind: "run" });
    const late = chatWith(BOTH);
    late.say("/restart nginx");
    expect(late.say("yes", 10 * MINUTE)).toMatchObject({
      kind: "refuse",
      text: expect.stringContaining("no question open"),
    });
  });

  it("ends with cancel, and survives a misspelt slash command and silence", () => {
    const chat = chatWith(CHECKS);
    chat.say("/http");
    expect(chat.say("cancel")).toMatchObject({ kind: "closed" });
    expect(chat.say("cancel")).toEqual({ kind: "builtin", name: "cancel", argument: "" });
    chat.say("/http");
    chat.say("/hepl");
    chat.say("");
    expect(chat.say("example.com")).toMatchObject({ kind: "run", command: "http" });
  });

  it("is dropped when its command is no longer offered", () => {
    const chat = chatWith(CHECKS);
    chat.say("/port");
    const other = chatWith(ACTIONS);
    Object.assign(other.state, chat.state);
    expect(other.say("10.0.0.5").kind).toBe("refuse");
  });
});

describe("the last request", () => {
  it("is run once more by again", () => {
    const chat = chatWith(CHECKS);
    const first = chat.say("is example.com up?");
    expect(chat.say("again")).toEqual(first);
    expect(chatWith(CHECKS).say("again").kind).toBe("refuse");
  });

  it("is followed up with something else in its place", () => {
    const chat = chatWith(CHECKS);
    chat.say("is port 22 open on 10.0.0.5");
    expect(chat.say("and 10.0.0.6?")).toMatchObject({
      command: "port",
      params: { host: "10.0.0.6", port: 22 },
    });
    expect(chat.say("what about port 443?")).toMatchObject({
      command: "port",
      params: { host: "10.0.0.6", port: 443 },
    });
    expect(chat.say("and how full are the disks?")).toMatchObject({ command: "host" });
  });

  it("is forgotten after ten minutes", () => {
    const chat = chatWith(CHECKS);
    chat.say("is example.com up?");
    expect(chat.say("again", 600_000).kind).toBe("refuse");
  });
});

describe("whatever is said", () => {
  const phrases = fc.constantFrom(
    "", "1", "2", "9", "yes", "no", "cancel", "none of these", "again", "and example.org?", "/http", "/port", "/restart", "/deploy",
    "/note", "/nope", "example.com", "443", "nginx", "is example.com up?", "how full are the disks", "restart the service",
    "check the web", "is a.example or b.example up",
  ); // prettier-ignore

  it("the state stays storable, there is at most one question, and nothing is destroyed without a yes", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(phrases, fc.string()), { minLength: 1, maxLength: 12 }), (texts) => {
        const chat = chatWith(BOTH);
        for (const text of texts) {
          const before = chat.state.question;
          const outcome = chat.say(text);
          expect(DialogueState.parse(JSON.parse(JSON.stringify(chat.state)))).toEqual(chat.state);
          if (outcome.kind === "ask") expect(chat.state.question).toBeDefined();
          if (outcome.kind === "run") expect(chat.state.question).toBeUndefined();
          if (outcome.kind === "run" && outcome.command === "restart")
            expect(before?.kind).toBe("confirmation");
        }
      }),
    );
  });

  it("what is shown as understood asks for the same again", () => {
    const host = fc.oneof(fc.domain(), fc.ipV4());
    fc.assert(
      fc.property(
        host,
        fc.integer({ min: 1, max: 65_535 }),
        fc.integer({ min: 100, max: 599 }),
        (name, port, expected) => {
          for (const text of [`/port ${name} ${port}`, `/http ${name} expect ${expected}`]) {
            const first = chatWith(CHECKS).say(text);
            if (first.kind !== "run") throw new Error(`${text} does not run`);
            expect(chatWith(CHECKS).say(first.understood)).toEqual(first);
          }
        },
      ),
    );
  });
});
