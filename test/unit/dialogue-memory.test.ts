import { describe, expect, it } from "vitest";
import { createUnderstandingCapability } from "../../src/capabilities/understanding/index.ts";
import type { CommandAnnouncement } from "../../src/sdk/announcement.ts";
import type { CallScope, Store } from "../../src/sdk/capability.ts";
import { DialogueState } from "../../src/dialogue/index.ts";
import { createMemoryStore } from "../../src/sdk/testing/index.ts";
import { ACTIONS, CHECKS } from "../support/sample-bot.ts";

const COMMANDS = [...CHECKS, ...ACTIONS];
const NOON = Date.UTC(2026, 2, 10, 12);

/** A root's understanding over a store that outlives it. */
function rootWith(store: Store, now = (): number => NOON) {
  const mounted = createUnderstandingCapability({ now }).mount();
  const scopeOf = (n: number, id: string): CallScope => ({
    role: "chat",
    request: { id, corr: "c", deadline: NOON + n * 1000, askedBy: "human.x", language: "en", zone: "UTC" },
    signal: new AbortController().signal,
    store,
    own: createMemoryStore(),
    answer() {},
    say() {},
  });
  return {
    mounted,
    learn: (commands: readonly CommandAnnouncement[]) =>
      mounted.handle(scopeOf(0, "request-0")).learn(commands),
    /** Hears the words of the nth request. */
    hear(n: number, text: string, { chat = "console:a", id = `request-${n}`, commands = COMMANDS } = {}) {
      return mounted.handle(scopeOf(n, id)).understand({ chat, text, commands, zone: "UTC" });
    },
  };
}

describe("commands that were learnt before", () => {
  it("are not learnt again when the first words come", () => {
    let reads = 0;
    const commands = COMMANDS.map((command) => ({
      ...command,
      get prompts() {
        reads++;
        return command.prompts;
      },
    }));
    const root = rootWith(createMemoryStore());
    root.learn(commands);
    expect(reads).toBeGreaterThan(0);
    reads = 0;
    expect(root.hear(1, "how full are the disks", { commands: [...commands] })).toMatchObject({
      kind: "run",
    });
    expect(reads).toBe(0);
  });
});

describe("what a chat remembers", () => {
  it("is known to the next words", () => {
    const root = rootWith(createMemoryStore());
    expect(root.hear(1, "/http").kind).toBe("ask");
    expect(root.hear(2, "example.com")).toMatchObject({
      kind: "run",
      params: { url: "https://example.com" },
    });
    expect(root.hear(3, "again")).toMatchObject({ kind: "run" });
  });

  it("survives a restart", () => {
    const store = createMemoryStore();
    rootWith(store).hear(1, "/restart nginx");
    expect(rootWith(store).hear(2, "yes")).toMatchObject({ kind: "run", command: "restart" });
    expect(rootWith(store).hear(3, "yes").kind).toBe("refuse");
    expect(rootWith(store).hear(4, "again").kind).toBe("ask");
  });

  it("belongs to its chat alone", () => {
    const root = rootWith(createMemoryStore());
    root.hear(1, "/restart nginx", { chat: "console:a" });
    for (const chat of ["console:a/b", "console:b", "console:", "console:a%2F"]) {
      expect(root.hear(2, "yes", { chat }).kind, chat).toBe("refuse");
    }
    expect(root.hear(3, "yes", { chat: "console:a" }).kind).toBe("run");
  });

  it("holds no question once it has been answered", () => {
    const store = createMemoryStore();
    const root = rootWith(store);
    for (const [i, text] of ["/http", "/port", "10.0.0.5", "/restart nginx", "no"].entries())
      root.hear(i, text);
    expect(DialogueState.parse(store.get("chat/console:a")).question).toBeUndefined();
  });

  it("does not trip over what it cannot read", () => {
    const store = createMemoryStore({ "chat/console:a": { question: { kind: "riddle" }, last: 7 } });
    expect(rootWith(store).hear(1, "again").kind).toBe("refuse");
  });
});

describe("when words were written", () => {
  // A UUIDv7 of noon on 10 March 2026.
  const id = `${NOON.toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})(.{4})$/, "$1-$2")}-7000-8000-000000000000`;

  it("is told by the request's id, so that a question does not expire while the root is away", () => {
    const store = createMemoryStore();
    rootWith(store).hear(1, "/restart nginx", { id });
    const muchLater = rootWith(store, () => NOON + 3_600_000);
    expect(muchLater.hear(2, "yes", { id: id.replace(/0$/, "1") }).kind).toBe("run");
  });

  it("is now where the id does not tell", () => {
    const store = createMemoryStore();
    rootWith(store).hear(1, "/restart nginx");
    expect(rootWith(store, () => NOON + 3_600_000).hear(2, "yes").kind).toBe("refuse");
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
