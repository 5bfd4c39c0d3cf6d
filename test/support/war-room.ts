import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalJson, isFailure } from "../../src/envelope/index.ts";
import { plainText } from "../../src/sdk/markup.ts";
import {
  type AlertReader,
  openWarRoom,
  type Room,
  type RoomFailure,
  type RoomOutcome,
  type WarRoom,
} from "../../src/warroom/index.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";

/** Streams of alerts in memory; like Redis they outlive a war room. */
export interface TestStreams extends AlertReader {
  /** Puts an alert as `agent` says it; fields of `details` over those of a page that is down. */
  alert(details?: Readonly<Record<string, unknown>>, agent?: string): void;
  /** One of the framework's own failures. */
  systemFailure(details: Readonly<Record<string, unknown>>, agent?: string): void;
  /** Anything at all, under a number of one's own choice. */
  put(agent: string, seq: number, text: string): void;
  /** An alert's envelope. */
  envelope(
    agent: string,
    type: "alert" | "system_failure",
    payload: Readonly<Record<string, unknown>>,
  ): string;
  readonly confirmed: Map<string, number>;
  isDown: boolean;
}

export const DOWN = {
  kind: "watch.http",
  target: "https://shop.example",
  state: "firing",
  severity: "crit",
  summary: "shop.example: HTTP 503",
} as const;
export const UP = { ...DOWN, state: "resolved", summary: "shop.example: HTTP 200" } as const;

export function createStreams(clock: ManualClock): TestStreams {
  const streams = new Map<string, { seq: number; text: string }[]>();
  const confirmed = new Map<string, number>();
  let ids = 0;
  const put = (agent: string, seq: number, text: string): void => {
    streams.set(agent, [...(streams.get(agent) ?? []), { seq, text }]);
  };
  const add = (agent: string, text: string): void =>
    put(agent, Math.max(0, ...(streams.get(agent) ?? []).map(({ seq }) => seq)) + 1, text);
  const envelope: TestStreams["envelope"] = (agent, type, payload) => {
    ids += 1;
    const id = `01900000-0000-7000-8000-${String(ids).padStart(12, "0")}`;
    return canonicalJson({
      v: "1",
      id,
      ts: new Date(clock.now()).toISOString(),
      type: "event",
      from: "agent.01900000-0000-7000-8000-0000000000aa",
      to: "warroom",
      intent: "mha.system.alert",
      corr: id,
      reply_to: null,
      trace: null,
      priority: "normal",
      requires: null,
      payload,
      sig: null,
      message_source: agent,
      message_type: type,
    });
  };
  const streamsOf: TestStreams = {
    confirmed,
    isDown: false,
    put,
    envelope,
    alert: (details = {}, agent = "web") => add(agent, envelope(agent, "alert", { ...DOWN, ...details })),
    systemFailure: (details, agent = "ops") => add(agent, envelope(agent, "system_failure", details)),
    agents() {
      if (streamsOf.isDown) return Promise.reject(new Error("Redis is away"));
      return Promise.resolve([...streams.keys()]);
    },
    read: (agent, afterSeq, limit) =>
      Promise.resolve((streams.get(agent) ?? []).filter(({ seq }) => seq > afterSeq).slice(0, limit)),
    confirm(agent, seq) {
      confirmed.set(agent, seq);
      return Promise.resolve();
    },
  };
  return streamsOf;
}

/** A room that notes what is done in it, and answers as it is told. */
export interface TestRoom extends Room {
  /** Each call in a few words: "post 1 (rings)", "edit 1 (silent)", "post 2 → 1 (rings)", then the text. */
  readonly calls: string[];
  /** The buttons under the message that stands at a ref, by label. */
  button(ref: string, label: string): string;
  labels(ref: string): readonly string[];
  /** The text that stands at a ref. */
  text(ref: string): string;
  /** Answers the next calls in this order, then all is well again. "hang" never answers. */
  answer(...answers: readonly (RoomFailure | "hang" | "lost")[]): void;
  /** Answers every call so until it is called with nothing. */
  always(failure?: RoomFailure): void;
}

export function createTestRoom(name = "topic"): TestRoom {
  const calls: string[] = [];
  const standing = new Map<string, { text: string; buttons: ReadonlyMap<string, string> }>();
  const answers: (RoomFailure | "hang" | "lost")[] = [];
  let always: RoomFailure | undefined;
  let last = 0;

  const outcome = (ref: string, show: () => void): Promise<RoomOutcome> => {
    const answer = answers.shift() ?? always;
    if (answer === "hang") {
      show();
      return new Promise(() => {});
    }
    if (answer === "lost") {
      show();
      return Promise.resolve({ kind: "failed", why: { kind: "ambiguous", text: "the answer was lost" } });
    }
    if (answer) return Promise.resolve({ kind: "failed", why: answer });
    show();
    return Promise.resolve({ kind: "sent", ref });
  };
  const shown = (text: string, buttons: readonly { label: string; token: string }[]) => ({
    text,
    buttons: new Map(buttons.map(({ label, token }) => [label, token])),
  });

  return {
    name,
    calls,
    post({ text, buttons, isSilent, replyTo }) {
      const words = plainText(text);
      const ref = String(last + 1);
      return outcome(ref, () => {
        last += 1;
        calls.push(
          `post ${ref}${replyTo === undefined ? "" : ` → ${replyTo}`} (${isSilent ? "silent" : "rings"})\n${words}`,
        );
        standing.set(ref, shown(words, buttons));
      });
    },
    edit(ref, { text, buttons }) {
      const words = plainText(text);
      return outcome(ref, () => {
        calls.push(`edit ${ref}\n${words}`);
        standing.set(ref, shown(words, buttons));
      });
    },
    button: (ref, label) => standing.get(ref)?.buttons.get(label) ?? "",
    labels: (ref) => [...(standing.get(ref)?.buttons.keys() ?? [])],
    text: (ref) => standing.get(ref)?.text ?? "",
    answer: (...next) => void answers.push(...next),
    always(failure) {
      always = failure;
    },
  };
}

/** A war room with a real file, streams and rooms that are the test's own, and a clock that it moves. */
export interface Scene extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly streams: TestStreams;
  readonly room: TestRoom;
  readonly lines: string[];
  readonly path: string;
  war: WarRoom;
  /** Lets time pass, second by second or in other steps. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /**
   * Kills the war room at its nth call of a stream or a room, counted from the start, or at its next post, before or
   * after the call took effect; it is started again at once.
   */
  killAt(call: number | "post", when: "before" | "after"): void;
  /** How many such calls there were. */
  readonly outsideCalls: number;
  /** As after SIGKILL: the old one is left as it stands, and a new one opens the same file. */
  restart(): Promise<void>;
  /** What was done in the room since the last look. */
  news(): readonly string[];
}

export async function createScene(rooms?: readonly TestRoom[]): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "voxtree-warroom-"));
  // 14:02:11 in Berlin.
  const clock = createManualClock(Date.UTC(2026, 2, 3, 13, 2, 11));
  const streams = createStreams(clock);
  const all = rooms ?? [createTestRoom()];
  const [room = createTestRoom()] = all;
  const lines: string[] = [];
  const path = join(folder, "incidents.db");
  let tokens = 0;
  let seen = 0;

  let outsideCalls = 0;
  let plan: { call: number | "post"; when: "before" | "after" } | undefined;
  let dying = Promise.withResolvers<void>();
  const never = <T>(): Promise<T> => new Promise<T>(() => {});

  /** Every war room has clocks and ways out of its own: those of one that was killed stand still. */
  const open = (): { war: WarRoom; kill: () => void; isKilled: () => boolean } => {
    let isKilled = false;
    const guarded =
      <A extends readonly unknown[], T>(name: string, call: (...given: A) => Promise<T>) =>
      async (...given: A): Promise<T> => {
        if (isKilled) return never();
        outsideCalls += 1;
        const isLast = plan?.call === outsideCalls || plan?.call === name;
        const when = plan?.when;
        if (isLast) plan = undefined;
        if (isLast) isKilled = true;
        const result = isLast && when === "before" ? undefined : await call(...given);
        if (isLast) dying.resolve();
        return isKilled ? never() : (result as T);
      };
    const opened = openWarRoom({
      path,
      reader: {
        agents: guarded("agents", () => streams.agents()),
        read: guarded("read", (...given) => streams.read(...given)),
        confirm: guarded("confirm", (...given) => streams.confirm(...given)),
      },
      rooms: all.map((each) => ({
        name: each.name,
        post: guarded("post", (post) => each.post(post)),
        edit: guarded("edit", (ref, edit) => each.edit(ref, edit)),
      })),
      zone: "Europe/Berlin",
      clock: {
        ...clock,
        after: (ms, callback) => clock.after(ms, () => (isKilled ? undefined : callback())),
      },
      log: {
        debug() {},
        info() {},
        warn: (message) => void lines.push(`warn ${message}`),
        error: (message) => void lines.push(`error ${message}`),
      },
      random: (bytes) => Buffer.alloc(bytes, ++tokens),
    });
    if (isFailure(opened)) throw new Error(opened.text);
    return { war: opened, kill: () => void (isKilled = true), isKilled: () => isKilled };
  };
  let current = open();
  await current.war.wake();

  const scene: Scene = {
    clock,
    streams,
    room,
    lines,
    path,
    war: current.war,
    async pass(ms, stepMs = 1000) {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(stepMs, left));
        await Promise.race([scene.war.wake(), dying.promise]);
        if (current.isKilled()) await scene.restart();
      }
    },
    killAt(call, when) {
      plan = { call, when };
    },
    get outsideCalls() {
      return outsideCalls;
    },
    async restart() {
      dying = Promise.withResolvers();
      current.kill();
      current = open();
      scene.war = current.war;
      await scene.war.wake();
    },
    news() {
      const since = room.calls.slice(seen);
      seen = room.calls.length;
      return since;
    },
    async [Symbol.asyncDispose]() {
      current.kill();
      rmSync(folder, { recursive: true, force: true });
      await Promise.resolve();
    },
  };
  return scene;
}
