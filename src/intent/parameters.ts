import { z } from "zod";
import { parameterKind, type ParameterKind } from "../sdk/parameter-kind.ts";

/** One parameter of a command, read from its JSON Schema. */
export interface Parameter {
  readonly name: string;
  readonly kind: ParameterKind;
  readonly isRequired: boolean;
  /** Whether it takes a list of such values. */
  readonly isList: boolean;
  /** What it may be, where the values are counted. */
  readonly choices: readonly (string | number)[];
  readonly isInteger: boolean;
  readonly minimum: number;
  readonly maximum: number;
  readonly description: string | undefined;
  /** Matches its name in a text, up to where its value begins. Group 1 is "=" or ":". */
  readonly calledBy: RegExp;
}

const Property = z.looseObject({
  type: z.string().optional().catch(undefined),
  format: z.string().optional().catch(undefined),
  entity: z.string().optional().catch(undefined),
  enum: z
    .array(z.union([z.string(), z.number()]))
    .optional()
    .catch(undefined),
  const: z.union([z.string(), z.number()]).optional().catch(undefined),
  anyOf: z.array(z.unknown()).optional().catch(undefined),
  items: z.unknown().optional(),
  minimum: z.number().optional().catch(undefined),
  maximum: z.number().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
});
type Property = z.output<typeof Property>;

const Input = z.looseObject({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

/** The parameters of a command in the order in which its schema names them. */
export function readParameters(schema: Readonly<Record<string, unknown>>): Parameter[] {
  const { properties, required } = Input.catch({ properties: {}, required: [] }).parse(schema);
  return Object.entries(properties).map(([name, value]) => {
    const outer = readProperty(value);
    const isList = outer.type === "array";
    const inner = isList ? readProperty(outer.items) : outer;
    const choices = inner.enum ?? (inner.const === undefined ? [] : [inner.const]);
    return {
      name,
      kind: parameterKind({ ...inner, isCounted: choices.length > 0 }),
      isRequired: required.includes(name),
      isList,
      choices,
      isInteger: inner.type === "integer",
      minimum: inner.minimum ?? -Infinity,
      maximum: inner.maximum ?? Infinity,
      description: outer.description,
      calledBy: namePattern(name),
    };
  });
}

/** A property; of a union, the one member that is not null, or all its constants together. */
function readProperty(value: unknown): Property {
  const property = Property.catch({}).parse(value ?? {});
  if (!property.anyOf) return property;
  const members = property.anyOf.map(readProperty).filter(({ type }) => type !== "null");
  const [only] = members;
  if (only && members.length === 1) return { ...only, ...definedOnly(property) };
  const constants = members.map(
    (member) => member.enum ?? (member.const === undefined ? [] : [member.const]),
  );
  const isCounted = constants.every((some) => some.length > 0);
  return isCounted ? { ...property, enum: constants.flat() } : { ...property, type: "mixed" };
}

function definedOnly(property: Property): Partial<Property> {
  return Object.fromEntries(
    Object.entries(property).filter(([name, value]) => name !== "anyOf" && value !== undefined),
  );
}

/** "timeoutMs" is called "timeout ms" or "timeout"; "expects" and "expecting" call `expect`. */
function namePattern(name: string): RegExp {
  const words = name
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .split(/[\s_-]+/u)
    .filter(Boolean)
    .map(escapePattern);
  const bare = /^(?:ms|seconds?|secs?)$/iu.test(words.at(-1) ?? "") ? words.slice(0, -1) : words;
  const spellings = new Set(
    [words, bare.length > 0 ? bare : words].map((some) => some.join(String.raw`[\s_-]*`)),
  );
  return new RegExp(
    String.raw`(?<![\p{L}\p{N}_])(?:--)?(?:${[...spellings].join("|")})(?:s|ed|ing)?(?:\s*([=:])\s*|\s+(?:(?:of|is|to|a|an|at|be|status|code)\s+)?)`,
    "giu",
  );
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}
