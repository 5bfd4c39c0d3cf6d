import type { Part } from "./parts.ts";
import { isTidying } from "./send-part.ts";

/**
 * The part without what Telegram stumbled over, by its own words; undefined when there is nothing left to leave out.
 * Each form has less than the one before it, so that this comes to an end.
 */
export function withoutTrouble(
  { address, content, message }: Part,
  refusal: string,
): Pick<Part, "address" | "content" | "message"> | undefined {
  if (isTidying(content)) return undefined;
  // What was to be edited is gone or too old: it is sent as a message of its own.
  if (message !== undefined && /message to edit not found|message can't be edited/i.test(refusal)) {
    return { address, content };
  }
  const same = message === undefined ? {} : { message };
  if ("replyTo" in content && /repl(y|ied)/i.test(refusal)) {
    const { replyTo: _, ...rest } = content;
    return { address, content: rest, ...same };
  }
  if (address.topic !== undefined && /thread not found|topic/i.test(refusal)) {
    return { address: { chat: address.chat }, content, ...same };
  }
  if ("keyboard" in content && /button|keyboard|markup/i.test(refusal)) {
    const { keyboard: _, ...rest } = content;
    return { address, content: rest, ...same };
  }
  if (content.kind === "text" && content.entities.length > 0 && /entit|url/i.test(refusal)) {
    return { address, content: { ...content, entities: [] }, ...same };
  }
  return undefined;
}
