import { show } from "../../../sdk/show.ts";
import type { Delivery } from "../ports.ts";
import { oneLine } from "../pieces.ts";
import type { Content, Keyboard } from "./parts.ts";
import { chunksOf, renderDelivery } from "./render-telegram.ts";

/** What a bot may send as one file. */
const FILE_LIMIT_BYTES = 50 * 1024 * 1024;

interface Around {
  readonly keyboard: Keyboard | undefined;
  /** The message that asked, where replies answer it. */
  readonly replyTo: number | undefined;
}

/** The messages of a reply, in their order: texts, then files; the first answers, the last carries the buttons. */
export function contentsOf(delivery: Delivery, { keyboard, replyTo }: Around): Content[] {
  const files = (delivery.reply.attachments ?? []).map(({ name, base64 }) => ({
    kind: "document" as const,
    name: oneLine(name) || "file",
    base64,
  }));
  const sent = files.filter(({ base64 }) => sizeOf(base64) <= FILE_LIMIT_BYTES);
  const tooLarge = files.filter((file) => !sent.includes(file));
  const contents: Content[] = [
    ...chunksOf(renderDelivery(delivery)).map((chunk) => ({ kind: "text" as const, ...chunk })),
    ...tooLarge.map(({ name, base64 }) => ({
      kind: "text" as const,
      text: `⚠️ ${name} is not here: it has ${show.bytes(sizeOf(base64))}, and Telegram takes ${show.bytes(FILE_LIMIT_BYTES)}.`,
      entities: [],
    })),
    ...sent,
  ];
  if (contents.length === 0)
    contents.push({ kind: "text", text: "(This answer has no words.)", entities: [] });
  return contents.map((content, index) => ({
    ...content,
    ...(index === 0 && replyTo !== undefined ? { replyTo } : {}),
    ...(index === contents.length - 1 && keyboard !== undefined ? { keyboard } : {}),
  }));
}

function sizeOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
