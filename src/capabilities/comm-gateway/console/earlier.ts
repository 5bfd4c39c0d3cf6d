import { timeOfId } from "../../../envelope/ids.ts";
import { fit, oneLine } from "../render-terminal.ts";
import type { Delivery } from "../ports.ts";

/** The line above an answer that does not follow its question: what was asked, and when. Nothing for an unasked message. */
export function introduction(delivery: Delivery, zone: string): string | undefined {
  if (delivery.question === undefined) return undefined;
  const at = timeOfId(delivery.requestId);
  const time = at === undefined ? "" : ` at ${formatTime(at, zone)}`;
  const repeat = delivery.isRepeat ? " (you may have seen this answer before)" : "";
  return `You asked${time}: ${fit(oneLine(delivery.question), 200)}${repeat}`;
}

function formatTime(at: number, zone: string): string {
  return new Date(at).toLocaleString("en-GB", {
    timeZone: zone,
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
}
