import type { Receipt, Transport } from "../../src/transport/port.ts";

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
  /** Puts a text on the lane between two neighbours, as whoever holds that lane could. */
  inject(from: string, to: string, text: string): Promise<void>;
}

export function recordLanes(transport: Transport): Lane {
  const receivers = new Map<string, (from: string, text: string) => Promise<Receipt>>();
  const lane: Lane = {
    carried: [],
    isRecording: true,
    isLost: () => false,
    inject: async (from, to, text) => void (await receivers.get(to)?.(from, text)),
    transport: {
      isShared: transport.isShared,
      async join(end) {
        receivers.set(end.name, end.receive);
        const connection = await transport.join(end);
        return {
          get isUp() {
            return connection.isUp;
          },
          sharedNow: () => connection.sharedNow(),
          close: () => connection.close(),
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
