import { z } from "zod";
import type { CapabilityDefinition } from "../../sdk/capability.ts";
import type { Log } from "../../sdk/context.ts";
import { ReplyShape } from "../../sdk/reply.ts";
import { Ending, splitEnding, withEnding } from "./ending.ts";
import { type Channel, type Delivery, NotDeliveredError, type PeoplePort } from "./ports.ts";

/** How the root talks to people. */
interface Gateway {
  /** The one reply to the words being handled; `ending` says so where it is no answer. */
  reply(reply: ReplyShape, ending?: Ending): void;
  /** Says something that nobody asked for just now. */
  send(chat: string, reply: ReplyShape): void;
  /** Shown once in an interactive channel at start; not recorded. */
  greet(reply: ReplyShape): void;
  /** The last reply to a chat. */
  last(chat: string): ReplyShape | undefined;
}

declare module "../../sdk/role.ts" {
  interface Capabilities {
    /** People, through whatever channels are open. The root's alone. */
    "comm.gateway": Gateway;
  }
}

/** The gateway as the composition sees it: a capability for the root's roles, and the way to and from the channels. */
export interface OpenGateway {
  readonly definition: CapabilityDefinition<"comm.gateway">;
  /** Opens every channel; their words go to `port`. */
  start(port: PeoplePort): Promise<void>;
  /** Shows a reply in its chat. Rejects with `NotDeliveredError` when that chat's channel is not open: deliver it again later. */
  deliver(delivery: Delivery): Promise<void>;
  progress(requestId: string, text: string, fraction?: number): void;
  /** Resolves when every channel has finished. */
  readonly finished: Promise<void>;
  close(): Promise<void>;
}

/**
 * Joins channels to the agent core. Chats carry their channel's name in front (`console:terminal`), so that a reply
 * finds its way back; channels themselves know only their own part.
 */
export function createGateway({ channels, log }: { channels: readonly Channel[]; log: Log }): OpenGateway {
  const byName = new Map(channels.map((channel) => [channel.name, channel]));
  let port: PeoplePort | undefined;
  /** Words that have no reply yet, by their ids, with their chats. */
  const open = new Map<string, string>();

  return {
    definition: {
      id: "comm.gateway",
      rootOnly: true,
      settings: z.strictObject({}).default({}),
      mount: () => ({
        handle: (call) => ({
          reply: (reply, ending) =>
            call.answer(withEnding(ReplyShape.parse(reply), Ending.optional().parse(ending))),
          send: (chat, reply) => call.say(chat, withEnding(ReplyShape.parse(reply))),
          greet(reply) {
            const parsed = ReplyShape.parse(reply);
            for (const channel of channels) channel.greet(parsed);
          },
          last(chat) {
            const reply = port?.lastReply(chat);
            return reply && splitEnding(reply).reply;
          },
        }),
        close: async () => {},
      }),
    },

    async start(people) {
      port = people;
      for (const channel of channels) {
        await channel.start(async (inbound) => {
          const chat = `${channel.name}:${inbound.chat}`;
          // A number stands for a button that is shown; while a reply is on its way, nobody knows yet what it will show.
          const shown = (): ReplyShape | undefined =>
            [...open.values()].includes(chat) ? undefined : people.lastReply(chat);
          const text = pressed(inbound.text, shown);
          open.set(inbound.id, chat);
          try {
            await people.accept({ ...inbound, text, channel: channel.name, chat });
          } catch (error) {
            open.delete(inbound.id);
            log.error("words could not be recorded", {
              channel: channel.name,
              id: inbound.id,
              error: String(error),
            });
            throw error;
          }
        });
      }
    },

    async deliver(delivery) {
      const [name = "", ...rest] = delivery.chat.split(":");
      const channel = byName.get(name);
      if (!channel) {
        log.debug("a reply waits for its channel", { chat: delivery.chat, requestId: delivery.requestId });
        throw new NotDeliveredError(`no channel "${name}" is open for the chat ${delivery.chat}`);
      }
      await channel.deliver({ ...delivery, ...splitEnding(delivery.reply), chat: rest.join(":") });
      open.delete(delivery.requestId);
    },

    progress(requestId, text, fraction) {
      for (const channel of channels) channel.progress(requestId, text, fraction);
    },

    finished: Promise.all(channels.map((channel) => channel.finished)).then(() => {}),

    async close() {
      await Promise.all(channels.map((channel) => channel.close()));
    },
  };
}

/** What a person says by the number of a button under the last reply; other words stay as they are. */
function pressed(text: string, shown: () => ReplyShape | undefined): string {
  const [, number] = /^\s*(\d{1,2})[.)]?\s*$/.exec(text) ?? [];
  return (number === undefined ? undefined : shown()?.buttons?.[Number(number) - 1]?.say) ?? text;
}
