// A console on this process's own terminal with a core that does what the words say. Run by the console's tests.
import {
  createConsoleChannel,
  createGateway,
  type Inbound,
} from "../../src/capabilities/comm-gateway/index.ts";
import { createIds } from "../../src/envelope/ids.ts";
import { createLog } from "../../src/log.ts";

const [historyFile] = process.argv.slice(2);
const channel = createConsoleChannel({
  input: process.stdin,
  output: process.stdout,
  errorOutput: process.stderr,
  isInteractive: process.stdin.isTTY && process.stdout.isTTY,
  isColour: process.stdout.isTTY && process.stdout.hasColors(),
  ids: createIds(Date.now),
  person: "ada",
  zone: "UTC",
  completions: () => ["/help", "/http", "/host"],
  ...(historyFile === undefined ? {} : { historyFile }),
  monotonicMs: () => performance.now(),
});
const log = createLog({ level: "warn", stream: { isTTY: true, write: (line) => channel.aside(line) } });
const gateway = createGateway({ channels: [channel], log });
const held: Inbound[] = [];

function answer(inbound: Inbound, text: string): void {
  void gateway.deliver({ requestId: inbound.id, chat: inbound.chat, reply: { text }, isRepeat: false });
}

await gateway.start({
  lastReply: () => undefined,
  async accept(inbound) {
    if (inbound.text === "wait") {
      held.push(inbound);
      gateway.progress(inbound.id, "asking the oracle", 0.5);
    } else if (inbound.text === "go on") {
      for (const each of held.splice(0)) answer(each, "the oracle has spoken");
      answer(inbound, "went on");
    } else if (inbound.text === "log") {
      log.warn("something is odd");
      answer(inbound, "logged");
    } else {
      answer(inbound, `heard: ${inbound.text}`);
    }
  },
});
channel.greet({ text: "Welcome" });
await channel.deliver({
  requestId: "019ad4c1-76c0-7000-8000-000000000000",
  chat: "terminal",
  question: "is it up?",
  reply: { text: "It is.", verdict: "ok" },
  isRepeat: false,
});
await gateway.finished;
await gateway.close();
