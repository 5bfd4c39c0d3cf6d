import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createAskChannel, createGateway, type Inbound } from "../../src/capabilities/comm-gateway/index.ts";
import { createIds } from "../../src/envelope/ids.ts";
import type { CallScope, MountScope } from "../../src/sdk/capability.ts";
import { md } from "../../src/sdk/markup.ts";
import type { ReplyShape } from "../../src/sdk/reply.ts";
import { SILENT } from "../support/silent-log.ts";

async function ask(json: boolean) {
  const output = new PassThrough();
  const errorOutput = new PassThrough();
  const channel = createAskChannel({
    text: "is it up?",
    json,
    output,
    errorOutput,
    isColour: false,
    ids: createIds(() => 1_800_000_000_000),
    person: "ada",
    zone: "UTC",
  });
  const gateway = createGateway({ channels: [channel], log: SILENT });
  const said: Inbound[] = [];
  await gateway.start({ accept: async (inbound) => void said.push(inbound), lastReply: () => undefined });
  const [inbound] = said;
  if (!inbound) throw new Error("nothing was asked");
  return { channel, gateway, inbound, output, errorOutput };
}

describe("one question", () => {
  it("is asked once and its reply printed", async () => {
    const { channel, gateway, inbound, output } = await ask(false);
    expect(inbound).toMatchObject({ channel: "ask", chat: "ask:terminal", person: "ada", text: "is it up?" });
    const reply = { text: md`**Yes**, it is`, verdict: "ok" as const, data: { status: 200 } };
    await gateway.deliver({ requestId: inbound.id, chat: inbound.chat, reply, isRepeat: false });
    await gateway.finished;
    expect(output.read()?.toString()).toBe("✅ Yes, it is\n");
    expect(channel.answer()).toMatchObject({ reply: { verdict: "ok" } });
  });

  it("is answered as one line of JSON with the words, the verdict and the data", async () => {
    const { gateway, inbound, output } = await ask(true);
    const reply = { text: md`**Yes**,\n it is`, verdict: "ok" as const, data: { status: 200 } };
    await gateway.deliver({ requestId: inbound.id, chat: inbound.chat, reply, isRepeat: false });
    expect(output.read()?.toString()).toBe('{"text":"Yes,\\n it is","verdict":"ok","data":{"status":200}}\n');
  });

  it("is answered as JSON by the code of a failure too", async () => {
    const { gateway, inbound, output } = await ask(true);
    const { id: requestId, chat } = inbound;
    await gateway.deliver({ requestId, chat, reply: { text: "No." }, failure: "E_OFFLINE", isRepeat: false });
    expect(output.read()?.toString()).toBe(
      '{"text":"No.","verdict":null,"data":null,"failure":"E_OFFLINE"}\n',
    );
  });

  it("says as JSON how it ended when nobody answered, and keeps what that is carried in to itself", async () => {
    const { gateway, inbound, output } = await ask(true);
    const recorded: ReplyShape[] = [];
    const mounted = await gateway.definition.mount({} as MountScope);
    const { reply } = mounted.handle({
      answer: (written: ReplyShape) => void recorded.push(written),
    } as unknown as CallScope);
    reply({ text: "Which host?" }, { kind: "asked" });
    const [written] = recorded;
    if (!written) throw new Error("nothing was recorded");
    await gateway.deliver({ requestId: inbound.id, chat: inbound.chat, reply: written, isRepeat: false });
    expect(output.read()?.toString()).toBe(
      '{"text":"Which host?","verdict":null,"data":null,"ending":"asked"}\n',
    );
    // An answer that brings its own is passed on without it.
    reply({ ...written, data: { ...written.data, host: "a" } });
    expect(recorded[1]).toEqual({ text: "Which host?", data: { host: "a" } });
  });

  it("does not take the answer to a question of an earlier run for its own", async () => {
    const { channel, gateway, inbound, output, errorOutput } = await ask(false);
    await gateway.deliver({
      requestId: "019ad4c1-76c0-7000-8000-000000000000",
      chat: inbound.chat,
      question: "and that?",
      reply: { text: "That is fine." },
      isRepeat: false,
    });
    expect(output.read()).toBe(null);
    expect(errorOutput.read()?.toString()).toBe("You asked at 30 Nov, 12:34: and that?\nThat is fine.\n");
    expect(channel.answer()).toBe(undefined);
    await gateway.close();
  });
});
