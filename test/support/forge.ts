import type { VoxMessage } from "../../src/envelope/index.ts";
import { AEE_TYPE_OF, canonicalJson, createIds } from "../../src/envelope/index.ts";
import type { Carried } from "./lanes.ts";

/** What a forged envelope says; what is left out is as an honest neighbour would write it. */
export type Forged = Partial<
  Pick<VoxMessage, "type" | "source" | "target" | "intent" | "details" | "reply_to" | "priority" | "corr">
> & {
  readonly id?: string;
  readonly requires?: Readonly<Record<string, unknown>> | null;
  readonly extra?: Readonly<Record<string, unknown>>;
};

/** Writes envelopes as whoever holds an agent's keys could. */
export interface Forge {
  /** The fields of an envelope from one agent to another. */
  envelope(from: string, to: string, forged?: Forged): Record<string, unknown>;
  /** The same as the text that travels. */
  text(from: string, to: string, forged?: Forged): string;
  /** An id that was made `ms` after now. */
  idAt(ms: number): string;
}

/** A forge that knows the ids of these agents; `now` is Unix ms. */
export function createForge(
  { agents }: { readonly agents: ReadonlyMap<string, { readonly self: { readonly id: string } }> },
  now: () => number,
): Forge {
  const ids = createIds(now);
  const addressOf = (name: string): string => `agent.${agents.get(name)?.self.id}`;
  const envelope: Forge["envelope"] = (from, to, forged = {}) => {
    const { type = "command_request", id = ids.next(), extra = {} } = forged;
    return {
      v: "1",
      id,
      ts: new Date(now()).toISOString(),
      type: AEE_TYPE_OF[type],
      from: forged.source ?? addressOf(from),
      to: forged.target ?? addressOf(to),
      intent: forged.intent ?? `${to}.echo`,
      corr: forged.corr ?? id,
      reply_to: forged.reply_to ?? null,
      trace: null,
      priority: forged.priority ?? "normal",
      requires: forged.requires === undefined ? { timeout_ms: 10_000 } : forged.requires,
      payload: forged.details ?? { command: "echo", params: {} },
      sig: null,
      message_source: from,
      message_type: type,
      ...extra,
    };
  };
  return {
    envelope,
    text: (from, to, forged) => canonicalJson(envelope(from, to, forged)),
    idAt: (ms) => createIds(() => now() + ms).next(),
  };
}

/** What was put on a lane, parsed. */
export function parseCarried(
  carried: readonly Carried[],
  from: string,
  to: string,
): readonly ParsedCarried[] {
  return carried
    .filter((one) => one.from === from && one.to === to)
    .map(({ text }) => JSON.parse(text) as ParsedCarried);
}

/** The fields that tests look at. */
export interface ParsedCarried {
  readonly id: string;
  readonly corr: string;
  readonly reply_to: string | null;
  readonly message_type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly requires: { readonly timeout_ms?: number } | null;
}
