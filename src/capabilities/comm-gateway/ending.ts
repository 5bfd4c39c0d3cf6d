import { z } from "zod";
import type { ReplyShape } from "../../sdk/reply.ts";

/**
 * How the root itself ended what a person wrote, where nobody gave an answer: it asked back, it refused, or whoever was
 * asked failed with a code. The root's own roles alone say it; an answer from below cannot.
 */
export const Ending = z.union([
  z.strictObject({ kind: z.enum(["asked", "refused"]) }),
  z.strictObject({ kind: z.literal("failed"), failure: z.string() }),
]);
export type Ending = z.output<typeof Ending>;

/** Where the ending stands in a reply's data while it is recorded; what an answer brings under this key is taken out. */
const KEY = "comm.gateway.ending";

/** The reply as it is recorded, with this ending and no other. */
export function withEnding(reply: ReplyShape, ending?: Ending): ReplyShape {
  const bare = splitEnding(reply).reply;
  return ending === undefined ? bare : { ...bare, data: { ...bare.data, [KEY]: ending } };
}

/** What was recorded, taken apart again. */
export function splitEnding(reply: ReplyShape): { readonly reply: ReplyShape; readonly ending?: Ending } {
  const { data, ...rest } = reply;
  if (data === undefined || !Object.hasOwn(data, KEY)) return { reply };
  const { [KEY]: written, ...others } = data;
  const ending = Ending.safeParse(written).data;
  return {
    reply: Object.keys(others).length === 0 ? rest : { ...rest, data: others },
    ...(ending && { ending }),
  };
}
