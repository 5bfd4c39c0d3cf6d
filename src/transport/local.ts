import { createLocalAlerts } from "./local-alerts.ts";
import type { Connection, LaneEnd, Parcel, Receipt, Transport } from "./port.ts";

interface Lane {
  readonly waiting: string[];
  receive: ((text: string) => Promise<Receipt>) | undefined;
}

/** Lanes in memory, for agents of one process. They hold what is under way; the ledgers alone are durable. */
export function createLocalTransport(): Transport {
  const lanes = new Map<string, Lane>();
  const alerts = createLocalAlerts();

  const laneOf = (from: string, to: string): Lane => {
    const name = `${from}.${to}`;
    const lane = lanes.get(name) ?? { waiting: [], receive: undefined };
    lanes.set(name, lane);
    return lane;
  };

  const drain = (lane: Lane): void => {
    const { receive } = lane;
    while (receive && lane.receive === receive) {
      const text = lane.waiting.shift();
      if (text === undefined) return;
      receive(text).catch(() => {
        lane.waiting.unshift(text);
        // Whoever cannot take an envelope has lost its ledger: it gets what waits when it joins again.
        if (lane.receive === receive) lane.receive = undefined;
      });
    }
  };

  return {
    isShared: false,
    readAlerts: () => alerts.read(),
    join({ name, neighbours, receive }: LaneEnd): Promise<Connection> {
      const inbound = new Map(neighbours.map((from) => [from, laneOf(from, name)]));
      for (const [from, lane] of inbound) {
        lane.receive = (text) => receive(from, text);
        queueMicrotask(() => drain(lane));
      }
      return Promise.resolve({
        isUp: () => true,
        // All of them run in this process, and go by its clock.
        sharedNow: () => undefined,
        alerts: alerts.streamOf(name),
        send(to: string, { text }: Parcel) {
          const lane = laneOf(name, to);
          lane.waiting.push(text);
          if (lane.waiting.length === 1) queueMicrotask(() => drain(lane));
          return Promise.resolve();
        },
        close() {
          for (const lane of inbound.values()) lane.receive = undefined;
          return Promise.resolve();
        },
      });
    },
  };
}
