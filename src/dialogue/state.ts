import { z } from "zod";

const Option = z.strictObject({ label: z.string(), value: z.unknown() });
const Params = z.record(z.string(), z.unknown());
/** A parameter that is still to be asked for, with its choices where there are any. */
const Wanting = z.strictObject({ name: z.string(), options: z.array(Option) });

/** A question that waits for its answer. Times are Unix ms. */
export const OpenQuestion = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("choice"),
    askedAt: z.int(),
    /** Names of commands, in the order in which they were offered. */
    options: z.array(z.string()),
    /** The words that the chosen command is to be carried out with. */
    text: z.string(),
    /** Whether those words stood behind a slash command. */
    isPositional: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal("parameter"),
    askedAt: z.int(),
    command: z.string(),
    params: Params,
    /** What is asked for now comes first. */
    wanting: z.array(Wanting).min(1),
  }),
  z.strictObject({
    kind: z.literal("confirmation"),
    askedAt: z.int(),
    command: z.string(),
    params: Params,
    understood: z.string(),
  }),
]);
export type OpenQuestion = z.output<typeof OpenQuestion>;
export type ParameterQuestion = Extract<OpenQuestion, { kind: "parameter" }>;

/** The last request of a chat that was handed on. */
const LastRequest = z.strictObject({ command: z.string(), params: Params, at: z.int() });

/** What is remembered of a conversation in one chat; JSON-safe. */
export const DialogueState = z.strictObject({
  question: OpenQuestion.optional(),
  last: LastRequest.optional(),
});
export type DialogueState = z.output<typeof DialogueState>;

/** How long a question waits, and the last request can be followed up. */
export const MEMORY_MS = 10 * 60_000;
