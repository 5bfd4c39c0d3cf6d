import type { FailureValue } from "../envelope/index.ts";
import { failure } from "../envelope/index.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";

/**
 * E_TIMEOUT for what was begun, or given to somebody who may have begun it. What only looks may be asked again; of
 * anything else, also where nobody knows what it does, it is said that it may have happened.
 */
export function tooLate(text: string, effect: CommandAnnouncement["effect"] | undefined): FailureValue {
  const late = failure("E_TIMEOUT", text);
  if (effect === "read") return late;
  const more = "It may have been done all the same: look first, and ask again only if it was not.";
  return { ...late, text: `${text} ${more}`, retryable: false };
}
