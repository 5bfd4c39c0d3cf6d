import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import {
  createConsoleChannel,
  createGateway,
  type Delivery,
  type Inbound,
  NotDeliveredError,
} from "../../src/capabilities/comm-gateway/index.ts";
import { createIds } from "../../src/envelope/ids.ts";
import { SILENT } from "../support/silent-log.ts";
import { createMemoryStore } from "../../src/sdk/testing/index.ts";

/** A gateway with a console on real streams; what people say is collected, tests answer it. */
async function openConsole(output: Writable = new PassThrough()) {
  const input = new PassThrough();
  const errorOutput = new PassThrough();
  const shown: string[] = [];
  output.on("data", (chunk: Buffer) => shown.push(chunk.toString()));
  const console = createConsoleChannel({
    input,
    output,
    errorOutput,
    isInteractive: false,
    isColour: false,
    ids: createIds(() => 1_800_000_000_000),
    person: "ada",
    zone: "Europe/Berlin",
    completions: () => [],
    monotonicMs: () => 0,
  });
  const gateway = createGateway({ channels: [console], log: SILENT });
  const said: Inbound[] = [];
  const heard = new PassThrough({ objectMode: true });
  let refuse = false;
  let last: Delivery["reply"] | undefined;
  await gateway.start({
    async accept(inbound) {
      if (refuse) throw new Error("the disk is full");
      said.push(inbound);
      heard.emit("said");
    },
    lastReply: () => last,
  });
  return {
    /** What the chat's last reply is taken to be. */
    lastReply: (reply: Delivery["reply"]) => void (last = reply),
    input,
    output,
    gateway,
    said,
    shown: () => shown.join(""),
    refuseAll: () => void (refuse = true),
    /** Resolves once `count` messages have come in. */
    async until(count: number) {
      while (said.length < count) await once(heard, "said");
    },
    reply(to: Inbound | undefined, text: string, more: Partial<Delivery> = {}) {
      if (!to) throw new Error("nothing was said");
      return gateway.deliver({ requestId: to.id, chat: to.chat, reply: { text }, isRepeat: false, ...more });
    },
  };
}

describe("the console without a terminal", () => {
  it("takes one line as one message, an empty one too, and the last without an end", async () => {
    const at = await openConsole();
    at.input.end("one\r\n\n  two \nthree");
    await at.until(4);
    expect(at.said.map(({ text }) => text)).toEqual(["one", "", "  two ", "three"]);
    expect(at.said[0]).toMatchObject({ channel: "console", chat: "console:terminal", person: "ada" });
    expect(new Set(at.said.map(({ id }) => id)).size).toBe(4);
    for (const { id } of at.said)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    await at.gateway.close();
  });

  it("writes replies in the order of the lines, whatever the order of the answers", async () => {
    const at = await openConsole();
    at.input.end("1\n2\n3\n");
    await at.until(3);
    const late = [at.reply(at.said[2], "third"), at.reply(at.said[1], "second\nin two lines")];
    await new Promise(setImmediate);
    expect(at.shown()).toBe("");
    await at.reply(at.said[0], "first");
    await Promise.all(late);
    await at.gateway.finished;
    expect(at.shown()).toBe("first\nsecond\nin two lines\nthird\n");
  });

  it("has not delivered an early answer until it is written", async () => {
    const at = await openConsole();
    at.input.write("1\n2\n");
    await at.until(2);
    const settled: string[] = [];
    const early = at.reply(at.said[1], "two").then(() => settled.push("two"));
    await new Promise(setImmediate);
    expect(settled).toEqual([]);
    await at.reply(at.said[0], "one");
    await early;
    expect(settled).toEqual(["two"]);
    await at.gateway.close();
  });

  it("finishes at once when nothing was said", async () => {
    const at = await openConsole();
    at.input.end();
    await at.gateway.finished;
    expect(at.shown()).toBe("");
  });

  it("is not finished before the last reply, nor before the end of the input", async () => {
    const at = await openConsole();
    let isFinished = false;
    const finished = at.gateway.finished.then(() => void (isFinished = true));
    at.input.write("1\n");
    await at.until(1);
    await at.reply(at.said[0], "one");
    await new Promise(setImmediate);
    expect(isFinished).toBe(false);
    at.input.end("2\n");
    await at.until(2);
    await new Promise(setImmediate);
    expect(isFinished).toBe(false);
    await at.reply(at.said[1], "two");
    await finished;
  });

  it("puts nothing but replies on the output", async () => {
    const at = await openConsole();
    at.input.end("1\n");
    await at.until(1);
    at.gateway.progress(at.said[0]?.id ?? "", "half way", 0.5);
    const mounted = await at.gateway.definition.mount({
      agent: { id: "00000000-0000-7000-8000-000000000001", name: "root" },
      settings: {},
      log: SILENT,
      own: createMemoryStore(),
    });
    mounted.handle({} as Parameters<typeof mounted.handle>[0]).greet({ text: "Welcome" });
    await at.reply(at.said[0], "one", { vantage: "berlin-1" });
    await at.gateway.finished;
    expect(at.shown()).toBe("one\nfrom berlin-1\n");
  });

  it("introduces an answer from before a restart by what was asked, and an unasked message by nothing", async () => {
    const at = await openConsole();
    const chat = "console:terminal";
    // This UUIDv7 was made at 2025-11-30T12:34:00Z, which is 13:34 in Berlin.
    const requestId = "019ad4c1-76c0-7000-8000-000000000000";
    await at.gateway.deliver({
      requestId,
      chat,
      question: "is it up?",
      reply: { text: "Yes." },
      isRepeat: false,
    });
    await at.gateway.deliver({
      requestId,
      chat,
      question: "is it up?",
      reply: { text: "Yes." },
      isRepeat: true,
    });
    await at.gateway.deliver({
      requestId: "x".repeat(36),
      chat,
      reply: { text: "Tea is ready." },
      isRepeat: false,
    });
    expect(at.shown().split("\n")).toEqual([
      "You asked at 30 Nov, 13:34: is it up?",
      "Yes.",
      "You asked at 30 Nov, 13:34: is it up? (you may have seen this answer before)",
      "Yes.",
      "Tea is ready.",
      "",
    ]);
    await at.gateway.close();
  });

  it("refuses a line over 32 KiB in its place, and takes one of exactly 32 KiB", async () => {
    const at = await openConsole();
    at.input.end(`first\n${"x".repeat(32_769)}\n${"é".repeat(16_384)}\n${"y".repeat(200_000)}\n`);
    await at.until(2);
    expect(at.said.map(({ text }) => text)).toEqual(["first", "é".repeat(16_384)]);
    await Promise.all([at.reply(at.said[1], "three"), at.reply(at.said[0], "one")]);
    await at.gateway.finished;
    const refusal =
      "That line is longer than 32 KiB and was not taken. Send less of it, or say where it can be found.";
    expect(at.shown()).toBe(`one\n${refusal}\nthree\n${refusal}\n`);
  });

  it("joins characters that arrive in pieces", async () => {
    const at = await openConsole();
    const bytes = Buffer.from("läuft €?\nzwei\n");
    for (const byte of bytes) at.input.write(Buffer.from([byte]));
    at.input.end();
    await at.until(2);
    expect(at.said.map(({ text }) => text)).toEqual(["läuft €?", "zwei"]);
    await at.gateway.close();
  });

  it("says so when words could not be recorded", async () => {
    const at = await openConsole();
    at.refuseAll();
    at.input.end("1\n");
    await at.gateway.finished;
    expect(at.shown()).toBe(
      "That could not be recorded, so it will not be answered. Ask again; if it repeats, see `voxtree doctor`.\n",
    );
  });

  it("gives 2,000 lines their replies in order, answered backwards", async () => {
    const at = await openConsole();
    at.input.end(Array.from({ length: 2_000 }, (_, n) => `q${n}\n`).join(""));
    const replies: Promise<void>[] = [];
    for (let from = 0; from < 2_000; from += 1_000) {
      await at.until(from + 1_000);
      for (const inbound of at.said.slice(from, from + 1_000).toReversed()) {
        replies.push(at.reply(inbound, inbound.text.replace("q", "a")));
      }
    }
    await Promise.all(replies);
    await at.gateway.finished;
    expect(at.shown()).toBe(Array.from({ length: 2_000 }, (_, n) => `a${n}\n`).join(""));
  });

  it("ends quietly when nobody reads the replies any more, and owes what it could not show", async () => {
    const broken = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    const at = await openConsole(new Writable({ write: (_chunk, _encoding, done) => done(broken) }));
    at.input.write("1\n2\n");
    await at.until(2);
    const second = at.reply(at.said[1], "two");
    await expect(at.reply(at.said[0], "one")).rejects.toThrow(NotDeliveredError);
    await expect(second).rejects.toThrow(NotDeliveredError);
    await at.gateway.finished;
    await expect(at.reply(at.said[0], "one")).rejects.toThrow(NotDeliveredError);
  });

  it("owes what is answered after it was closed", async () => {
    const at = await openConsole();
    at.input.write("1\n");
    await at.until(1);
    await at.gateway.close();
    await at.gateway.finished;
    await expect(at.reply(at.said[0], "one")).rejects.toThrow(NotDeliveredError);
  });
});

describe("the gateway", () => {
  it("takes a number for the button under the last reply, unless a reply is still on its way", async () => {
    const at = await openConsole();
    at.lastReply({ text: "It took too long.", buttons: [{ label: "Try again", say: "/http example.com" }] });
    at.input.write("1\n1\n");
    await at.until(2);
    await Promise.all(at.said.map((words) => at.reply(words, "done")));
    for (const [i, text] of ["1.", "2", "1st", "1"].entries()) {
      at.input.write(`${text}\n`);
      await at.until(i + 3);
      await at.reply(at.said[i + 2], "done");
    }
    at.lastReply({ text: "no buttons" });
    at.input.write("1\n");
    await at.until(7);
    expect(at.said.map(({ text }) => text)).toEqual([
      "/http example.com",
      "1",
      "/http example.com",
      "2",
      "1st",
      "/http example.com",
      "1",
    ]);
    await at.gateway.close();
  });

  it("does not deliver to a chat whose channel is not open", async () => {
    const at = await openConsole();
    await expect(
      at.gateway.deliver({ requestId: "x", chat: "telegram:7", reply: { text: "hi" }, isRepeat: false }),
    ).rejects.toThrow('no channel "telegram" is open for the chat telegram:7');
    await at.gateway.close();
  });

  it("gives roles a handle that answers, sends and remembers, and refuses what is no reply", async () => {
    const gateway = createGateway({ channels: [], log: SILENT });
    await gateway.start({ accept: async () => {}, lastReply: (chat) => ({ text: `last of ${chat}` }) });
    const mounted = await gateway.definition.mount({
      agent: { id: "00000000-0000-7000-8000-000000000001", name: "root" },
      settings: {},
      log: SILENT,
      own: createMemoryStore(),
    });
    const calls: unknown[] = [];
    const handle = mounted.handle({
      answer: (reply: unknown) => calls.push(["answer", reply]),
      say: (chat: string, reply: unknown) => calls.push(["say", chat, reply]),
    } as unknown as Parameters<typeof mounted.handle>[0]);
    handle.reply({ text: "yes", verdict: "ok" });
    handle.send("console:terminal", { text: "tea" });
    expect(calls).toEqual([
      ["answer", { text: "yes", verdict: "ok" }],
      ["say", "console:terminal", { text: "tea" }],
    ]);
    expect(handle.last("console:terminal")).toEqual({ text: "last of console:terminal" });
    // Another ending than these there is not.
    expect(() =>
      handle.reply({ text: "yes" }, { kind: "asked", failure: "E_X" } as { kind: "asked" }),
    ).toThrow();
    expect(() => handle.reply({ text: "yes", verdikt: "ok" } as unknown as { text: string })).toThrow(
      "verdikt",
    );
    expect(gateway.definition.rootOnly).toBe(true);
  });
});
