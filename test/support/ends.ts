import { setMaxListeners } from "node:events";
import type { Connection, LaneTrouble, Receipt, Transport } from "../../src/transport/port.ts";

/** One end of the lanes, with everything that has come there. */
export interface End extends AsyncDisposable {
  readonly connection: Connection;
  readonly came: (readonly [from: string, text: string])[];
  /** `up` and `down`, as the transport told them, and what became of its lanes. */
  readonly states: ("up" | "down")[];
  readonly troubles: LaneTrouble[];
  /** Resolves once `isThere` says so; it is asked whenever something has happened here. */
  until(isThere: () => boolean): Promise<void>;
}

/** Joins an agent's lanes. */
export async function joinAt(
  transport: Transport,
  name: string,
  {
    with: neighbours,
    receive = () => Promise.resolve("taken"),
  }: {
    readonly with: readonly string[];
    readonly receive?: (from: string, text: string) => Promise<Receipt>;
  },
): Promise<End> {
  const came: (readonly [string, string])[] = [];
  const states: ("up" | "down")[] = [];
  const troubles: LaneTrouble[] = [];
  const happened = new EventTarget();
  setMaxListeners(0, happened);
  const tell = (): void => void happened.dispatchEvent(new Event("something"));
  const connection = await transport.join({
    name,
    neighbours,
    async receive(from, text) {
      const receipt = await receive(from, text);
      came.push([from, text]);
      tell();
      return receipt;
    },
    onChange(state) {
      states.push(state);
      tell();
    },
    onTrouble(trouble) {
      troubles.push(trouble);
      tell();
    },
  });
  return {
    connection,
    came,
    states,
    troubles,
    async until(isThere) {
      while (!isThere()) {
        await new Promise((resolve) => happened.addEventListener("something", resolve, { once: true }));
      }
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

let made = 0;

/** Something for a lane: to lanes a text is a text. */
export function parcel(text: string): { readonly id: string; readonly text: string } {
  return { id: `019ad200-0000-7000-8000-${String(++made).padStart(12, "0")}`, text };
}
