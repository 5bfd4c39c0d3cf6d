import { z } from "zod";
import { type Clock, type FailureValue, isFailure } from "../../envelope/index.ts";
import type { CapabilityDefinition } from "../../sdk/capability.ts";
import type { Log } from "../../sdk/context.ts";
import type { Markup } from "../../sdk/markup.ts";
import {
  type Acted,
  type AlertReader,
  type IncidentView,
  openWarRoom,
  type Room,
  type WarRoom,
} from "../../warroom/index.ts";

declare module "../../sdk/role.ts" {
  interface Capabilities {
    incidents: Incidents;
  }
}

/**
 * The incidents of the war room. `id` is taken as people write it ("A-142", "a142", "142"); what there is not is E_NOT_FOUND,
 * a silence that is too short or too long E_BAD_PARAMS. `by` is who does it, as people are to read it.
 */
export interface Incidents {
  /** What is open, the worst first. */
  open(): readonly IncidentView[];
  /** The same for people. */
  overview(): Markup;
  /** One incident, with all that happened to it. */
  details(id: string): { readonly view: IncidentView; readonly text: Markup } | undefined;
  /** Whoever acks takes it on: it is repeated no more. */
  ack(id: string, by: string): Acted | FailureValue;
  /** It makes no sound for so many ms; it says so when that is over and it still fires. */
  silence(id: string, forMs: number, by: string): Acted | FailureValue;
  unsilence(id: string, by: string): Acted | FailureValue;
  /** Does what a button of a message stands for. */
  press(token: string, by: string): Acted | FailureValue;
}

export interface IncidentsParts {
  /** Where an agent keeps incidents.db. */
  readonly path: (agent: string) => string;
  readonly reader: (log: Log) => AlertReader & { close(): Promise<void> };
  /** In the order in which they are tried; `createLogRoom` where there is no chat. */
  readonly rooms: (log: Log) => readonly Room[];
  /** IANA time zone of the room's messages. */
  readonly zone: string;
  readonly clock: Clock;
  readonly durability?: "normal" | "full";
  /** Called with the war room once it is at work, so that its state of health can be told. */
  readonly onOpen?: (warRoom: Pick<WarRoom, "trouble" | "wake">) => void;
}

/** The capability to see and to answer incidents. Whoever has it is the war room: mounting it takes the alerts in. */
export function createIncidentsCapability(parts: IncidentsParts): CapabilityDefinition<"incidents"> {
  const { path, reader, rooms, zone, clock, durability = "normal", onOpen } = parts;
  return {
    id: "incidents",
    rootOnly: false,
    settings: z.strictObject({}).prefault({}),
    mount({ agent, log }) {
      const alerts = reader(log);
      const warRoom = openWarRoom({
        path: path(agent.name),
        zone,
        clock,
        log,
        durability,
        reader: alerts,
        rooms: rooms(log),
      });
      // What keeps a capability from being mounted disables its role, with these words as the reason.
      if (isFailure(warRoom)) {
        void alerts.close();
        throw new Error(warRoom.text);
      }
      onOpen?.(warRoom);
      return {
        handle: ({ request }): Incidents => ({
          open: () => warRoom.open(),
          overview: () => warRoom.overview(request.zone),
          details: (id) => warRoom.details(id, request.zone),
          ack: (id, by) => warRoom.ack(id, { by, zone: request.zone }),
          silence: (id, forMs, by) => warRoom.silence(id, forMs, { by, zone: request.zone }),
          unsilence: (id, by) => warRoom.unsilence(id, { by, zone: request.zone }),
          press: (token, by) => warRoom.press(token, { by, zone: request.zone }),
        }),
        async close() {
          await warRoom.close();
          await alerts.close();
        },
      };
    },
  };
}
