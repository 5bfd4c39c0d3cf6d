import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer as createSite } from "node:http";
import { type AddressInfo, createServer as createListener, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";

/** The agents that ship. What somebody adds to roles/ is not what the README speaks of. */
export const SHIPPED = ["root", "ops", "machine", "web", "office", "reminders", "warroom"] as const;

/** What people write in the recorded conversation. A site listens on 8080 and a database on 5432, as it is shown. */
const CONVERSATION = [
  "is http://127.0.0.1:8080 up?",
  "chekc http://127.0.0.1:8080/login",
  "is port 5432 open?",
  "127.0.0.1",
  "how is the machine doing and the web?",
  "what is the meaning of life",
];
/** The one of them whose trace is shown. */
const TRACED = "how is the machine doing and the web?";
const ASKED = "is port 5432 open on 127.0.0.1?";
const REFUSED = "is http://10.0.0.5 up?";
const EXPLAINED = "is the website ok";
/** The settings of the run; what is set here cannot come from the environment or from .env. */
const SETTINGS = {
  NET_ALLOW: "127.0.0.0/8",
  TZ: "UTC",
  VOXTREE_LOG_LEVEL: "error",
  VOXTREE_KEEP_DAYS: "30",
  VOXTREE_DURABILITY: "normal",
};

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Runs of the real program as they are shown, each a block of Markdown. */
export interface Recording {
  /** What people wrote and were answered, and the trace of one of their requests. */
  readonly conversation: string;
  readonly ask: string;
  /** An address that no check may reach. */
  readonly refusal: string;
}

/**
 * Runs the program against a site and a database port of its own making, and writes down what was said. All of it stands
 * as it was printed, but for the two ports: the system gives free ones, and they are shown as 8080 and 5432.
 */
export async function record(): Promise<Recording> {
  await using folder = await createFolder();
  const site = createSite(({ url }, response) => {
    response.writeHead(url === "/login" ? 503 : 200).end();
  });
  const database = createListener((socket) => socket.on("error", () => {}));
  try {
    const ports = { "8080": await listen(site), "5432": await listen(database) };
    const program = createProgram(folder.dir, ports);
    const replies = await program.converse(CONVERSATION);
    const said = CONVERSATION.map((words, i) => `> ${words}\n${replies[i]}`).join("\n");
    const trace = await program.type("trace", await program.corrOf(TRACED));
    const allowing = `$ NET_ALLOW=${SETTINGS.NET_ALLOW}`;
    return {
      conversation: block(`${allowing} npm start\n${said}\n\n$ ${trace}`),
      ask: block(`${allowing} ${await program.type("ask", "--json", ASKED)}`),
      refusal: block(`${allowing} ${await program.type("ask", REFUSED)}`),
    };
  } finally {
    site.close();
    database.close();
  }
}

/** `voxtree explain` of one text, as it was printed; the same each time. */
export async function recordExplain(): Promise<string> {
  await using folder = await createFolder();
  return block(`$ ${await createProgram(folder.dir, {}).type("explain", EXPLAINED)}`);
}

/**
 * What two recordings of the same program have in common: everything but times, ids, the state of the machine, and
 * the order in which what ran side by side came back.
 */
export function withoutChance(recorded: string): string {
  const lines = recorded
    .replaceAll(/\b[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\b/g, "<id>")
    .replaceAll(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}/g, "<moment>")
    .replaceAll(/[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} \d{4}, \d{2}:\d{2}:\d{2} /g, "<moment> ")
    .replaceAll(/"ms":[\d.]+/g, '"ms":<time>')
    .replaceAll(/\b\d+(?:\.\d+)? m?s\b/g, "<time>")
    // A phase that took no time at all is not named.
    .replaceAll(/^(?:(?:, )?(?:tcp|first byte) <time>)*$/gm, "<phases>")
    .replaceAll("Needs a look: machine and web", "Needs a look: web")
    .replaceAll(/(?:[✅❌] )?The machine .*$/gmu, "<machine>")
    .replaceAll(/(?<=⇠ machine +)(?:ok|fail)\b/g, "<verdict>")
    .replaceAll(/ +/g, " ")
    .replaceAll(/^ \+/gm, "+")
    .split("\n");
  const isStep = (line: string): boolean => line.startsWith("+<time>");
  return [...lines.filter((line) => !isStep(line)), ...lines.filter(isStep).sort()].join("\n");
}

function createProgram(dir: string, ports: Readonly<Record<string, number>>) {
  const real = Object.entries(ports).map(([shown, port]) => [shown, String(port)] as const);
  const swap = (text: string, [from, to]: readonly [string, string]): string =>
    text.replaceAll(new RegExp(String.raw`\b${from}\b`, "g"), to);
  const toReal = (text: string): string => real.reduce(swap, text);
  const toShown = (text: string): string => real.reduce((so, [shown, port]) => swap(so, [port, shown]), text);
  const start = (args: readonly string[]) => {
    const child = spawn(
      process.execPath,
      [join(root, "bin/voxtree.js"), "--roles", join(dir, "roles"), ...args],
      {
        env: { ...process.env, ...SETTINGS, VOXTREE_DATA_DIR: join(dir, "data") },
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    return {
      child,
      output: child.stdout.setEncoding("utf8")[Symbol.asyncIterator](),
      closed: once(child, "close"),
    };
  };

  async function run(args: readonly string[]): Promise<string> {
    const { child, output, closed } = start(args.map(toReal));
    child.stdin.end();
    let text = "";
    for await (const chunk of { [Symbol.asyncIterator]: () => output }) text += chunk;
    const [code] = await closed;
    // What could not be told is an outcome as well, and has a code of its own.
    if (code !== EXIT_CODES.ok.code && code !== EXIT_CODES.tryAgain.code) {
      throw new Error(`voxtree ${args.join(" ")} ended with ${code}`);
    }
    return toShown(text).trimEnd();
  }

  return {
    /** A command line and what it printed. */
    async type(...args: readonly string[]): Promise<string> {
      const typed = args.map((arg) => (arg.includes(" ") ? `"${arg}"` : arg));
      return `bin/voxtree.js ${typed.join(" ")}\n${await run(args)}`;
    },
    /** Says one thing after the other, each once the one before has its reply; gives the replies. */
    async converse(words: readonly string[]): Promise<string[]> {
      const { child, output, closed } = start(["start"]);
      const replies: string[] = [];
      try {
        for (const text of words) {
          child.stdin.write(`${toReal(text)}\n`);
          let reply = "";
          // A reply is written in one go and ends in a line break.
          while (!reply.endsWith("\n")) {
            const { value, done } = await output.next();
            if (done === true) throw new Error(`the program ended without a reply to "${text}"`);
            reply += value;
          }
          replies.push(toShown(reply).trimEnd());
        }
      } finally {
        child.stdin.end();
      }
      const [code] = await closed;
      if (code !== 0) throw new Error(`voxtree start ended with ${code}`);
      return replies;
    },
    /** The id of the conversation that these words began. */
    async corrOf(words: string): Promise<string> {
      const listed = JSON.parse(await run(["trace", "--json"])) as readonly { corr: string; words: string }[];
      const found = listed.find((conversation) => conversation.words === words);
      if (!found) throw new Error(`there is no conversation that began with "${words}"`);
      return found.corr;
    },
  };
}

/** A folder with the agents that ship and room for their data; inside the project, where a role's `#sdk` resolves. */
async function createFolder(): Promise<AsyncDisposable & { readonly dir: string }> {
  await mkdir(join(root, ".tmp"), { recursive: true });
  const dir = await mkdtemp(join(root, ".tmp", "docs-"));
  for (const agent of SHIPPED) {
    await cp(join(root, "roles", agent), join(dir, "roles", agent), { recursive: true });
  }
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function block(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}
