export { type AskChannel, type AskOptions, createAskChannel } from "./ask.ts";
export { type ConsoleChannel, createConsoleChannel } from "./console/index.ts";
export type { ConsoleOptions } from "./console/options.ts";
export { createGateway, type Gateway, type OpenGateway } from "./gateway.ts";
export {
  type Channel,
  type ChannelInbound,
  type Delivery,
  type Inbound,
  NotDeliveredError,
  type PeoplePort,
} from "./ports.ts";
