import { Redis } from "ioredis";
import type { End, Letter, Place } from "./hops.ts";

/** The least that Redis can do: each lane a list, LPUSH at one end and BRPOP at the other. What is popped can be lost. */
export function floorEnd(url: string): (place: Place) => Promise<End> {
  return ({ name, neighbours, receive }) => {
    const sender = new Redis(url);
    const readers = neighbours.map((from) => {
      const reader = new Redis(url);
      const read = async (): Promise<void> => {
        for (;;) {
          const found = await reader.brpop(`${from}.${name}`, 0).catch(() => null);
          if (found === null) return;
          void receive(from, JSON.parse(found[1]) as Letter);
        }
      };
      void read();
      return reader;
    });
    return Promise.resolve({
      send: (to, letter) => sender.lpush(`${name}.${to}`, JSON.stringify(letter)).then(() => undefined),
      close() {
        for (const client of [sender, ...readers]) client.disconnect();
        return Promise.resolve();
      },
    });
  };
}
