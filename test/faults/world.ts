import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { createProjectFolder } from "../support/project-folder.ts";
import { type RunningRedis, startRedis } from "../support/redis.ts";
import { idFromParts } from "../../src/envelope/index.ts";
import { type AgentProcess, createAgentProcess } from "./agent-process.ts";
import type { FromAgent, Sent } from "./lines.ts";
import type { Deed } from "./trail.ts";
import { type Command, copyRoles, type Name } from "./tree.ts";

const NAMESPACE = "019ad200-0000-7000-8000-0000000000ff";

/** A reply as the harness has heard it. */
export interface Reply {
  /** By the harness's monotonic clock. */
  readonly at: number;
  readonly chat: string;
  readonly text: string;
  /** The code, when it is no answer. */
  readonly code: string | undefined;
  readonly isRepeat: boolean;
}

/** Something that was asked. */
export interface Question {
  readonly id: string;
  readonly command: Command;
  /** What makes it different from all others, and must stand in its answer. */
  readonly subject: string;
  readonly asker: string;
  readonly text: string;
  readonly askedAt: number;
  readonly replies: Reply[];
  isAccepted: boolean;
}

/** A line of the trail that roles leave. */
export type Trace = Deed & { readonly agent: string; readonly at: number };

/** How something is asked. */
export interface HowToAsk {
  /** How long each step of it takes. */
  readonly ms?: number;
  readonly asker?: string;
  /** So many characters that say nothing. */
  readonly padding?: number;
}

/** A tree as separate processes over a real Redis, with everything about it in the harness's hands. */
export interface World extends AsyncDisposable {
  readonly redis: RunningRedis;
  /** A connection with all rights. */
  readonly admin: Redis;
  readonly agents: readonly AgentProcess[];
  readonly questions: readonly Question[];
  readonly trail: readonly Trace[];
  /** The newest envelopes that were shown, oldest first. */
  readonly sent: readonly Sent[];
  agent(name: Name): AgentProcess;
  /** The folder that `readRows` and `refusalsOf` take for an agent. */
  folderOf(name: string): string;
  /** Words that the root has not confirmed are handed over again at its next start. */
  ask(command: Command, how?: HowToAsk): Question;
  /** Hands the same words over once more. */
  repeat(question: Question): void;
  /** Resolves with the first reply. */
  answered(question: Question): Promise<Reply>;
  /** Resolves once this is so; looked at whenever an agent has said something or ended. */
  until(what: string, isSo: () => boolean, withinMs?: number): Promise<void>;
  /** The most memory an agent's process has had, in MB. */
  memoryOf(name: Name): Promise<number>;
  /** Starts again whoever ends, after so many ms; `undefined`: leaves that to the test. */
  supervise(restartAfterMs: ((agent: string) => number) | undefined): void;
  /** Makes unruly roles behave, or no longer. */
  mend(isMended: boolean): Promise<void>;
}

export interface WorldOptions {
  readonly names: readonly Name[];
  readonly skewMs?: (name: Name) => number;
  /** Show one of so many envelopes; default none. */
  readonly showEvery?: number;
}

const MOST_SENT = 2000;
const WITHIN_MS = 60_000;

/** Starts Redis and the agents, and waits until the root can have everything asked that they offer. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const folder = await createProjectFolder();
  const redis = await startRedis();
  const admin = new Redis(redis.url, { maxRetriesPerRequest: null });
  admin.on("error", () => undefined);
  await copyRoles(join(folder.dir, "roles"), options.names);
  const world = createWorld({ dir: folder.dir, redis, admin }, options);
  const whole: World = {
    ...world,
    async [Symbol.asyncDispose]() {
      world.supervise(undefined);
      await Promise.all(world.agents.map((agent) => agent.kill()));
      admin.disconnect();
      await redis[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
  try {
    await Promise.all(world.agents.map((agent) => agent.start()));
    const offered = options.names.flatMap((name) => OFFERED[name] ?? []);
    await Promise.all(offered.map((command) => askUntilKnown(whole, command)));
  } catch (error) {
    await whole[Symbol.asyncDispose]();
    throw error;
  }
  return whole;
}

const OFFERED: Partial<Record<Name, readonly Command[]>> = {
  web: ["look"],
  "web-2": ["look"],
  db: ["find"],
  dns: ["resolve"],
};

/** What an agent offers is known once it has been announced, at both hops. */
async function askUntilKnown(world: World, command: Command): Promise<void> {
  for (;;) {
    const { code } = await world.answered(world.ask(command));
    if (code === undefined) return;
    if (code !== "E_UNKNOWN_COMMAND") throw new Error(`a first ${command} was answered ${code}`);
  }
}

function createWorld(
  { dir, redis, admin }: { readonly dir: string; readonly redis: RunningRedis; readonly admin: Redis },
  options: WorldOptions,
): Omit<World, typeof Symbol.asyncDispose> {
  const questions: Question[] = [];
  const byId = new Map<string, Question>();
  const trail: Trace[] = [];
  const sent: Sent[] = [];
  const listeners = new Set<() => void>();
  const memory = new Map<string, number>();
  const mended = join(dir, "mended");
  let restartAfterMs: Parameters<World["supervise"]>[0];

  const handOver = ({ id, asker, text }: Question): void =>
    agent("root").tell({ say: { id, chat: asker, person: asker, text } });

  const onLine = (name: string, line: FromAgent): void => {
    const at = performance.now();
    switch (line.is) {
      case "ready":
        // Words of which nobody knows whether they were taken in are handed over again.
        if (name === "root") for (const one of questions) if (!one.isAccepted) handOver(one);
        break;
      case "accepted": {
        const question = byId.get(line.id);
        if (question) question.isAccepted = true;
        break;
      }
      case "reply": {
        const { id, chat, text, failure, isRepeat } = line;
        const code = failure ?? /^(E_[A-Z_]+): /.exec(text)?.[1];
        byId.get(id)?.replies.push({ at, chat, text, code, isRepeat });
        break;
      }
      case "deed":
        trail.push({ ...line, agent: name, at });
        break;
      case "sent":
        sent.push(line);
        if (sent.length > MOST_SENT) sent.splice(0, MOST_SENT / 2);
        break;
      case "memory":
        memory.set(name, line.mostMb);
        break;
    }
    notify();
  };

  const notify = (): void => {
    for (const listener of listeners) listener();
  };

  const onEnded = (ended: AgentProcess): void => {
    const delay = restartAfterMs?.(ended.name);
    if (delay !== undefined) {
      setTimeout(() => {
        // An end in the middle of its start is the next end.
        if (restartAfterMs && !ended.isRunning) ended.start().catch(() => undefined);
      }, delay);
    }
    notify();
  };

  const agents = options.names.map((name) =>
    createAgentProcess({
      facts: {
        name,
        rolesDir: join(dir, "roles"),
        dataDir: join(dir, "data", name),
        redisUrl: redis.url,
        skewMs: options.skewMs?.(name) ?? 0,
        showEvery: options.showEvery ?? 0,
        mended,
      },
      onLine,
      onEnded,
    }),
  );
  const agent = (name: Name): AgentProcess => {
    const found = agents.find((one) => one.name === name);
    if (!found) throw new Error(`${name} is not part of this world`);
    return found;
  };

  const until: World["until"] = (what, isSo, withinMs = WITHIN_MS) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!isSo()) return;
        listeners.delete(look);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        listeners.delete(look);
        const stderr = agents.map((one) => `--- ${one.name}\n${one.stderr}`).join("\n");
        reject(new Error(`not within ${withinMs} ms: ${what}\n${stderr}`));
      }, withinMs);
      listeners.add(look);
      look();
    });

  return {
    redis,
    admin,
    agents,
    questions,
    trail,
    sent,
    agent,
    until,
    folderOf: (name) => join(dir, "data", name),
    ask(command, { ms = 0, asker = "ann", padding = 0 } = {}) {
      const subject = `n${questions.length}`;
      const question: Question = {
        id: idFromParts(NAMESPACE, subject),
        command,
        subject,
        asker,
        text: [command, subject, ...(ms > 0 ? [ms] : []), ...(padding > 0 ? ["x".repeat(padding)] : [])].join(
          " ",
        ),
        askedAt: performance.now(),
        replies: [],
        isAccepted: false,
      };
      questions.push(question);
      byId.set(question.id, question);
      handOver(question);
      return question;
    },
    repeat: handOver,
    async answered(question) {
      await until(`an answer to ${question.text}`, () => question.replies.length > 0, 2 * WITHIN_MS);
      return question.replies[0] as Reply;
    },
    async memoryOf(name) {
      memory.delete(name);
      agent(name).tell({ memory: true });
      await until(`the memory of ${name}`, () => memory.has(name));
      return memory.get(name) ?? 0;
    },
    supervise(after) {
      restartAfterMs = after;
    },
    mend: (isMended) => (isMended ? writeFile(mended, "") : rm(mended)),
  };
}
