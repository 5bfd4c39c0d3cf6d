import { z } from "zod";
import { canonicalJson } from "../envelope/index.ts";

/** What an announcement may hold, so that no child can keep its master from its work. Lengths in characters. */
const MOST = {
  languages: 20,
  description: 500,
  prompts: 50,
  prompt: 200,
  parameters: 50,
  parameterName: 100,
  choices: 500,
  inputBytes: 65_536,
  inputDepth: 32,
} as const;

/** Texts in several languages, or one text for all. */
const perLanguage = <T extends z.ZodType>(one: T) =>
  z.union(
    [
      one,
      z
        .record(z.string().max(35, "must name languages by tags such as de or pt-BR"), one)
        .refine((texts) => Object.keys(texts).length <= MOST.languages, {
          error: `must have at most ${MOST.languages} languages`,
        }),
    ],
    "must be one text, or one for each language",
  );

/** What a command does, in a line. */
export const Description = perLanguage(
  z
    .string()
    .min(1, "must not be empty")
    .max(MOST.description, `must have at most ${MOST.description} characters`),
);

/** What people would write when they want a command. */
export const Prompts = perLanguage(
  z
    .array(
      z
        .string()
        .min(1, "must not be empty")
        .max(MOST.prompt, `must have at most ${MOST.prompt} characters each`),
    )
    .refine((prompts) => prompts.length <= MOST.prompts, `must be at most ${MOST.prompts} in one language`),
);

const Input = z.record(z.string(), z.unknown()).superRefine((input, context) => {
  const wrong = inputProblem(input);
  if (wrong !== undefined) context.addIssue({ code: "custom", message: wrong });
});

/** A command as its agent announces it to its master: all that is needed to choose it and to ask for it. */
export const CommandAnnouncement = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .max(100),
  description: Description,
  prompts: Prompts.default([]),
  /** JSON Schema of what the command takes (`io: "input"`: defaults are not required). */
  input: Input,
  effect: z.enum(["read", "change", "destroy"]).default("read"),
  access: z.enum(["viewer", "operator", "owner"]).optional(),
  approval: z.literal("operator").optional(),
  timeoutMs: z.int().positive().default(60_000),
});
export type CommandAnnouncement = z.output<typeof CommandAnnouncement>;

/** What keeps a JSON Schema from being announced, in words. */
function inputProblem(input: Readonly<Record<string, unknown>>): string | undefined {
  if (isDeeperThan(input, MOST.inputDepth)) return `must not be nested deeper than ${MOST.inputDepth} levels`;
  let bytes: number;
  try {
    bytes = Buffer.byteLength(canonicalJson(input));
  } catch (error) {
    return `cannot be announced: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (bytes > MOST.inputBytes) return `must have at most ${MOST.inputBytes / 1024} KiB as JSON Schema`;
  const { properties } = input;
  const names = isObject(properties) ? Object.keys(properties) : [];
  if (names.length > MOST.parameters) return `must be at most ${MOST.parameters}`;
  if (names.some((name) => name.length > MOST.parameterName)) {
    return `must have names of at most ${MOST.parameterName} characters`;
  }
  return countChoices(properties) > MOST.choices
    ? `must have at most ${MOST.choices} values to choose from`
    : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (!isObject(value)) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(each, levels - 1));
}

/** How many values are listed wherever a schema counts what may stand in its place. */
function countChoices(schema: unknown): number {
  if (!isObject(schema)) return 0;
  const own = "enum" in schema && Array.isArray(schema.enum) ? schema.enum.length : "const" in schema ? 1 : 0;
  return Object.values(schema).reduce((sum: number, each) => sum + countChoices(each), own);
}
