import type { FailureValue, VoxMessage } from "../envelope/index.ts";
import { failure } from "../envelope/index.ts";
import type { Failure } from "../sdk/reply.ts";
import { FailureShape, ReplyShape } from "../sdk/reply.ts";

/** What a result or an error says, parsed: who answers is trusted no further than its shape. E_BAD_REPLY for another. */
export function readAnswer(message: VoxMessage): ReplyShape | Failure | FailureValue {
  if (message.type === "command_error") {
    const { code, message: text, retryable } = message.details;
    const error = FailureShape.safeParse({ failure: code, text, retryable });
    return error.success ? error.data : failure("E_BAD_REPLY", "The answer was an error without a code.");
  }
  return readReply(message) ?? failure("E_BAD_REPLY", "The answer does not have the shape of a reply.");
}

/** The reply in the details of a result or a notice; `undefined` for what does not have the shape of one. */
export function readReply({ details }: VoxMessage): ReplyShape | undefined {
  const { summary, result, verdict, buttons, attachments, vantage, isShown } = details;
  const reply = {
    text: summary,
    data: result ?? undefined,
    verdict,
    buttons,
    attachments,
    vantage,
    isShown,
  };
  return ReplyShape.safeParse(reply).data;
}
