export { type AskChannel, createAskChannel } from "./ask.ts";
export { type ConsoleChannel, createConsoleChannel } from "./console/index.ts";
export { createGateway, type OpenGateway } from "./gateway.ts";
export { type Channel, type Delivery, type Inbound, NotDeliveredError } from "./ports.ts";
