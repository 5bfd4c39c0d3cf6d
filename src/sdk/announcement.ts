import { z } from "zod";

/** Texts in several languages, or one text for all. */
const perLanguage = <T extends z.ZodType>(text: T) => z.union([text, z.record(z.string(), text)]);

/** A command as its agent announces it to its master: all that is needed to choose it and to ask for it. */
export const CommandAnnouncement = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .max(100),
  description: perLanguage(z.string().min(1)),
  prompts: perLanguage(z.array(z.string().min(1))).default([]),
  /** JSON Schema of what the command takes (`io: "input"`: defaults are not required). */
  input: z.record(z.string(), z.unknown()),
  effect: z.enum(["read", "change", "destroy"]).default("read"),
  access: z.enum(["viewer", "operator", "owner"]).optional(),
  approval: z.literal("operator").optional(),
  timeoutMs: z.int().positive().default(60_000),
});
export type CommandAnnouncement = z.output<typeof CommandAnnouncement>;
