import { once } from "node:events";
import { measureFlow, type FlowSize } from "./measure.ts";

/** Something open in this process. */
export interface Open {
  close(): Promise<void>;
}

/** The agent that is asked. */
export interface OpenRoot extends Open {
  /** Resolves with the answer. */
  ask(text: string): Promise<string>;
}

const LONGEST_CLOSE_MS = 5000;

/**
 * What a process of the bench does once its agents are open. With the root among them it measures and prints the
 * figures; else it says that it is ready and serves until its input ends.
 */
export async function measureOrServe(
  { root, others }: { readonly root: OpenRoot | undefined; readonly others: readonly Open[] },
  size: string | undefined,
): Promise<void> {
  if (root && size !== undefined) {
    const figures = await measureFlow(root.ask, JSON.parse(size) as FlowSize);
    process.stdout.write(`${JSON.stringify(figures)}\n`);
  } else {
    process.stdout.write("ready\n");
    await once(process.stdin.resume(), "end");
  }
  // Whoever started this one may have been killed, and its Redis with it: closing would then wait for ever.
  setTimeout(() => process.exit(1), LONGEST_CLOSE_MS).unref();
  await root?.close();
  for (const each of others) await each.close();
}
