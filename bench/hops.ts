// The way of a request and its answer, root → coordinator → specialist → coordinator → root, over lanes of any kind and
// with no product code in it.
import type { OpenRoot } from "./measure-or-serve.ts";

/** One agent's place at its lanes: one lane to each neighbour, and one from each. */
export interface Place {
  readonly name: AgentName;
  readonly neighbours: readonly AgentName[];
  /** What came is off its lane once this resolves. */
  readonly receive: (from: AgentName, letter: Letter) => Promise<void>;
}

export interface End {
  send(to: AgentName, letter: Letter): Promise<void>;
  close(): Promise<void>;
}

export type OpenEnd = (place: Place) => Promise<End>;

export type AgentName = "root" | "ops" | "web";

/** As large as an envelope of the product: 0.8 kB of JSON. */
export type Letter = ReturnType<typeof writeLetter>;

const NEIGHBOURS: Readonly<Record<AgentName, readonly AgentName[]>> = {
  root: ["ops"],
  ops: ["root", "web"],
  web: ["ops"],
};

/** The coordinator or the specialist: hands on what comes, the specialist back to where it came from. */
export async function openHop(open: OpenEnd, name: "ops" | "web"): Promise<End> {
  const end: End = await open({
    name,
    neighbours: NEIGHBOURS[name],
    receive: (from, letter) => end.send(name === "web" ? from : from === "root" ? "web" : "root", letter),
  });
  return end;
}

/** The root: asks, and knows each answer by its id. */
export async function openRoot(open: OpenEnd): Promise<OpenRoot> {
  const waiting = new Map<string, (text: string) => void>();
  const end = await open({
    name: "root",
    neighbours: NEIGHBOURS.root,
    receive: (_, { id, payload }) => {
      waiting.get(id)?.(payload.params.text);
      waiting.delete(id);
      return Promise.resolve();
    },
  });
  let n = 0;
  return {
    async ask(text) {
      const id = `019ad300-0000-7000-8000-${String(n++).padStart(12, "0")}`;
      const { promise, resolve } = Promise.withResolvers<string>();
      waiting.set(id, resolve);
      await end.send("ops", writeLetter(id, text));
      return promise;
    },
    close: () => end.close(),
  };
}

function writeLetter(id: string, text: string) {
  return {
    v: "1",
    id,
    ts: "2026-03-01T10:00:00.000Z",
    type: "task",
    from: "agent.019ad300-0000-7000-8000-000000000001",
    to: "agent.019ad300-0000-7000-8000-000000000002",
    intent: "ops.echo",
    corr: "019ad300-0000-7000-8000-000000000009",
    reply_to: "019ad300-0000-7000-8000-000000000008",
    trace: { trace_id: "4bf92f3577b34da6a3ce929d0e0e4736", span_id: "00f067aa0ba902b7" },
    priority: "normal",
    requires: { timeout_ms: 54_000 },
    sig: null,
    payload: { command: "echo", params: { text }, summary: "x".repeat(300) },
  };
}
