/**
 * Thrown by a handle that is used after its agent has stopped, or after the call that it was given to: do not
 * keep handles.
 */
export class AgentGoneError extends Error {
  override readonly name = "AgentGoneError";
  readonly code = "E_AGENT_GONE";
}
