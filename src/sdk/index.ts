/** What the author of a role sees. */
export { md, type Markup } from "./markup.ts";
export { param } from "./param.ts";
export { parameterKind, type ParameterKind } from "./parameter-kind.ts";
export { show } from "./show.ts";
export type { Answer, BaseContext, Log, Request, StepScope } from "./context.ts";
export type { Attachment, Button, Failure, Reply, Verdict } from "./reply.ts";
export {
  defineRole,
  type Access,
  type Capabilities,
  type CapabilityId,
  type Command,
  type Context,
  type Effect,
  type Events,
  type InboundMessage,
  type Role,
} from "./role.ts";
export type { Alert } from "./alert.ts";
export { AgentGoneError } from "./gone.ts";
export type { Store } from "./capability.ts";
