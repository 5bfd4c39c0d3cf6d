export { createGateway, type Gateway, type OpenGateway } from "./gateway.ts";
export {
  type Channel,
  type ChannelInbound,
  type Delivery,
  type Inbound,
  NotDeliveredError,
  type PeoplePort,
} from "./ports.ts";
