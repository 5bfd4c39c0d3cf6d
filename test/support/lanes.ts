import { createLocalTransport } from "../../src/transport/local.ts";
import type { LaneEnd, LaneState, Receipt, Transport } from "../../src/transport/port.ts";

/** One envelope on a lane. */
export interface Carried {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** Lanes that can be watched, cut, and written to by somebody else. */
export interface Lane {
  readonly transport: Transport;
  readonly carried: Carried[];
  /** Whether what is put on a lane is kept in `carried`; default: yes. */
  isRecording: boolean;
  /** While this says so, an envelope is lost on its way. */
  isLost: (envelope: Carried) => boolean;
  /** Puts a text on the lane between two neighbours, as whoever holds that lane could; says what became of it. */
  inject(from: string, to: string, text: string): Promise<Receipt | undefined>;
}

export function recordLanes(transport: Transport): Lane {
  const receivers = new Map<string, (from: string, text: string) => Promise<Receipt>>();
  const lane: Lane = {
    carried: [],
    isRecording: true,
    isLost: () => false,
    inject: async (from, to, text) => receivers.get(to)?.(from, text),
    transport: {
      isShared: transport.isShared,
      readAlerts: () => transport.readAlerts(),
      async join(end) {
        receivers.set(end.name, end.receive);
        const connection = await transport.join(end);
        return {
          ...connection,
          async send(to, parcel) {
            const envelope = { from: end.name, to, text: parcel.text };
            if (lane.isRecording) lane.carried.push(envelope);
            if (!lane.isLost(envelope)) await connection.send(to, parcel);
          },
        };
      },
    },
  };
  return lane;
}

/** Lanes as between processes: any end of them can be cut off from all of its neighbours for a while. */
export interface SharedLanes {
  readonly transport: Transport;
  /** While an agent's end is down, nothing goes out or comes in there; what came meanwhile waits. */
  turn(agent: string, state: LaneState): void;
}

export function createSharedLanes(): SharedLanes {
  const local = createLocalTransport();
  const down = new Set<string>();
  const ends = new Map<string, LaneEnd>();
  let waiting: { readonly agent: string; readonly go: () => void }[] = [];
  return {
    turn(agent, state) {
      if (state === "down") down.add(agent);
      else down.delete(agent);
      ends.get(agent)?.onChange(state);
      const ready = waiting.filter((one) => !down.has(one.agent));
      waiting = waiting.filter((one) => down.has(one.agent));
      for (const { go } of ready) go();
    },
    transport: {
      isShared: true,
      readAlerts: () => local.readAlerts(),
      async join(end) {
        ends.set(end.name, end);
        const connection = await local.join({
          ...end,
          receive: (from, text) =>
            down.has(end.name)
              ? new Promise((resolve, reject) => {
                  waiting.push({
                    agent: end.name,
                    go: () => void end.receive(from, text).then(resolve, reject),
                  });
                })
              : end.receive(from, text),
        });
        return {
          ...connection,
          isUp: () => !down.has(end.name),
          close() {
            ends.delete(end.name);
            return connection.close();
          },
          async send(to, parcel) {
            if (down.has(end.name)) throw new Error("the lanes are down");
            await connection.send(to, parcel);
          },
        };
      },
    },
  };
}
