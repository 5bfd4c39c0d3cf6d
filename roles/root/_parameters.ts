import { parameterKind, type ParameterKind } from "#sdk";
import { z } from "zod";
import type { Offered } from "./_offers.ts";

const Property = z.looseObject({
  type: z.string().optional().catch(undefined),
  format: z.string().optional().catch(undefined),
  entity: z.string().optional().catch(undefined),
  enum: z.array(z.unknown()).optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  default: z.unknown().optional(),
});
const Input = z.looseObject({
  properties: z.record(z.string(), Property).default({}),
  required: z.array(z.string()).default([]),
});

const KINDS: Readonly<Record<ParameterKind, string>> = {
  url: "a web address",
  host: "a host name or an IP address",
  port: "a port",
  email: "an e-mail address",
  number: "a number",
  duration: "a length of time, such as 5 min",
  when: "a time, such as tomorrow at 9",
  quoted: "text in quotation marks",
  rest: "text",
  request: "what to ask for, as you would ask me",
  asker: "",
  text: "text",
  flag: "yes or no",
  choice: "one of several",
  other: "a value",
};

/** A parameter in words. */
export interface ParameterLine {
  readonly name: string;
  /** "where it listens (a port, 443 if left out)" */
  readonly words: string;
}

/** What a command takes, one line for each parameter, required ones first. */
export function parameterLines({ input }: Offered): ParameterLine[] {
  const { properties, required } = Input.parse(input);
  return (
    Object.entries(properties)
      // What the root itself fills in, nobody has to know.
      .filter(([, { entity }]) => entity !== "asker")
      .map(([name, property]) => ({ name, property, isRequired: required.includes(name) }))
      .sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
      .map(({ name, property, isRequired }) => ({ name, words: describe(property, isRequired) }))
  );
}

/** Who asks, in the parameters of a command that wants to be told: what words say of it counts for nothing. */
export function askerOf(command: Offered | undefined, person: string): Readonly<Record<string, string>> {
  const { properties } = Input.parse(command?.input ?? {});
  const names = Object.entries(properties).filter(([, { entity }]) => entity === "asker");
  return Object.fromEntries(names.map(([name]) => [name, person.slice(0, 200)]));
}

function describe(property: z.output<typeof Property>, isRequired: boolean): string {
  const { entity, format, type, enum: choices, description } = property;
  const isWhole = entity === undefined && type === "integer";
  const kind = choices
    ? `one of ${choices.map(String).join(", ")}`
    : isWhole
      ? "a whole number"
      : KINDS[parameterKind({ entity, format, type, isCounted: false })];
  const otherwise =
    property.default === undefined ? "optional" : `${JSON.stringify(property.default)} if left out`;
  const terms = [kind, ...(isRequired ? [] : [otherwise])].join(", ");
  return description === undefined ? terms : `${description} (${terms})`;
}
