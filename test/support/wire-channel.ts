import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Channel, Delivery } from "../../src/capabilities/comm-gateway/index.ts";
import { plainText } from "../../src/sdk/markup.ts";

/** A line of what came out: a reply, by the id of what it answers. */
export interface WireReply {
  readonly id: string;
  readonly text: string;
  readonly failure?: string;
  readonly verdict?: string;
  readonly isRepeat: boolean;
}

/**
 * A channel for tests: each line of stdin is `{"id", "text"}`, and may be handed over again after a restart, or
 * `{"killAt"}`, which says where the process is to die; each reply becomes a line of a file before `deliver` resolves, so that a killed process leaves what it had said.
 */
export function createWireChannel(
  repliesFile: string,
  {
    around,
    arm,
  }: {
    readonly around: (point: "before-show" | "after-show") => void;
    readonly arm: (at: string) => void;
  },
): Channel {
  const finished = Promise.withResolvers<void>();
  const lines = createInterface({ input: process.stdin });
  return {
    name: "wire",
    finished: finished.promise,
    start(accept) {
      lines.on("line", (line) => {
        const said = JSON.parse(line) as { id: string; text: string } | { killAt: string };
        if ("killAt" in said) arm(said.killAt);
        else void accept({ id: said.id, chat: "one", person: "ann", text: said.text });
      });
      lines.on("close", () => finished.resolve());
      return Promise.resolve();
    },
    deliver({ requestId, reply, failure, isRepeat }: Delivery) {
      around("before-show");
      const line: WireReply = {
        id: requestId,
        text: plainText(reply.text),
        isRepeat,
        ...(failure === undefined ? {} : { failure }),
        ...(reply.verdict === undefined ? {} : { verdict: reply.verdict }),
      };
      appendFileSync(repliesFile, `${JSON.stringify(line)}\n`);
      around("after-show");
      return Promise.resolve();
    },
    progress() {},
    greet() {},
    close() {
      lines.close();
      return Promise.resolve();
    },
  };
}

/** The replies that a channel has written so far. */
export function readReplies(repliesFile: string): readonly WireReply[] {
  try {
    return readFileSync(repliesFile, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as WireReply);
  } catch {
    return [];
  }
}
