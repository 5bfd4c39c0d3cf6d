import { describe, expect, it } from "vitest";
import { createUnderstandingCapability } from "../../src/capabilities/understanding/index.ts";
import type { CallScope, Store } from "../../src/sdk/capability.ts";
import { createMemoryStore } from "../../src/sdk/testing/index.ts";
import { ACTIONS, CHECKS } from "../support/sample-bot.ts";

const COMMANDS = [...CHECKS, ...ACTIONS];
const NOON = Date.UTC(2026, 2, 10, 12);

/** A root's understanding over a store that outlives it; each request stages its writes until it commits. */
function rootWith(durable: Store, now = (): number => NOON) {
  const mounted = createUnderstandingCapability({ now }).mount();
  return {
    mounted,
    /** Hears the words of the nth request; `commit` makes what it staged durable. */
    hear(n: number, text: string, { chat = "console:a", id = `request-${n}` } = {}) {
      const writes: (readonly [key: string, value: unknown])[] = [];
      const overlay = (): Store => {
        const store = createMemoryStore(Object.fromEntries(durable.list()));
        write(store, writes);
        return store;
      };
      const scope: CallScope = {
        role: "chat",
        request: {
          id,
          corr: "c",
          deadline: NOON + n * 1000,
          askedBy: "human.x",
          language: "en",
          zone: "UTC",
        },
        signal: new AbortController().signal,
        store: {
          get: (key) => overlay().get(key),
          list: (prefix) => overlay().list(prefix),
          set: (key, value) => void writes.push([key, value]),
          delete: (key) => void writes.push([key, undefined]),
        },
        answer() {},
        say() {},
      };
      const outcome = mounted.handle(scope).understand({ chat, text, commands: COMMANDS, zone: "UTC" });
      return { outcome, commit: () => write(durable, writes) };
    },
  };
}

/** Sets what has a value, deletes what has none. */
function write(store: Store, writes: readonly (readonly [key: string, value: unknown])[]): void {
  for (const [key, value] of writes) {
    if (value === undefined) store.delete(key);
    else store.set(key, value);
  }
}

describe("what a chat remembers", () => {
  it("is known to the next words although nothing is durable yet", () => {
    const root = rootWith(createMemoryStore());
    expect(root.hear(1, "/http").outcome.kind).toBe("ask");
    expect(root.hear(2, "example.com").outcome).toMatchObject({
      kind: "run",
      params: { url: "https://example.com" },
    });
    expect(root.hear(3, "again").outcome).toMatchObject({ kind: "run" });
  });

  it("survives a restart once it is durable", () => {
    const store = createMemoryStore();
    rootWith(store).hear(1, "/restart nginx").commit();
    const answered = rootWith(store).hear(2, "yes");
    expect(answered.outcome).toMatchObject({ kind: "run", command: "restart" });
    answered.commit();
    expect(rootWith(store).hear(3, "yes").outcome.kind).toBe("refuse");
    expect(rootWith(store).hear(4, "again").outcome.kind).toBe("ask");
  });

  it("is not undone by an earlier request that finishes late", () => {
    const store = createMemoryStore();
    const root = rootWith(store);
    root.hear(1, "/port 10.0.0.5").commit();
    const slow = root.hear(2, "443");
    expect(slow.outcome.kind).toBe("run");
    root.hear(3, "/restart nginx").commit();
    slow.commit();
    expect(rootWith(store).hear(4, "yes").outcome).toMatchObject({ kind: "run", command: "restart" });
  });

  it("is what it was when words are read again after a crash", () => {
    const store = createMemoryStore();
    const before = rootWith(store);
    before.hear(1, "/port 10.0.0.5").commit();
    const lost = before.hear(2, "443");
    before.hear(3, "/restart nginx").commit();
    const after = rootWith(store);
    const again = after.hear(2, "443");
    expect(again.outcome).toEqual(lost.outcome);
    expect(after.hear(4, "yes").outcome).toMatchObject({ kind: "run", command: "restart" });
  });

  it("belongs to its chat alone", () => {
    const root = rootWith(createMemoryStore());
    root.hear(1, "/restart nginx", { chat: "console:a" });
    for (const chat of ["console:a/b", "console:b", "console:", "console:a%2F"]) {
      expect(root.hear(2, "yes", { chat }).outcome.kind, chat).toBe("refuse");
    }
    expect(root.hear(3, "yes", { chat: "console:a" }).outcome.kind).toBe("run");
  });

  it("leaves no question behind in the store", () => {
    const store = createMemoryStore();
    const root = rootWith(store);
    for (const [i, text] of ["/http", "/port", "10.0.0.5", "/restart nginx", "no"].entries())
      root.hear(i, text).commit();
    expect(store.list("question/")).toEqual([]);
  });

  it("does not trip over what it cannot read", () => {
    const store = createMemoryStore({
      "question/console%3Aa/000-x": { kind: "riddle" },
      "last/console%3Aa": 7,
    });
    expect(rootWith(store).hear(1, "again").outcome.kind).toBe("refuse");
  });
});

describe("when words were written", () => {
  // A UUIDv7 of noon on 10 March 2026.
  const id = `${NOON.toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})(.{4})$/, "$1-$2")}-7000-8000-000000000000`;

  it("is told by the request's id, so that a question does not expire while the root is away", () => {
    const store = createMemoryStore();
    rootWith(store).hear(1, "/restart nginx", { id }).commit();
    const muchLater = rootWith(store, () => NOON + 3_600_000);
    expect(muchLater.hear(2, "yes", { id: id.replace(/0$/, "1") }).outcome.kind).toBe("run");
  });

  it("is now where the id does not tell", () => {
    const store = createMemoryStore();
    rootWith(store).hear(1, "/restart nginx").commit();
    expect(rootWith(store, () => NOON + 3_600_000).hear(2, "yes").outcome.kind).toBe("refuse");
  });
});

describe("explaining", () => {
  it("shows what decided and what would be done", () => {
    const explained = rootWith(createMemoryStore()).mounted.explain("chekc http://127.0.0.1:8080", COMMANDS);
    expect(explained).toMatchObject({
      zone: "fire",
      command: "http",
      scored: "chekc <site>",
      outcome: { kind: "run", understood: "/http url=http://127.0.0.1:8080" },
    });
  });

  it("follows a list of commands that has changed", () => {
    const { mounted } = rootWith(createMemoryStore());
    expect(mounted.explain("how full are the disks", COMMANDS).command).toBe("host");
    const without = COMMANDS.filter(({ name }) => name !== "host");
    expect(mounted.explain("how full are the disks", without).zone).toBe("refuse");
  });
});
