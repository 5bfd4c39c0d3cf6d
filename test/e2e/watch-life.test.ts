import { expect, test } from "vitest";
import { type BotApi, type Chat, createBotApi, type Message, type Person } from "../support/bot-api/index.ts";
import { waitFor } from "../support/event-loop.ts";
import { untilHealthy } from "../support/health.ts";
import { closedPort, openSite, type Running, startVoxtree } from "../support/program.ts";
import { startRedis } from "../support/redis.ts";
import { createDataFolder } from "../support/wire-process.ts";

const TOKEN = "123456789:AAF-a_token_of_a_test_0123456789abcd";
/** Three checks ten seconds apart, and ten seconds in which more of the same may come. */
const PATIENT = { timeoutMs: 120_000 };

interface Ops extends AsyncDisposable {
  readonly api: BotApi;
  readonly ann: Person;
  readonly bob: Person;
  /** The ops group. */
  readonly room: Chat;
  readonly env: Readonly<Record<string, string>>;
  readonly dataDir: string;
}

async function openOps(): Promise<Ops> {
  const api = await createBotApi({ token: TOKEN, username: "desk_bot" });
  const ann = api.person({ id: 7001, firstName: "Ann" });
  const bob = api.person({ id: 7002, firstName: "Bob" });
  const room = api.group({ title: "Ops", members: [ann, bob], isSupergroup: true });
  const folder = createDataFolder();
  return {
    api,
    ann,
    bob,
    room,
    dataDir: folder.dir,
    env: {
      TELEGRAM_BOT_TOKEN: TOKEN,
      TELEGRAM_API_ROOT: api.url,
      TELEGRAM_ALLOWED_USERS: "7001,7002",
      WAR_ROOM_CHAT: String(room.id),
    },
    async [Symbol.asyncDispose]() {
      await api.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Messages of the bot in the room that are an incident's own, and no answer to anything. */
function incidents({ room }: Ops): Message[] {
  return room.messages.filter(({ isFromBot, text }) => isFromBot && /^(?:🔴|🟠|🟢|⚪|🟡|🟣)/u.test(text));
}

/** What was said may have come before what is looked at. */
async function until(isThere: () => boolean): Promise<void> {
  await waitFor(() => Promise.resolve(isThere()));
}

/** The life of a watch, told by what people write and see. `restart` kills what runs, and starts it again. */
async function liveThrough(ops: Ops, restart: () => Promise<void>): Promise<void> {
  await using site = await openSite();
  const { room, ann, bob } = ops;
  site.shaky = 200;
  room.says(ann, `@desk_bot watch ${site.url}/shaky every 10 s and tell us here`);
  const added = await room.next(({ isFromBot, text }) => isFromBot && text.includes("war room"), PATIENT);
  expect(added.text).toContain("every 10 s");
  expect(added.replyTo).toBeDefined();

  await restart();
  site.shaky = 503;
  const down = await room.next(/^🔴 CRIT/u, PATIENT);
  expect(down.text).toMatch(/^🔴 CRIT .*\/shaky.*503.* {2}A-1\n/u);
  expect(down.buttons).toEqual([["Ack", "Silence 1h", "4h", "Details"]]);
  expect(down.isSilent).toBe(false);

  // Ann presses before she has seen that Bob did.
  await Promise.all([room.presses(bob, down, "Ack"), room.presses(ann, down, "Ack")]);
  const acked = await room.next(/^🟠/u, PATIENT);
  expect(acked.id).toBe(down.id);
  expect(acked.text).toContain("Acked by Bob at ");
  await until(() =>
    room.messages.some(({ isFromBot, text }) => isFromBot && /already acked by Bob/u.test(text)),
  );

  await restart();
  site.shaky = 200;
  const over = await room.next(/^🟢 RESOLVED/u, PATIENT);
  expect(over.id).toBe(down.id);
  expect(over.text).toMatch(/acked by Bob/u);
  expect(over.buttons).toEqual([]);

  room.says(ann, "/alerts@desk_bot");
  await room.next("Nothing is firing.", PATIENT);
  expect(incidents(ops).map(({ id }) => id)).toEqual([down.id]);
  room.says(bob, "/watches@desk_bot");
  const list = await room.next(
    ({ isFromBot, text }) => isFromBot && text.includes("/shaky") && !text.startsWith("🟢"),
    PATIENT,
  );
  expect(list.text).toContain("every 10 s");
}

test.concurrent(
  "a watch in one process, killed twice in between, alerts once in one message that is edited until it is over",
  { timeout: 240_000 },
  async () => {
    await using ops = await openOps();
    const start = (): Running => startVoxtree({ dataDir: ops.dataDir, env: ops.env });
    let running = start();
    try {
      await liveThrough(ops, async () => {
        await running.kill("SIGKILL");
        running = start();
      });
      expect(await running.kill("SIGTERM")).toMatchObject({ code: 0 });
    } finally {
      await running[Symbol.asyncDispose]();
    }
  },
);

test.concurrent(
  "the same as separate processes over Redis, and the war room speaks although the root is stopped",
  { timeout: 300_000 },
  async () => {
    await using redis = await startRedis();
    await using ops = await openOps();
    const start = async (verb: readonly string[]): Promise<Running> => {
      const port = await closedPort();
      const env = { ...ops.env, REDIS_URL: redis.url, VOXTREE_HEALTH_PORT: String(port) };
      const running = startVoxtree({ dataDir: ops.dataDir, env }, verb);
      await untilHealthy(port, ({ status, health }) => status === 200 && health["transport"] === "up");
      return running;
    };
    const names = ["ops", "web", "machine", "office", "reminders", "warroom"];
    const agents = new Map<string, Running>();
    for (const name of names) agents.set(name, await start(["agent", name]));
    let root = await start(["start"]);
    try {
      await liveThrough(ops, async () => {
        await Promise.all(
          [root, agents.get("ops"), agents.get("warroom")].map(async (one) => one?.kill("SIGKILL")),
        );
        for (const name of ["ops", "warroom"]) agents.set(name, await start(["agent", name]));
        root = await start(["start"]);
      });

      await using site = await openSite();
      site.shaky = 200;
      ops.room.says(ops.ann, `@desk_bot watch ${site.url}/shaky every 10 s fails=1`);
      await ops.room.next(({ isFromBot, text }) => isFromBot && text.includes("war room"), PATIENT);
      expect(await root.kill("SIGTERM")).toMatchObject({ code: 0 });
      site.shaky = 503;
      const down = await ops.room.next(
        ({ text }) => text.startsWith("🔴 CRIT") && text.includes(String(site.port)),
        PATIENT,
      );
      expect(down.text).toContain("503");
    } finally {
      for (const running of [root, ...agents.values()]) await running[Symbol.asyncDispose]();
    }
  },
);
