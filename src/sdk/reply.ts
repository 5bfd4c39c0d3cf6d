import { z } from "zod";
import { Markup } from "./markup.ts";

/**
 * What a check found: it is as it should be, it is not, or the check itself could not tell ("inconclusive": the
 * target is not to blame).
 */
export const Verdict = z.enum(["ok", "fail", "inconclusive"]);
export type Verdict = z.output<typeof Verdict>;

/** A choice under a reply: `label` stands on it, `say` is what pressing it says in the person's name. */
export const Button = z.strictObject({ label: z.string().min(1).max(64), say: z.string().min(1).max(1000) });
export type Button = z.output<typeof Button>;

/** A file under a reply. */
export const Attachment = z.strictObject({
  name: z.string().min(1),
  contentType: z.string().min(1),
  base64: z.base64(),
});
export type Attachment = z.output<typeof Attachment>;

/**
 * A reply as it must look at a role's door: misspelt fields are refused here, since the compiler lets them
 * pass.
 */
export const ReplyShape = z.strictObject({
  text: z.union([z.string(), Markup]),
  verdict: Verdict.optional(),
  buttons: z.array(Button).max(20).optional(),
  attachments: z.array(Attachment).max(10).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  /**
   * What it says can be seen already, such as in a message that has changed: whoever asked by pressing a button there is
   * told nothing more.
   */
  isShown: z.boolean().optional(),
  /** Where it was seen from ("berlin-1"); the agent that answers puts in its own. */
  vantage: z.string().max(64).optional(),
});
export type ReplyShape = z.output<typeof ReplyShape>;

/**
 * A role's own way to say that a command did not work: a code that begins with E_, words for the person that say what to do, and
 * whether asking for the same again may help. A check that found something wrong worked: that is a reply with the verdict "fail".
 */
export const FailureShape = z.strictObject({
  failure: z.string().regex(/^E_[A-Z0-9_]+$/),
  text: z.string(),
  retryable: z.boolean().optional(),
});
export type Failure = z.output<typeof FailureShape>;

/** What a command answers. The first line should say it all. */
export type Reply<D = unknown> = {
  /** A string is literal text; md`…` builds markup, and what stands in its values is never read as markup. */
  text: string | Markup;
  /** What was found, where the command checks something. */
  verdict?: Verdict;
  /** What it says can be seen already: whoever asked by pressing a button there is told nothing more. */
  isShown?: boolean;
  /** At most 20. */
  buttons?: readonly Button[];
  /** At most 10; the whole reply may have 1 MiB. */
  attachments?: readonly Attachment[];
} & ([D] extends [z.ZodObject] ? { data: z.input<D> } : { data?: never });
